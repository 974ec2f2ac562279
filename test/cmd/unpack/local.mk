suites += \
	%D%/allele_counts.bats \
	%D%/unpack.bats \
	%D%/vcz_half.bats
