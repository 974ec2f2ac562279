libgt_a_SOURCES += \
	%D%/memory_store.h \
	%D%/dir_store.h \
	%D%/dir_output.c \
	%D%/dir_output.h \
	%D%/dir_read.c \
	%D%/dir_read.h \
	%D%/dir_write.c \
	%D%/journal.c \
	%D%/journal.h \
	%D%/journal_internal.h \
	%D%/journal_ranks.c \
	%D%/journal_read.c \
	%D%/journal_read.h \
	%D%/key.c \
	%D%/key.h \
	%D%/memory.c \
	%D%/range.h \
	%D%/store.c \
	%D%/store.h
