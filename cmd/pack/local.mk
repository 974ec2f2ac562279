bin_PROGRAMS += gt-pack
gt_pack_SOURCES = \
	%D%/gt-pack.c
