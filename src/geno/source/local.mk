libgt_a_SOURCES += \
	%D%/block_compact.c \
	%D%/join_internal.h \
	%D%/join_samples.c \
	%D%/join_samples.h \
	%D%/join_sites.c \
	%D%/row_spool.c \
	%D%/row_spool.h \
	%D%/site_compare.c \
	%D%/site_compare.h \
	%D%/source.c \
	%D%/source.h \
	%D%/source_chain.c \
	%D%/source_concat_samples.c \
	%D%/source_count.c \
	%D%/source_filters.c \
	%D%/source_info.c \
	%D%/source_internal.h \
	%D%/source_open.c \
	%D%/source_sexes.c \
	%D%/source_tables.c \
	%D%/stage_concat.c \
	%D%/stage_count.c \
	%D%/stage_dedup.c \
	%D%/stage_ld_prune.c \
	%D%/stage_order.c \
	%D%/stage_reblock.c \
	%D%/stage_segment.c
