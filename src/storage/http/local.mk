libgt_a_SOURCES += \
	%D%/credentials.c \
	%D%/credentials.h \
	%D%/http.h \
	%D%/http_store.c \
	%D%/objects.c \
	%D%/objects.h \
	%D%/url.h \
	%D%/url_file.c \
	%D%/url_resume.c \
	%D%/url_rewrite.c \
	%D%/url_writer.c \
	%D%/url_writer.h \
	%D%/url_writer_internal.h
if CURL
libgt_a_SOURCES += %D%/http.c %D%/http_fetch.c %D%/http_internal.h %D%/http_parts.c %D%/http_queue.c %D%/http_request.c %D%/http_send.c
else
libgt_a_SOURCES += %D%/http_none.c
endif
