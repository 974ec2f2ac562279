check_PROGRAMS += test/t_codec
test_t_codec_SOURCES = test/t_codec.c
test_t_codec_LDADD = $(TEST_LIBS)
TESTS += test/t_codec

check_PROGRAMS += test/t_store
test_t_store_SOURCES = test/t_store.c
test_t_store_LDADD = $(TEST_LIBS)
TESTS += test/t_store

check_PROGRAMS += test/t_input
test_t_input_SOURCES = test/t_input.c
test_t_input_LDADD = $(TEST_LIBS)
TESTS += test/t_input
noinst_HEADERS += test/scratch.h

check_PROGRAMS += test/t_tar
test_t_tar_SOURCES = test/t_tar.c
test_t_tar_LDADD = $(TEST_LIBS)
TESTS += test/t_tar
