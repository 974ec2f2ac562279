# One library per instruction-set level: its flags are its own.
noinst_LIBRARIES += libkern.a
libkern_a_SOURCES = %D%/kernels.h
