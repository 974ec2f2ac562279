bin_PROGRAMS += gt-rechunk
gt_rechunk_SOURCES = %D%/gt-rechunk.c %D%/rechunk_plan.c %D%/rechunk_plan.h
dist_man_MANS += man/gt-rechunk.1
