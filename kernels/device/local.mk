device_kernels = \
	%D%/kernel.h \
	%D%/list.h \
	%D%/random.h \
	%D%/triangle.h
noinst_HEADERS += $(device_kernels)
