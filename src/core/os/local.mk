libgt_a_SOURCES += \
	%D%/os_files.c \
	%D%/os_files.h \
	%D%/os_process.c \
	%D%/os_process.h
