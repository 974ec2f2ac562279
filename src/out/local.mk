libgt_a_SOURCES += \
	%D%/decimal.h \
	%D%/decimal.c \
	%D%/ids.h \
	%D%/ids.c \
	%D%/bed.c \
	%D%/bgzf.c \
	%D%/bgzf.h \
	%D%/calls.h \
	%D%/matrix.h \
	%D%/npy.c \
	%D%/text.c \
	%D%/text.h \
	%D%/truth.c \
	%D%/truth.h \
	%D%/tsv.c \
	%D%/vcf.c \
	%D%/vcz.c
