unit_tests += \
	%D%/t_comm_mpi \
	%D%/t_launcher
