unit_tests += \
	%D%/t_geno_dosage \
	%D%/t_ploidy \
	%D%/t_regions \
	%D%/t_vcf_number
