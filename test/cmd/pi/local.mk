suites += \
	%D%/pi.bats
