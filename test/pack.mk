check_PROGRAMS += test/t_pack
test_t_pack_SOURCES = test/t_pack.c
test_t_pack_LDADD = $(TEST_LIBS)
TESTS += test/t_pack
EXTRA_DIST += test/vcz_oracle.py test/vcz_same.py test/unpack_same.py test/unpack_random.py test/unpack_bad.py test/pgen_write.py test/genotypes.bash
dist_check_SCRIPTS += test/vcz.bats
if HAVE_BATS
TESTS += test/vcz.bats
endif
EXTRA_DIST += test/pack_oracle.py test/plan_trials.sh scripts/bench-parts/pack.sh
dist_check_SCRIPTS += test/pack.bats test/pack_resume.bats test/memory.bats test/shares.bats test/files.bats test/edges.bats test/select.bats test/sex.bats test/elsewhere.bats test/concat.bats
if HAVE_BATS
TESTS += test/pack.bats test/pack_resume.bats test/memory.bats test/shares.bats test/files.bats test/edges.bats test/select.bats test/sex.bats test/elsewhere.bats test/concat.bats
endif

check_PROGRAMS += test/t_vcf_number
test_t_vcf_number_SOURCES = test/t_vcf_number.c
test_t_vcf_number_LDADD = $(TEST_LIBS)
TESTS += test/t_vcf_number
EXTRA_DIST += scripts/bench-parts/vcz.sh scripts/bench-parts/vcz_fields.py

check_PROGRAMS += test/t_vcz
test_t_vcz_SOURCES = test/t_vcz.c
test_t_vcz_LDADD = $(TEST_LIBS)
TESTS += test/t_vcz
EXTRA_DIST += scripts/bench-parts/unpack.sh
dist_check_SCRIPTS += test/unpack.bats
if HAVE_BATS
TESTS += test/unpack.bats
endif
