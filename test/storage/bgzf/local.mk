unit_tests += \
	%D%/t_csi
