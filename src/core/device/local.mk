libgt_a_SOURCES += \
	%D%/device.h \
	%D%/device_open.c \
	%D%/device_open.h \
	%D%/device_work.c \
	%D%/device_work.h \
	%D%/host_device.c \
	%D%/host_faults.c \
	%D%/host_igemm.c \
	%D%/host_internal.h \
	%D%/host_math.c \
	%D%/host_stream.c

# The CUDA module is made with nvcc and loaded with dlopen; no program links it.
cuda_sources = \
	%D%/cuda_describe.c \
	%D%/cuda_kernels.cu \
	%D%/cuda_launch.c \
	%D%/cuda_log.c \
	%D%/cuda_module.c \
	%D%/cuda_product.c \
	%D%/cuda_solver.c \
	%D%/cuda_status.c
cuda_headers = \
	%D%/cuda_impl.cuh \
	%D%/cuda_kernels.h
EXTRA_DIST += $(cuda_sources) $(cuda_headers)
CLEANFILES += gt-cuda.so gt-cuda.usage
NVCC_FLAGS = -O2 --fmad=false -shared -cudart shared $(NVCC_GPUS) $(NVCC_RPATH) $(NVCC_WARNINGS) -Xcompiler "-fPIC -fvisibility=hidden $(GT_MODULE_WARNINGS)"

# gt-cuda.usage: what ptxas says of each kernel.
gt-cuda.so: $(cuda_sources) $(cuda_headers) %D%/device.h $(device_kernels)
	$(AM_V_GEN)cd $(srcdir) && $(NVCC) $(NVCC_FLAGS) -Isrc -I. --resource-usage -o $(abs_builddir)/gt-cuda.so $(cuda_sources) -lcublasLt -lcusolver \
		>$(abs_builddir)/gt-cuda.usage 2>&1 || { cat $(abs_builddir)/gt-cuda.usage; exit 1; }
	@chmod a-x $@
