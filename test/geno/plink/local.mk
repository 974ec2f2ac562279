unit_tests += \
	%D%/t_geno_bed \
	%D%/t_pgen_record
