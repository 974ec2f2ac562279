unit_tests += \
	%D%/t_sample_tables \
	%D%/t_sexes
