libgt_a_SOURCES += \
	%D%/cleanup.h \
	%D%/err.h \
	%D%/limits.h \
	%D%/outfile.h \
	%D%/philox.h \
	%D%/size.h \
	%D%/str.h
