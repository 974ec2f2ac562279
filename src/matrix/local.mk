libgt_a_SOURCES += \
	%D%/matrix.h
