check_PROGRAMS += test/t_stats
test_t_stats_SOURCES = %D%/t_stats.c
test_t_stats_LDADD = $(TEST_LIBS) -lm
TESTS += test/t_stats

dist_check_SCRIPTS += test/stats.bats
if HAVE_BATS
TESTS += test/stats.bats
endif
