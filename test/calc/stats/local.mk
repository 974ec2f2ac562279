unit_tests += \
	%D%/t_stats
