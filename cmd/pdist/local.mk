bin_PROGRAMS += gt-pdist
gt_pdist_SOURCES = \
	%D%/gt-pdist.c \
	%D%/pdist_axis.c \
	%D%/pdist_axis.h \
	%D%/pdist_column_file.c \
	%D%/pdist_column_file.h \
	%D%/pdist_draw.c \
	%D%/pdist_draw.h \
	%D%/pdist_format.c \
	%D%/pdist_format.h \
	%D%/pdist_input.c \
	%D%/pdist_input.h \
	%D%/pdist_part.c \
	%D%/pdist_part.h \
	%D%/pdist_subset.c \
	%D%/pdist_subset.h \
	%D%/pdist_task.c \
	%D%/pdist_task.h \
	%D%/pdist_two_inputs.c \
	%D%/pdist_two_inputs.h \
	%D%/pdist_unrelated.c \
	%D%/pdist_unrelated.h
