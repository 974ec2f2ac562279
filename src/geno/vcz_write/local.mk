libgt_a_SOURCES += \
	%D%/checkpoint_text.h \
	%D%/vcz.c \
	%D%/vcz.h \
	%D%/vcz_arrays.c \
	%D%/vcz_calls.c \
	%D%/vcz_checkpoint.c \
	%D%/vcz_fields.c \
	%D%/vcz_fill.c \
	%D%/vcz_finish.c \
	%D%/vcz_geno.c \
	%D%/vcz_internal.h \
	%D%/vcz_put.c \
	%D%/vcz_shape.c \
	%D%/vcz_shape.h \
	%D%/vcz_sites.c \
	%D%/vcz_tables.c
