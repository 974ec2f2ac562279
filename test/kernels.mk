check_PROGRAMS += %D%/t_kernels_select %D%/t_kernels_pair %D%/t_kernels_weigh %D%/t_kernels_rows %D%/t_kernels_calls %D%/t_kernels_scan
%C%_t_kernels_select_SOURCES = %D%/t_kernels_select.c
%C%_t_kernels_select_LDADD = $(KERNELS)
%C%_t_kernels_pair_SOURCES = %D%/t_kernels_pair.c %D%/amx_trap.c %D%/amx_trap.h %D%/guard.h
%C%_t_kernels_pair_LDADD = $(KERNELS)
%C%_t_kernels_weigh_SOURCES = %D%/t_kernels_weigh.c %D%/guard.h
%C%_t_kernels_weigh_LDADD = $(KERNELS)
%C%_t_kernels_rows_SOURCES = %D%/t_kernels_rows.c %D%/guard.h
%C%_t_kernels_rows_LDADD = $(KERNELS)
%C%_t_kernels_calls_SOURCES = %D%/t_kernels_calls.c %D%/guard.h
%C%_t_kernels_calls_LDADD = $(KERNELS)
%C%_t_kernels_scan_SOURCES = %D%/t_kernels_scan.c %D%/guard.h
%C%_t_kernels_scan_LDADD = $(KERNELS)
TESTS += %D%/t_kernels_select %D%/t_kernels_pair %D%/t_kernels_weigh %D%/t_kernels_rows %D%/t_kernels_calls %D%/t_kernels_scan

check_PROGRAMS += %D%/t_kernels_float
%C%_t_kernels_float_SOURCES = %D%/t_kernels_float.c %D%/guard.h
%C%_t_kernels_float_LDADD = $(KERNELS) -lm
TESTS += %D%/t_kernels_float

check_PROGRAMS += %D%/t_kernels_sketch
%C%_t_kernels_sketch_SOURCES = %D%/t_kernels_sketch.c %D%/amx_trap.c %D%/amx_trap.h %D%/guard.h
%C%_t_kernels_sketch_LDADD = $(KERNELS)
TESTS += %D%/t_kernels_sketch

check_PROGRAMS += %D%/t_kernels_marks
%C%_t_kernels_marks_SOURCES = %D%/t_kernels_marks.c %D%/guard.h
%C%_t_kernels_marks_LDADD = $(KERNELS)
TESTS += %D%/t_kernels_marks

check_PROGRAMS += %D%/t_kernels_transpose
%C%_t_kernels_transpose_SOURCES = %D%/t_kernels_transpose.c %D%/guard.h
%C%_t_kernels_transpose_LDADD = $(KERNELS)
TESTS += %D%/t_kernels_transpose

check_PROGRAMS += %D%/t_kernels_bits8
%C%_t_kernels_bits8_SOURCES = %D%/t_kernels_bits8.c %D%/guard.h
%C%_t_kernels_bits8_LDADD = $(KERNELS)
TESTS += %D%/t_kernels_bits8

check_PROGRAMS += %D%/t_kernels_cast
%C%_t_kernels_cast_SOURCES = %D%/t_kernels_cast.c %D%/guard.h
%C%_t_kernels_cast_LDADD = $(KERNELS) -lm
TESTS += %D%/t_kernels_cast

# They measure; they do not judge.
check_PROGRAMS += %D%/bench_pair %D%/bench_rows %D%/bench_calls %D%/bench_sketch %D%/bench_transpose
%C%_bench_pair_SOURCES = %D%/bench_pair.c
%C%_bench_pair_LDADD = $(KERNELS)
%C%_bench_rows_SOURCES = %D%/bench_rows.c
%C%_bench_rows_LDADD = $(KERNELS)
%C%_bench_calls_SOURCES = %D%/bench_calls.c
%C%_bench_calls_LDADD = $(KERNELS)
%C%_bench_sketch_SOURCES = %D%/bench_sketch.c
%C%_bench_sketch_LDADD = $(KERNELS)
%C%_bench_transpose_SOURCES = %D%/bench_transpose.c
%C%_bench_transpose_LDADD = $(KERNELS)

check_PROGRAMS += %D%/t_kernels_text
%C%_t_kernels_text_SOURCES = %D%/t_kernels_text.c %D%/guard.h
%C%_t_kernels_text_LDADD = $(KERNELS)
TESTS += %D%/t_kernels_text
