libgt_a_SOURCES += \
	%D%/pi.c \
	%D%/pi.h \
	%D%/pi_device.c \
	%D%/pi_device.h
