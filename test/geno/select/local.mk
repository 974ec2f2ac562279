unit_tests += \
	%D%/t_contig_list \
	%D%/t_geno_filter \
	%D%/t_id_list \
	%D%/t_ld_prune \
	%D%/t_select
