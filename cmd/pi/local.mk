bin_PROGRAMS += gt-pi
gt_pi_SOURCES = \
	%D%/gt-pi.c
