libgt_a_SOURCES += \
	%D%/array.c \
	%D%/array.h \
	%D%/cache.c \
	%D%/cache.h \
	%D%/cache_fetch.c \
	%D%/cache_impl.h \
	%D%/cache_items.c \
	%D%/cache_read.c \
	%D%/fill.c \
	%D%/fill.h \
	%D%/group.c \
	%D%/group.h \
	%D%/group_write.c \
	%D%/meta.c \
	%D%/meta.h \
	%D%/meta_v2.c \
	%D%/meta_v3.c \
	%D%/nodes.c \
	%D%/open.c \
	%D%/open.h \
	%D%/put.c \
	%D%/put.h \
	%D%/read.c \
	%D%/region.c \
	%D%/region.h \
	%D%/write.c
