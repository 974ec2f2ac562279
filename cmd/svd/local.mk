bin_PROGRAMS += gt-svd
gt_svd_SOURCES = \
	%D%/gt-svd.c \
	%D%/svd_array.c \
	%D%/svd_array.h \
	%D%/svd_array_report.c \
	%D%/svd_geno.c \
	%D%/svd_geno.h \
	%D%/svd_names.c \
	%D%/svd_names.h \
	%D%/svd_project.c \
	%D%/svd_report.c
