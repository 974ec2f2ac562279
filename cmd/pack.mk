bin_PROGRAMS += gt-pack
gt_pack_SOURCES = %D%/gt-pack.c
dist_man_MANS += man/gt-pack.1
