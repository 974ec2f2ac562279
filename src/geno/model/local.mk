libgt_a_SOURCES += \
	%D%/block.c \
	%D%/block.h \
	%D%/contigs.c \
	%D%/contigs.h \
	%D%/dosage.c \
	%D%/dosage.h \
	%D%/field_decls.c \
	%D%/field_decls.h \
	%D%/geno_arrays.c \
	%D%/geno_arrays.h \
	%D%/geno_sink.h \
	%D%/hwe.c \
	%D%/hwe.h \
	%D%/hwe_x.c \
	%D%/packed.c \
	%D%/packed.h \
	%D%/reader.c \
	%D%/reader.h \
	%D%/record_columns.h \
	%D%/regions.c \
	%D%/regions.h \
	%D%/select_opts.h \
	%D%/site_check.c \
	%D%/site_check.h \
	%D%/vcf_number.c \
	%D%/vcf_number.h
