unit_tests += \
	%D%/t_input
