noinst_HEADERS += \
	%D%/kernel.h \
	%D%/list.h \
	%D%/random.h
