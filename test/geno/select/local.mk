unit_tests += \
	%D%/t_geno_filter \
	%D%/t_select
