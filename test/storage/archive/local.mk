unit_tests += \
	%D%/t_tar
