device_kernels = \
	%D%/codes.h \
	%D%/floats.h \
	%D%/kernel.h \
	%D%/list.h \
	%D%/random.h \
	%D%/sketch.h \
	%D%/triangle.h
noinst_HEADERS += $(device_kernels)
