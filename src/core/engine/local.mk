libgt_a_SOURCES += \
	%D%/comm.c \
	%D%/comm.h \
	%D%/engine.c \
	%D%/engine.h \
	%D%/estimate.c \
	%D%/estimate.h \
	%D%/flow.c \
	%D%/flow.h \
	%D%/flow_deal.c \
	%D%/flow_deal.h \
	%D%/flow_impl.h \
	%D%/flow_memory.c \
	%D%/flow_progress.c \
	%D%/flow_tasks.c \
	%D%/flow_trim.c \
	%D%/plan_record.c \
	%D%/plan_record.h \
	%D%/pool.c \
	%D%/pool.h \
	%D%/memory_plan.c \
	%D%/memory_plan.h \
	%D%/trace.c \
	%D%/trace.h \
	%D%/trace_impl.h \
	%D%/trace_profile.c \
	%D%/trace_stream.c \
	%D%/trace_write.c
