bin_PROGRAMS += gt-info
gt_info_SOURCES = \
	%D%/gt-info.c \
	%D%/info.h \
	%D%/info_check.c \
	%D%/info_check_file.c \
	%D%/info_head.c \
	%D%/info_head_items.c \
	%D%/info_json.c \
	%D%/info_list.c \
	%D%/info_npy.c \
	%D%/info_plot.c \
	%D%/info_plot.h \
	%D%/info_plot_draw.c \
	%D%/info_reports.c \
	%D%/info_reports.h \
	%D%/info_row.c \
	%D%/info_row.h \
	%D%/info_stats.c \
	%D%/info_store.c
