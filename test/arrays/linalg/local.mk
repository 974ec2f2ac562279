unit_tests += \
	%D%/t_krylov \
	%D%/t_linalg \
	%D%/t_qr
