libkern_avx512_a_SOURCES = \
	%D%/bits.c \
	%D%/bits8.c \
	%D%/calls.c \
	%D%/cast.c \
	%D%/doubles512.h \
	%D%/float.c \
	%D%/lanes512.h \
	%D%/delims.c \
	%D%/narrow.c \
	%D%/pair.c \
	%D%/pi.c \
	%D%/planes.h \
	%D%/planes_tile.h \
	%D%/rows.c \
	%D%/scan.c \
	%D%/scan_first.c \
	%D%/sim.c \
	%D%/sketch512.h \
	%D%/text.c \
	%D%/transpose.c \
	%D%/turn512.h \
	%D%/turn_codes.c \
	%D%/weigh.c \
	%D%/weigh_planes.h \
	%D%/small_int.c \
	%D%/small_int512.h
