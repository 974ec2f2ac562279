libgt_a_SOURCES += \
	%D%/blosc.c \
	%D%/bytes.c \
	%D%/chain.c \
	%D%/codec.h \
	%D%/conf.c \
	%D%/crc32c.c \
	%D%/deflate.c \
	%D%/lz4.c \
	%D%/registry.c \
	%D%/spec.c \
	%D%/step.h \
	%D%/thread.c \
	%D%/vlen.c \
	%D%/vlen.h \
	%D%/zstd.c
