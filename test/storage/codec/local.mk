unit_tests += \
	%D%/t_blosc \
	%D%/t_chain \
	%D%/t_codec \
	%D%/t_quick \
	%D%/t_types
bench_programs += \
	%D%/bench_codec
