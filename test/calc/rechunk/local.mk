unit_tests += \
	%D%/t_rechunk \
	%D%/t_rechunk_plan
bench_programs += \
	%D%/bench_steps
