libgt_a_SOURCES += \
	%D%/array.h \
	%D%/dtype.h \
	%D%/group.h
