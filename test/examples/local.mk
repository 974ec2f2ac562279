suites += \
	%D%/study.bats
