# One library per instruction-set level: its flags are its own.
noinst_LIBRARIES += libkern.a
KERNELS += libkern.a
libkern_a_SOURCES = %D%/kernels.h %D%/impl.h %D%/select.c %D%/ref/pair.c %D%/ref/rows.c %D%/ref/scan.c
