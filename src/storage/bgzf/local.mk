libgt_a_SOURCES += \
	%D%/bgzf.c \
	%D%/bgzf.h \
	%D%/byte_stream.c \
	%D%/byte_stream.h \
	%D%/byte_stream_bgzf.c \
	%D%/byte_stream_gzip.c \
	%D%/byte_stream_place.c \
	%D%/byte_stream_plain.c \
	%D%/byte_stream_internal.h \
	%D%/csi_find.c \
	%D%/csi_internal.h \
	%D%/csi_parse.c \
	%D%/csi_read.c \
	%D%/csi_read.h
