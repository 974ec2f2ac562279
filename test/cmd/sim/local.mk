suites += \
	%D%/sim.bats
