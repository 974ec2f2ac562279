libgt_a_SOURCES += \
	%D%/input.h \
	%D%/open.h \
	%D%/store.h
