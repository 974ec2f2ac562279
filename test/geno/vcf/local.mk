unit_tests += \
	%D%/t_csi_write \
	%D%/t_geno_vcf
