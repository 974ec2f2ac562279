check_PROGRAMS += test/t_linalg
test_t_linalg_SOURCES = %D%/t_linalg.c
test_t_linalg_LDADD = $(TEST_LIBS)
TESTS += test/t_linalg
