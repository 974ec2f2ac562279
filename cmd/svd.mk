bin_PROGRAMS += gt-svd
gt_svd_SOURCES = %D%/gt-svd.c %D%/svd_array.c %D%/svd_array.h
dist_man_MANS += man/gt-svd.1
