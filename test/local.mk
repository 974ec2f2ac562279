# unit_tests: programs that speak TAP (test/support/tap.h); suites: bats files; bench_programs measure and do not judge.
# Each room lists its own.  Both kinds of test are read by automake's TAP driver.
TEST_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TEST_LOG_DRIVER)
# Seconds that a program or a suite may take: one that hangs fails, and its stacks are printed.
TEST_LIMIT = 900
LOG_COMPILER = $(top_srcdir)/%D%/support/limit $(TEST_LIMIT)
TEST_EXTENSIONS = .bats
BATS_LOG_DRIVER = $(TEST_LOG_DRIVER)
BATS_LOG_COMPILER = $(top_srcdir)/%D%/support/limit $(TEST_LIMIT) $(BATS) --tap
AM_TESTS_ENVIRONMENT = \
	GT_BUILD='$(abs_top_builddir)'; export GT_BUILD; \
	GT_SOURCE='$(abs_top_srcdir)'; export GT_SOURCE; \
	: "$${GT_TEST_DATA:=@GT_TEST_DATA@}"; \
	case "$${GT_TEST_DATA:=$(abs_top_srcdir)/../shared/data}" in /*) ;; *) GT_TEST_DATA='$(abs_top_builddir)'/$$GT_TEST_DATA;; esac; \
	export GT_TEST_DATA; \
	PATH='$(abs_top_builddir)':$$PATH; export PATH; \
	PYTHON='$(PYTHON)'; export PYTHON;
unit_tests =
suites =
bench_programs =
fuzz_programs =
test_tools =
check_DATA =
check_PROGRAMS = $(unit_tests) $(fuzz_programs) $(bench_programs) $(test_tools)
dist_check_SCRIPTS = $(suites)
TESTS = $(unit_tests) $(fuzz_programs) %D%/layers
EXTRA_DIST += %D%/layers
if HAVE_BATS
TESTS += $(suites)
endif
# What the suites of commands run: scripts/test builds no more for them.
.PHONY: test-commands
test-commands: $(bin_PROGRAMS) $(test_tools) $(check_DATA) $(module_DATA)
