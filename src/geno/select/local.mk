libgt_a_SOURCES += \
	%D%/select_check.h \
	%D%/contig_list.c \
	%D%/contig_list.h \
	%D%/filter.c \
	%D%/filter.h \
	%D%/filter_apply.c \
	%D%/filter_internal.h \
	%D%/filter_samples.c \
	%D%/filter_table.c \
	%D%/filter_table.h \
	%D%/id_list.c \
	%D%/id_list.h \
	%D%/ld_prune.c \
	%D%/ld_prune.h \
	%D%/long_range.c \
	%D%/long_range.h \
	%D%/site_mask.c \
	%D%/site_mask.h \
	%D%/select_check.c \
	%D%/select_lists.c
