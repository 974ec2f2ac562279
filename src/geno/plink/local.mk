libgt_a_SOURCES += \
	%D%/plink_readers.h \
	%D%/bed_reader.c \
	%D%/eigenstrat_reader.c \
	%D%/fileset.c \
	%D%/fileset_alts.c \
	%D%/fileset.h \
	%D%/pgen_alts.c \
	%D%/pgen_alts.h \
	%D%/pgen_encode.c \
	%D%/pgen_encode.h \
	%D%/pgen_list.c \
	%D%/pgen_list.h \
	%D%/pgen_phase.c \
	%D%/pgen_phase.h \
	%D%/pgen_reader.c \
	%D%/pgen_record.c \
	%D%/pgen_record.h \
	%D%/pgen_tracks.c \
	%D%/pgen_tracks.h \
	%D%/plink.h \
	%D%/pvar_header.c \
	%D%/site_line.c \
	%D%/site_line.h \
	%D%/site_parts.c \
	%D%/site_scan.c \
	%D%/site_scan.h \
	%D%/site_table.c
