unit_tests += \
	%D%/t_pca_block \
	%D%/t_qr_device
