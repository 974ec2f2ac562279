unit_tests += \
	%D%/t_pi
bench_programs += \
	%D%/bench_pi
