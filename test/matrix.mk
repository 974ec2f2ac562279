check_PROGRAMS += %D%/t_matrix
test_t_matrix_SOURCES = %D%/t_matrix.c
test_t_matrix_LDADD = $(TEST_LIBS)
TESTS += %D%/t_matrix
check_PROGRAMS += %D%/fuzz/fuzz_npy
test_fuzz_fuzz_npy_SOURCES = %D%/fuzz/fuzz_npy.c %D%/fuzz/drive.c
test_fuzz_fuzz_npy_LDADD = $(TEST_LIBS)
TESTS += %D%/fuzz/fuzz_npy

check_PROGRAMS += %D%/fuzz/fuzz_counts
test_fuzz_fuzz_counts_SOURCES = %D%/fuzz/fuzz_counts.c %D%/fuzz/drive.c
test_fuzz_fuzz_counts_LDADD = $(TEST_LIBS)
TESTS += %D%/fuzz/fuzz_counts
