check_PROGRAMS += test/t_pairs
test_t_pairs_SOURCES = %D%/t_pairs.c
test_t_pairs_LDADD = $(TEST_LIBS)
TESTS += test/t_pairs

dist_check_SCRIPTS += test/pdist.bats
if HAVE_BATS
TESTS += test/pdist.bats
endif
EXTRA_DIST += scripts/bench-parts/pdist.sh

check_PROGRAMS += test/t_decimal
test_t_decimal_SOURCES = %D%/t_decimal.c
test_t_decimal_LDADD = $(TEST_LIBS)
TESTS += test/t_decimal
