unit_tests += \
	%D%/t_comm_mpi \
	%D%/t_launcher
EXTRA_test_core_mpi_t_comm_mpi_DEPENDENCIES = $(MPI_MODULES)
bench_programs += %D%/bench_comm
EXTRA_test_core_mpi_bench_comm_DEPENDENCIES = $(MPI_MODULES)
