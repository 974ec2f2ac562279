libgt_a_SOURCES += \
	%D%/block.h \
	%D%/filter.h \
	%D%/reader.h \
	%D%/select.h \
	%D%/source.h
