check_PROGRAMS += %D%/t_pi
test_t_pi_SOURCES = %D%/t_pi.c %D%/ranks.h
test_t_pi_LDADD = $(TEST_LIBS)
TESTS += %D%/t_pi

# The bare kernel loop; measures, does not judge.
check_PROGRAMS += %D%/bench_pi
test_bench_pi_SOURCES = %D%/bench_pi.c
test_bench_pi_LDADD = $(KERNELS)

dist_check_SCRIPTS += %D%/pi.bats
if HAVE_BATS
TESTS += %D%/pi.bats
endif
EXTRA_DIST += scripts/bench-parts/pi.sh
