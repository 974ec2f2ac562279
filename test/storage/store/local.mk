unit_tests += \
	%D%/t_ranges \
	%D%/t_store
