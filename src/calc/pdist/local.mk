libgt_a_SOURCES += \
	%D%/array_moments.c \
	%D%/row_source.h \
	%D%/row_source_codes.c \
	%D%/row_source_counts.c \
	%D%/row_source_geno.c \
	%D%/row_source_join.c \
	%D%/row_source_matrix.c \
	%D%/row_source_subset.c \
	%D%/row_source_transposed.c \
	%D%/row_source_transposed.h \
	%D%/row_source_variants.c \
	%D%/mahalanobis.c \
	%D%/mahalanobis.h \
	%D%/mahalanobis_factor.c \
	%D%/mahalanobis_internal.h \
	%D%/mahalanobis_qr.c \
	%D%/metric.c \
	%D%/metric.h \
	%D%/metric_table.c \
	%D%/metric_table.h \
	%D%/pdist.c \
	%D%/pdist.h \
	%D%/pdist_internal.h \
	%D%/pdist_mean.c \
	%D%/pdist_passes.c \
	%D%/pdist_plan.c \
	%D%/pdist_planes.c
