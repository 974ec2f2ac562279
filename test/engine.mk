check_PROGRAMS += %D%/t_base %D%/t_engine %D%/t_flow
test_t_base_SOURCES = %D%/t_base.c
test_t_base_LDADD = $(TEST_LIBS)
test_t_engine_SOURCES = %D%/t_engine.c
test_t_engine_LDADD = $(TEST_LIBS)
test_t_flow_SOURCES = %D%/t_flow.c
test_t_flow_LDADD = $(TEST_LIBS)
TESTS += %D%/t_base %D%/t_engine %D%/t_flow
