check_PROGRAMS += test/t_sim
test_t_sim_SOURCES = test/t_sim.c
test_t_sim_LDADD = $(TEST_LIBS)
TESTS += test/t_sim
dist_check_SCRIPTS += test/sim.bats
if HAVE_BATS
TESTS += test/sim.bats
endif
