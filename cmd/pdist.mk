libcmd_a_SOURCES += %D%/report.h %D%/report.c
