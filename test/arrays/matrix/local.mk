unit_tests += \
	%D%/t_matrix
