check_PROGRAMS += test/t_linalg
test_t_linalg_SOURCES = %D%/t_linalg.c
test_t_linalg_LDADD = $(TEST_LIBS)
TESTS += test/t_linalg

check_PROGRAMS += test/t_krylov
test_t_krylov_SOURCES = %D%/t_krylov.c
test_t_krylov_LDADD = $(TEST_LIBS)
TESTS += test/t_krylov

dist_check_SCRIPTS += test/svd.bats
if HAVE_BATS
TESTS += test/svd.bats
endif
