libgt_a_SOURCES += \
	%D%/code_counts.c \
	%D%/code_counts.h \
	%D%/stats.c \
	%D%/stats.h \
	%D%/stats_internal.h \
	%D%/stats_samples.c
