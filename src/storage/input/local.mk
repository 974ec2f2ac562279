libgt_a_SOURCES += \
	%D%/url_input.h \
	%D%/input.c \
	%D%/input.h \
	%D%/path.c \
	%D%/path.h \
	%D%/remote_file.c \
	%D%/remote_file.h \
	%D%/sniff.c \
	%D%/sniff.h \
	%D%/spool.c \
	%D%/spool.h \
	%D%/url_input.c
