check_PROGRAMS += %D%/t_kernels_select %D%/t_kernels_pair
%C%_t_kernels_select_SOURCES = %D%/t_kernels_select.c
%C%_t_kernels_select_LDADD = $(KERNELS)
%C%_t_kernels_pair_SOURCES = %D%/t_kernels_pair.c %D%/guard.h
%C%_t_kernels_pair_LDADD = $(KERNELS)
TESTS += %D%/t_kernels_select %D%/t_kernels_pair

# Measures, does not judge.
check_PROGRAMS += %D%/bench_pair
%C%_bench_pair_SOURCES = %D%/bench_pair.c
%C%_bench_pair_LDADD = $(KERNELS)
