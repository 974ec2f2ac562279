libgt_a_SOURCES += \
	%D%/bed_writer.c \
	%D%/geno_writers.h \
	%D%/npy_writer.c \
	%D%/pgen_file.c \
	%D%/pgen_file.h \
	%D%/pgen_writer.c \
	%D%/plink_files.c \
	%D%/plink_files.h \
	%D%/vcz_writer.c
