libcmd_a_SOURCES += \
	%D%/flow_titles.c \
	%D%/flow_titles.h \
	%D%/run_limit.c \
	%D%/run_limit.h
