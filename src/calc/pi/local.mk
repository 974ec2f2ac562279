libgt_a_SOURCES += \
	%D%/pi.c \
	%D%/pi.h
