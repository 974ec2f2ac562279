libgt_a_SOURCES += \
	%D%/codec.h \
	%D%/vlen.h
