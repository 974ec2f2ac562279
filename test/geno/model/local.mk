unit_tests += \
	%D%/t_geno_dosage \
	%D%/t_vcf_number
