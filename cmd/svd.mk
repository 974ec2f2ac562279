bin_PROGRAMS += gt-svd
gt_svd_SOURCES = %D%/gt-svd.c
dist_man_MANS += man/gt-svd.1
