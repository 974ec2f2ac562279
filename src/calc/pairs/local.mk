libgt_a_SOURCES += \
	%D%/acc_float.c \
	%D%/acc_float.h \
	%D%/acc_float_add.c \
	%D%/acc_geno.c \
	%D%/acc_geno.h \
	%D%/acc_geno_add.c \
	%D%/acc_geno_tile.c \
	%D%/acc_merge.c \
	%D%/acc_weighted.c \
	%D%/acc_weighted.h \
	%D%/acc_weighted_block.c \
	%D%/accumulator.h \
	%D%/counts_file.c \
	%D%/counts_file.h \
	%D%/dense_square.c \
	%D%/dense_square.h \
	%D%/pair_count.c \
	%D%/pair_count.h \
	%D%/pair_sink.h \
	%D%/site_weights.c \
	%D%/site_weights.h \
	%D%/tile_writer.c \
	%D%/tile_writer.h \
	%D%/tiling.c \
	%D%/tiling.h \
	%D%/variant_ranges.c \
	%D%/variant_ranges.h
