libgt_a_SOURCES += \
	%D%/http.h \
	%D%/http_store.c \
	%D%/url.h \
	%D%/url_rewrite.c
if CURL
libgt_a_SOURCES += %D%/http.c %D%/http_internal.h %D%/http_parts.c %D%/http_request.c
else
libgt_a_SOURCES += %D%/http_none.c
endif
