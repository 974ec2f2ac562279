bin_PROGRAMS += gt-unpack
gt_unpack_SOURCES = %D%/gt-unpack.c
dist_man_MANS += man/gt-unpack.1
