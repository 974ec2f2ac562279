libgt_a_SOURCES += \
	%D%/counts_writer.c \
	%D%/heatmap.c \
	%D%/matrix_binary.c \
	%D%/matrix_text.c \
	%D%/matrix_zarr.c \
	%D%/nearest.c \
	%D%/newick.c \
	%D%/pair_list.c \
	%D%/pair_list_selected.c \
	%D%/pair_writers.c \
	%D%/pair_writers.h \
	%D%/pair_writers_internal.h \
	%D%/tree_and_heatmap.c \
	%D%/tree_and_heatmap.h \
	%D%/tree_and_heatmap_internal.h \
	%D%/unrelated_lists.c
