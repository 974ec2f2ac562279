libgt_a_SOURCES += \
	%D%/device.h \
	%D%/device_open.c \
	%D%/device_open.h \
	%D%/host_device.c \
	%D%/host_faults.c \
	%D%/host_internal.h \
	%D%/host_math.c \
	%D%/host_stream.c
