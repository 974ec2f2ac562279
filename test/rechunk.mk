check_PROGRAMS += %D%/t_rechunk_plan
%C%_t_rechunk_plan_SOURCES = %D%/t_rechunk_plan.c
%C%_t_rechunk_plan_LDADD = $(TEST_LIBS)
TESTS += %D%/t_rechunk_plan

check_PROGRAMS += %D%/t_rechunk
%C%_t_rechunk_SOURCES = %D%/t_rechunk.c
%C%_t_rechunk_LDADD = $(TEST_LIBS)
TESTS += %D%/t_rechunk
EXTRA_DIST += %D%/rechunk_oracle.py %D%/resume_kills.sh scripts/bench-parts/rechunk.sh
dist_check_SCRIPTS += %D%/rechunk.bats %D%/rechunk_stays.bats
if HAVE_BATS
TESTS += %D%/rechunk.bats %D%/rechunk_stays.bats
endif
