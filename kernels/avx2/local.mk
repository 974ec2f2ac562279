libkern_avx2_a_SOURCES = \
	%D%/bits.c \
	%D%/bits8.c \
	%D%/calls.c \
	%D%/cast.c \
	%D%/crc32c.c \
	%D%/float.c \
	%D%/delims.c \
	%D%/narrow.c \
	%D%/pair.c \
	%D%/pi.c \
	%D%/rows.c \
	%D%/scan.c \
	%D%/scan_first.c \
	%D%/sim.c \
	%D%/sketch.c \
	%D%/sketch_lists.c \
	%D%/text.c \
	%D%/transpose.c \
	%D%/weigh.c \
	%D%/small_int.c
