suites += \
	%D%/study.bats \
	%D%/wrappers.bats
