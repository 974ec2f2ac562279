bin_PROGRAMS += gt-rechunk
gt_rechunk_SOURCES = \
	%D%/gt-rechunk.c \
	%D%/rechunk_dry_run.c \
	%D%/rechunk_dry_run.h
