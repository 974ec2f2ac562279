unit_tests += \
	%D%/t_cuda \
	%D%/t_device
EXTRA_test_core_device_t_cuda_DEPENDENCIES = $(CUDA_MODULES) $(cuda_mock)
suites += %D%/cuda_build.bats
bench_programs += %D%/bench_device
