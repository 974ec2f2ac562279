libgt_a_SOURCES += \
	%D%/dir.c \
	%D%/dir.h \
	%D%/dir_target.c \
	%D%/dir_target.h \
	%D%/dir_write.c \
	%D%/http.h \
	%D%/http_site.c \
	%D%/http_store.c \
	%D%/input.c \
	%D%/input.h \
	%D%/journal.c \
	%D%/journal.h \
	%D%/journal_read.c \
	%D%/journal_read.h \
	%D%/key.c \
	%D%/key.h \
	%D%/memory.c \
	%D%/open.c \
	%D%/open.h \
	%D%/path.c \
	%D%/path.h \
	%D%/range.h \
	%D%/remote.c \
	%D%/remote.h \
	%D%/sniff.c \
	%D%/sniff.h \
	%D%/spool.c \
	%D%/spool.h \
	%D%/store.c \
	%D%/store.h \
	%D%/tar.h \
	%D%/tar_read.c \
	%D%/tar_stream.c \
	%D%/tar_table.c \
	%D%/tar_table.h \
	%D%/tar_write.c \
	%D%/url.h \
	%D%/url_input.c \
	%D%/zip.h \
	%D%/zip_central.c \
	%D%/zip_impl.h \
	%D%/zip_read.c \
	%D%/zip_url.c \
	%D%/zip_write.c
if CURL
libgt_a_SOURCES += %D%/http.c %D%/http_impl.h %D%/http_parts.c %D%/http_request.c
else
libgt_a_SOURCES += %D%/http_none.c
endif
