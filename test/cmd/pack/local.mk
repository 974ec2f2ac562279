suites += \
	%D%/eigenstrat.bats \
	%D%/files.bats \
	%D%/pack.bats \
	%D%/pack_ranks.bats \
	%D%/pack_resume.bats \
	%D%/pack_shards.bats \
	%D%/pgen.bats \
	%D%/vcz.bats \
	%D%/vcz_literals.bats
