libgt_a_SOURCES += \
	%D%/pack.h \
	%D%/sink.h
