check_PROGRAMS += test/t_accumulator
test_t_accumulator_SOURCES = %D%/t_accumulator.c %D%/acc_oracle.h %D%/guard.h %D%/ranks.h
test_t_accumulator_LDADD = $(TEST_LIBS)
TESTS += test/t_accumulator

check_PROGRAMS += test/t_acc_float
test_t_acc_float_SOURCES = %D%/t_acc_float.c %D%/guard.h %D%/ranks.h
test_t_acc_float_LDADD = $(TEST_LIBS)
TESTS += test/t_acc_float

check_PROGRAMS += test/t_tiles
test_t_tiles_SOURCES = %D%/t_tiles.c
test_t_tiles_LDADD = $(TEST_LIBS)
TESTS += test/t_tiles

check_PROGRAMS += test/metric_list
test_metric_list_SOURCES = %D%/metric_list.c
test_metric_list_LDADD = $(TEST_LIBS)
EXTRA_DIST += test/pdist.bash scripts/man-metrics test/pdist_arrays.py test/pdist_trees.py

dist_check_SCRIPTS += test/pdist.bats test/pdist_scale.bats test/pdist_arrays.bats test/pdist_files.bats test/pdist_related.bats
if HAVE_BATS
TESTS += test/pdist.bats test/pdist_scale.bats test/pdist_arrays.bats test/pdist_files.bats test/pdist_related.bats
endif
EXTRA_DIST += scripts/bench-parts/pdist.sh scripts/bench-parts/pdist_arrays.sh

check_PROGRAMS += test/t_cluster
test_t_cluster_SOURCES = %D%/t_cluster.c
test_t_cluster_LDADD = $(TEST_LIBS)
TESTS += test/t_cluster

check_PROGRAMS += test/t_svg
test_t_svg_SOURCES = %D%/t_svg.c
test_t_svg_LDADD = $(TEST_LIBS)
TESTS += test/t_svg

check_PROGRAMS += test/t_decimal
test_t_decimal_SOURCES = %D%/t_decimal.c
test_t_decimal_LDADD = $(TEST_LIBS)
TESTS += test/t_decimal

dist_check_SCRIPTS += test/pdist_missing.bats
if HAVE_BATS
TESTS += test/pdist_missing.bats
endif

dist_check_SCRIPTS += test/pdist_plink.bats
if HAVE_BATS
TESTS += test/pdist_plink.bats
endif

dist_check_SCRIPTS += test/pdist_variants.bats test/pdist_other.bats test/pdist_haplotypes.bats
if HAVE_BATS
TESTS += test/pdist_variants.bats test/pdist_other.bats test/pdist_haplotypes.bats
endif
