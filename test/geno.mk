noinst_HEADERS += %D%/geno_test.h
check_PROGRAMS += %D%/t_geno_vcf
test_t_geno_vcf_SOURCES = %D%/t_geno_vcf.c %D%/no_stores.c
test_t_geno_vcf_LDADD = $(TEST_LIBS)
TESTS += %D%/t_geno_vcf
