suites += \
	%D%/sim.bats \
	%D%/sim_ranks.bats
