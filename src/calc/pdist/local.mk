libgt_a_SOURCES += \
	%D%/array_moments.c \
	%D%/feed.h \
	%D%/feed_counts.c \
	%D%/feed_geno.c \
	%D%/feed_join.c \
	%D%/feed_matrix.c \
	%D%/feed_subset.c \
	%D%/feed_transposed.c \
	%D%/feed_transposed.h \
	%D%/feed_variants.c \
	%D%/mahalanobis.c \
	%D%/mahalanobis.h \
	%D%/mahalanobis_factor.c \
	%D%/mahalanobis_internal.h \
	%D%/metric.c \
	%D%/metric.h \
	%D%/pdist.c \
	%D%/pdist.h \
	%D%/pdist_internal.h \
	%D%/pdist_mean.c \
	%D%/pdist_passes.c \
	%D%/pdist_plan.c \
	%D%/pdist_planes.c
