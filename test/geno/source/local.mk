unit_tests += \
	%D%/t_geno_damage \
	%D%/t_geno_shapes \
	%D%/t_passes \
	%D%/t_reblock \
	%D%/t_site_compare
