libgt_a_SOURCES += \
	%D%/block.h \
	%D%/select.h \
	%D%/source.h
