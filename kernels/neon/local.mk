libkern_neon_a_SOURCES = \
	%D%/bits.c \
	%D%/bits8.c \
	%D%/calls.c \
	%D%/pack_codes.h \
	%D%/pair.c \
	%D%/rows.c \
	%D%/scan.c \
	%D%/sketch.c \
	%D%/sketch_lists.c \
	%D%/sketch_rows.h \
	%D%/transpose.c \
	%D%/turn_bits.h \
	%D%/weigh.c
