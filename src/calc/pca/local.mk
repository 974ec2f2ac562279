libgt_a_SOURCES += \
	%D%/pca.c \
	%D%/pca.h \
	%D%/pca_block.c \
	%D%/pca_block.h \
	%D%/pca_gram.c \
	%D%/pca_internal.h \
	%D%/pca_loadings.c \
	%D%/pca_loadings_table.c \
	%D%/pca_loadings_table.h \
	%D%/pca_model.c \
	%D%/pca_model_gather.c \
	%D%/pca_model.h \
	%D%/pca_nystrom.c \
	%D%/pca_pass.c \
	%D%/pca_ranks.c \
	%D%/pca_ranks.h \
	%D%/pca_plot.c \
	%D%/pca_plot.h \
	%D%/pca_project.c \
	%D%/pca_project.h \
	%D%/pca_site.c \
	%D%/pca_store.c \
	%D%/pca_store.h \
	%D%/pca_table.c \
	%D%/pca_table.h \
	%D%/variant_match.c \
	%D%/variant_match.h
