check_PROGRAMS += %D%/t_base %D%/t_nd %D%/t_comm %D%/t_engine %D%/t_flow %D%/t_flow_memory %D%/t_trace %D%/t_nomem
test_t_base_SOURCES = %D%/t_base.c
test_t_base_LDADD = $(TEST_LIBS)
test_t_nd_SOURCES = %D%/t_nd.c
test_t_nd_LDADD = $(TEST_LIBS)
test_t_comm_SOURCES = %D%/t_comm.c %D%/ranks.h
test_t_comm_LDADD = $(TEST_LIBS)
test_t_engine_SOURCES = %D%/t_engine.c
test_t_engine_LDADD = $(TEST_LIBS)
test_t_flow_SOURCES = %D%/t_flow.c
test_t_flow_LDADD = $(TEST_LIBS)
test_t_flow_memory_SOURCES = %D%/t_flow_memory.c
test_t_flow_memory_LDADD = $(TEST_LIBS)
test_t_trace_SOURCES = %D%/t_trace.c
test_t_trace_LDADD = $(TEST_LIBS)
test_t_nomem_SOURCES = %D%/t_nomem.c
test_t_nomem_LDADD = $(TEST_LIBS)
# The allocator that t_nomem preloads into the commands.
EXTRA_DIST += %D%/nomem.c
check_DATA = %D%/nomem.so
CLEANFILES += %D%/nomem.so
%D%/nomem.so: $(srcdir)/%D%/nomem.c
	$(AM_V_CCLD)$(CC) -std=gnu11 -O1 -Wall -Wextra -fPIC -shared -o $@ $(srcdir)/%D%/nomem.c
TESTS += %D%/t_base %D%/t_nd %D%/t_comm %D%/t_engine %D%/t_flow %D%/t_flow_memory %D%/t_trace %D%/t_nomem
