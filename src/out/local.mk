libgt_a_SOURCES += \
	%D%/matrix.h \
	%D%/npy.c \
	%D%/tsv.c
