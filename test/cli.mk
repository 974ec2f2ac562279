# test/sample is a command with an option of every kind, for test/cli.bats.
check_PROGRAMS += test/sample
test_sample_SOURCES = %D%/sample.c
test_sample_LDADD = libcmd.a $(LIBGT) $(GT_LIBS)
dist_check_SCRIPTS += %D%/cli.bats %D%/man.bats %D%/outputs.bats %D%/races.bats %D%/scripts.bats
if HAVE_BATS
TESTS += %D%/cli.bats %D%/man.bats %D%/outputs.bats %D%/races.bats %D%/scripts.bats
endif
