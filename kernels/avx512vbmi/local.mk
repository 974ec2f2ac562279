libkern_avx512vbmi_a_SOURCES = \
	%D%/bits.c \
	%D%/pair.c \
	%D%/rows.c \
	%D%/sketch.c \
	%D%/weigh.c \
	%D%/small_int.c
