libgt_a_SOURCES += \
	%D%/pack.c \
	%D%/pack.h \
	%D%/pack_fields.c \
	%D%/pack_flow.c \
	%D%/pack_flow.h \
	%D%/pack_ids.c \
	%D%/pack_ids.h \
	%D%/pack_plan.c \
	%D%/pack_resume.c \
	%D%/pack_resume.h \
	%D%/unpack.c \
	%D%/unpack.h
