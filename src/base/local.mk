libgt_a_SOURCES += \
	%D%/cgroup.c \
	%D%/cgroup.h \
	%D%/cleanup.c \
	%D%/cleanup.h \
	%D%/err.c \
	%D%/err.h \
	%D%/guard.c \
	%D%/guard.h \
	%D%/json.c \
	%D%/json.h \
	%D%/limits.c \
	%D%/limits.h \
	%D%/mem.c \
	%D%/mem.h \
	%D%/nd.c \
	%D%/nd.h \
	%D%/outfile.c \
	%D%/outfile.h \
	%D%/philox.c \
	%D%/philox.h \
	%D%/size.c \
	%D%/size.h \
	%D%/spoolfile.c \
	%D%/spoolfile.h \
	%D%/str.c \
	%D%/str.h
