unit_tests += \
	%D%/t_pca_block
