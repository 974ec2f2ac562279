libgt_a_SOURCES += \
	%D%/bed_writer.c \
	%D%/geno_writers.h \
	%D%/npy_writer.c \
	%D%/vcz_writer.c
