suites += \
	%D%/svd.bats \
	%D%/svd_arrays.bats \
	%D%/svd_model.bats \
	%D%/svd_ranks.bats
