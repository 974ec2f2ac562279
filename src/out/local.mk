libgt_a_SOURCES += \
	%D%/decimal.h \
	%D%/decimal.c \
	%D%/ids.h \
	%D%/ids.c \
	%D%/bed.c \
	%D%/binary.c \
	%D%/bgzf.c \
	%D%/bgzf.h \
	%D%/calls.h \
	%D%/counts.c \
	%D%/list.c \
	%D%/listed.c \
	%D%/nearest.c \
	%D%/pairs.c \
	%D%/pairs.h \
	%D%/pairs_impl.h \
	%D%/pairs_zarr.c \
	%D%/table.c \
	%D%/text.c \
	%D%/text.h \
	%D%/truth.c \
	%D%/truth.h \
	%D%/vcf.c \
	%D%/vcz.c
