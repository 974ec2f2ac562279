libgt_a_SOURCES += \
	%D%/cluster.c \
	%D%/cluster.h \
	%D%/neighbour_joining.c \
	%D%/unrelated.c \
	%D%/unrelated.h
