libgt_a_SOURCES += \
	%D%/bed.c \
	%D%/block.c \
	%D%/block.h \
	%D%/filter.c \
	%D%/filter.h \
	%D%/lines.c \
	%D%/lines.h \
	%D%/plink.c \
	%D%/plink.h \
	%D%/reader.c \
	%D%/reader.h \
	%D%/regions.c \
	%D%/regions.h \
	%D%/samples.c \
	%D%/samples.h \
	%D%/select.h \
	%D%/slice.c \
	%D%/slice.h \
	%D%/source.c \
	%D%/source.h \
	%D%/source_impl.h \
	%D%/source_open.c \
	%D%/spool.c \
	%D%/spool.h
