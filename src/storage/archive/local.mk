libgt_a_SOURCES += \
	%D%/zip_store.h \
	%D%/tar_store.h \
	%D%/store_create.c \
	%D%/store_create.h \
	%D%/tar.h \
	%D%/tar_read.c \
	%D%/tar_stream.c \
	%D%/tar_table.c \
	%D%/tar_table.h \
	%D%/tar_write.c \
	%D%/zip.h \
	%D%/zip_central.c \
	%D%/zip_internal.h \
	%D%/zip_read.c \
	%D%/zip_url.c \
	%D%/zip_write.c
