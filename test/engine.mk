check_PROGRAMS += %D%/t_base
test_t_base_SOURCES = %D%/t_base.c
test_t_base_LDADD = $(TEST_LIBS)
TESTS += %D%/t_base
