check_PROGRAMS += test/t_codec
test_t_codec_SOURCES = test/t_codec.c
test_t_codec_LDADD = $(TEST_LIBS)
TESTS += test/t_codec
