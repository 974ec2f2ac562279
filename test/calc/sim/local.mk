unit_tests += \
	%D%/t_sim
