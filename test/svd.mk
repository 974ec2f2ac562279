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

check_PROGRAMS += test/t_qr
test_t_qr_SOURCES = %D%/t_qr.c
test_t_qr_LDADD = $(TEST_LIBS)
TESTS += test/t_qr

dist_check_SCRIPTS += test/svd_model.bats
if HAVE_BATS
TESTS += test/svd_model.bats
endif

EXTRA_DIST += test/svd_arrays.py
dist_check_SCRIPTS += test/svd_arrays.bats
if HAVE_BATS
TESTS += test/svd_arrays.bats
endif
