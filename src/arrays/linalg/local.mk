libgt_a_SOURCES += \
	%D%/block_orth.c \
	%D%/block_orth.h \
	%D%/krylov.c \
	%D%/krylov.h \
	%D%/linalg.c \
	%D%/linalg.h \
	%D%/linalg_internal.h \
	%D%/linalg_qr.c \
	%D%/streaming_qr.c \
	%D%/streaming_qr.h \
	%D%/tall_qr.c \
	%D%/tall_qr.h
