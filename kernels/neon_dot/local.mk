libkern_neon_dot_a_SOURCES = \
	%D%/sketch.c
