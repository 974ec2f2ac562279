bin_PROGRAMS += gt-pdist
gt_pdist_SOURCES = %D%/gt-pdist.c
libcmd_a_SOURCES += %D%/report.h %D%/report.c
dist_man_MANS += man/gt-pdist.1
