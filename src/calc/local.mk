libgt_a_SOURCES += \
	%D%/pack.h \
	%D%/paircount.h \
	%D%/paircount.c \
	%D%/pdist.h \
	%D%/pdist.c \
	%D%/sink.h
