unit_tests += \
	%D%/t_comm_mpi \
	%D%/t_launcher
EXTRA_test_core_mpi_t_comm_mpi_DEPENDENCIES = $(MPI_MODULES)
