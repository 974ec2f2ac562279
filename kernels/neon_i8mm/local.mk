libkern_neon_i8mm_a_SOURCES = \
	%D%/pair.c \
	%D%/sketch.c
