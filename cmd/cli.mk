libcmd_a_SOURCES += \
	%D%/cli.c \
	%D%/cli.h \
	%D%/formats.c \
	%D%/formats.h \
	%D%/help.c \
	%D%/message.c \
	%D%/message.h \
	%D%/options.c \
	%D%/options.h \
	%D%/outputs.c \
	%D%/outputs.h \
	%D%/plain.c \
	%D%/plain.h \
	%D%/progress.c \
	%D%/progress.h \
	%D%/resume.c \
	%D%/resume.h \
	%D%/shared.c \
	%D%/signals.c \
	%D%/signals.h \
	%D%/store_files.c \
	%D%/store_files.h \
	%D%/store_opts.c \
	%D%/store_opts.h \
	%D%/suggest.c \
	%D%/suggest.h \
	%D%/version.c
