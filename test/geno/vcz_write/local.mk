unit_tests += \
	%D%/t_vcz
