libcmd_a_SOURCES += \
	%D%/device_choice.c \
	%D%/device_choice.h
