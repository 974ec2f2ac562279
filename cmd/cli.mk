libcmd_a_SOURCES += \
	%D%/cli.h
