bin_PROGRAMS += gt-pi
gt_pi_SOURCES = %D%/gt-pi.c %D%/pi_graph.h %D%/pi_graph.c
dist_man_MANS += man/gt-pi.1
