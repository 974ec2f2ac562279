unit_tests += \
	%D%/t_geno_bed
