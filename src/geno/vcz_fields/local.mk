libgt_a_SOURCES += \
	%D%/column.c \
	%D%/column.h \
	%D%/column_chunk.c \
	%D%/column_items.c \
	%D%/column_items.h \
	%D%/fields.c \
	%D%/fields.h \
	%D%/fields_arrays.c \
	%D%/fields_batch.c \
	%D%/fields_bcf.c \
	%D%/fields_checkpoint.c \
	%D%/fields_counted.c \
	%D%/fields_encode.c \
	%D%/fields_info.c \
	%D%/fields_internal.h \
	%D%/fields_literal.c \
	%D%/fields_local.c \
	%D%/fields_replay.c \
	%D%/fields_row_group.c \
	%D%/fields_text.c \
	%D%/fields_value.h
