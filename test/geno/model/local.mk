unit_tests += \
	%D%/t_block_message \
	%D%/t_geno_dosage \
	%D%/t_ploidy \
	%D%/t_regions \
	%D%/t_var_ids \
	%D%/t_vcf_number
