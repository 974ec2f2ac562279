bin_PROGRAMS += gt-unpack
gt_unpack_SOURCES = \
	%D%/gt-unpack.c
