unit_tests += \
	%D%/t_bits8 \
	%D%/t_calls \
	%D%/t_cast \
	%D%/t_float \
	%D%/t_levels \
	%D%/t_delims \
	%D%/t_pair \
	%D%/t_rows \
	%D%/t_scan \
	%D%/t_sketch \
	%D%/t_text \
	%D%/t_transpose \
	%D%/t_weigh
bench_programs += \
	%D%/bench_calls \
	%D%/bench_pair \
	%D%/bench_rows \
	%D%/bench_sketch \
	%D%/bench_transpose
%C%_t_pair_SOURCES = %D%/t_pair.c test/support/amx_trap.c
%C%_t_sketch_SOURCES = %D%/t_sketch.c test/support/amx_trap.c
