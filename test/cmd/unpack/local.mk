suites += \
	%D%/unpack.bats
