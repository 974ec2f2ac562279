libkern_avx512amx_a_SOURCES = \
	%D%/pair.c \
	%D%/sketch.c
