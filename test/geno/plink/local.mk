unit_tests += \
	%D%/t_geno_bed \
	%D%/t_pgen_list \
	%D%/t_pgen_phase \
	%D%/t_pgen_record \
	%D%/t_site_lines
