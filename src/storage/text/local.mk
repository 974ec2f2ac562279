libgt_a_SOURCES += \
	%D%/decimal.c \
	%D%/decimal.h \
	%D%/id_text.c \
	%D%/id_text.h \
	%D%/npy_head.c \
	%D%/npy_head.h \
	%D%/svg.c \
	%D%/svg.h \
	%D%/svg_groups.c \
	%D%/svg_groups.h \
	%D%/text_file.c \
	%D%/text_file.h
