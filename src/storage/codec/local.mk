libgt_a_SOURCES += \
	%D%/blosc.c \
	%D%/blosc_decode.c \
	%D%/blosc_encode.c \
	%D%/blosc_frame.h \
	%D%/blosc_impl.h \
	%D%/blosc_shuffle.c \
	%D%/bytes.c \
	%D%/bz2.c \
	%D%/cast_codec.c \
	%D%/chain.c \
	%D%/chain_impl.h \
	%D%/chain_parse.c \
	%D%/checksum.c \
	%D%/codec.h \
	%D%/conf.c \
	%D%/deflate.c \
	%D%/delta.c \
	%D%/dtype.c \
	%D%/dtype.h \
	%D%/lz4.c \
	%D%/number.c \
	%D%/number.h \
	%D%/packbits.c \
	%D%/quick.c \
	%D%/quick.h \
	%D%/registry.c \
	%D%/scale.c \
	%D%/shard.c \
	%D%/shard.h \
	%D%/shuffle.c \
	%D%/spec.c \
	%D%/step.h \
	%D%/thread.c \
	%D%/transpose.c \
	%D%/vlen.c \
	%D%/vlen.h \
	%D%/zstd.c
if LZMA
libgt_a_SOURCES += %D%/lzma.c
endif
