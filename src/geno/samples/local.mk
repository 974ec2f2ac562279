libgt_a_SOURCES += \
	%D%/fam.h \
	%D%/fam.c \
	%D%/groups.c \
	%D%/groups.h \
	%D%/pedigree.c \
	%D%/pedigree.h \
	%D%/psam_header.c \
	%D%/sample_list.c \
	%D%/sample_list.h \
	%D%/sex.c \
	%D%/sex.h \
	%D%/sex_count.c \
	%D%/sex_count.h
