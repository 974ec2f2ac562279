suites += \
	%D%/allele_counts.bats \
	%D%/unpack.bats
