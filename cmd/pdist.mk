bin_PROGRAMS += gt-pdist
gt_pdist_SOURCES = %D%/gt-pdist.c %D%/pdist_draw.h %D%/pdist_draw.c %D%/pdist_format.h %D%/pdist_format.c %D%/pdist_axis.h %D%/pdist_axis.c %D%/pdist_other.h %D%/pdist_other.c %D%/pdist_input.h %D%/pdist_input.c %D%/pdist_scale.h %D%/pdist_scale.c \
	%D%/pdist_numbers.h %D%/pdist_numbers.c %D%/pdist_subset.h %D%/pdist_subset.c
gt_pdist_SOURCES += %D%/pdist_unrelated.h %D%/pdist_unrelated.c
libcmd_a_SOURCES += %D%/report.h %D%/report.c
dist_man_MANS += man/gt-pdist.1
