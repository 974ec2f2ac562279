check_PROGRAMS += test/t_codec
test_t_codec_SOURCES = test/t_codec.c
test_t_codec_LDADD = $(TEST_LIBS)
TESTS += test/t_codec

check_PROGRAMS += test/t_blosc
test_t_blosc_SOURCES = test/t_blosc.c test/guard.h
test_t_blosc_LDADD = $(TEST_LIBS)
TESTS += test/t_blosc

check_PROGRAMS += test/t_chain
test_t_chain_SOURCES = test/t_chain.c test/chain_bufs.h
test_t_chain_LDADD = $(TEST_LIBS)
TESTS += test/t_chain

check_PROGRAMS += test/t_types
test_t_types_SOURCES = test/t_types.c test/chain_bufs.h
test_t_types_LDADD = $(TEST_LIBS)
TESTS += test/t_types

check_PROGRAMS += test/t_store
test_t_store_SOURCES = test/t_store.c
test_t_store_LDADD = $(TEST_LIBS)
TESTS += test/t_store

check_PROGRAMS += test/t_ranges
test_t_ranges_SOURCES = test/t_ranges.c
test_t_ranges_LDADD = $(TEST_LIBS)
TESTS += test/t_ranges

check_PROGRAMS += test/t_input
test_t_input_SOURCES = test/t_input.c
test_t_input_LDADD = $(TEST_LIBS)
TESTS += test/t_input
noinst_HEADERS += test/scratch.h

check_PROGRAMS += test/t_tar
test_t_tar_SOURCES = test/t_tar.c
test_t_tar_LDADD = $(TEST_LIBS)
TESTS += test/t_tar

noinst_HEADERS += test/fuzz/fuzz.h test/fuzz/memfile.h
check_PROGRAMS += test/fuzz/fuzz_codec test/fuzz/fuzz_zip test/fuzz/fuzz_tar test/fuzz/fuzz_meta
test_fuzz_fuzz_meta_SOURCES = test/fuzz/fuzz_meta.c test/fuzz/drive.c
test_fuzz_fuzz_meta_LDADD = $(TEST_LIBS)
test_fuzz_fuzz_codec_SOURCES = test/fuzz/fuzz_codec.c test/fuzz/drive.c
test_fuzz_fuzz_codec_LDADD = $(TEST_LIBS)
test_fuzz_fuzz_zip_SOURCES = test/fuzz/fuzz_zip.c test/fuzz/drive.c
test_fuzz_fuzz_zip_LDADD = $(TEST_LIBS)
test_fuzz_fuzz_tar_SOURCES = test/fuzz/fuzz_tar.c test/fuzz/drive.c
test_fuzz_fuzz_tar_LDADD = $(TEST_LIBS)
TESTS += test/fuzz/fuzz_codec test/fuzz/fuzz_zip test/fuzz/fuzz_tar test/fuzz/fuzz_meta

check_PROGRAMS += test/t_interop
test_t_interop_SOURCES = test/t_interop.c
test_t_interop_LDADD = $(TEST_LIBS)
TESTS += test/t_interop

# It measures; it does not judge.
check_PROGRAMS += test/bench_codec
test_bench_codec_SOURCES = test/bench_codec.c
test_bench_codec_LDADD = $(TEST_LIBS)
