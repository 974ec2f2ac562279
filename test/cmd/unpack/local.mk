suites += \
	%D%/allele_counts.bats \
	%D%/unpack.bats \
	%D%/unpack_pgen.bats \
	%D%/unpack_ranks.bats \
	%D%/unpack_records.bats \
	%D%/vcz_half.bats
