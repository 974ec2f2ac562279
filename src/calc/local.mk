libgt_a_SOURCES += \
	%D%/sink.h
