libgt_a_SOURCES += \
	%D%/budget.c \
	%D%/budget.h \
	%D%/comm.h \
	%D%/engine.h \
	%D%/flow.h \
	%D%/trace.h
