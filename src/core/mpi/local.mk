libgt_a_SOURCES += \
	%D%/comm_mpi.c \
	%D%/comm_mpi.h \
	%D%/comm_mpi_control.c \
	%D%/comm_mpi_data.c \
	%D%/comm_mpi_end.c \
	%D%/comm_mpi_internal.h \
	%D%/comm_mpi_tree.c \
	%D%/launcher.c \
	%D%/launcher.h \
	%D%/mpi_load.c \
	%D%/mpi_load.h \
	%D%/mpi_module.h \
	%D%/node_module.c \
	%D%/node_module.h \
	%D%/node_sockets.c \
	%D%/node_sockets.h

# Modules are made with the compiler wrapper of their MPI and loaded with dlopen; no program links them.
EXTRA_DIST += %D%/mpi_module.c
CLEANFILES += gt-mpi-openmpi.so gt-mpi-mpich.so
mpi_inputs = $(top_srcdir)/%D%/mpi_module.c $(top_srcdir)/%D%/mpi_module.h
MPI_FLAGS = -std=gnu11 -O2 -fPIC -shared -fvisibility=hidden $(GT_MODULE_WARNINGS) -I$(top_srcdir)/src

gt-mpi-openmpi.so: $(mpi_inputs)
	$(AM_V_CCLD)$(MPICC_OPENMPI) $(MPI_FLAGS) -o $@ $(top_srcdir)/%D%/mpi_module.c && chmod a-x $@

gt-mpi-mpich.so: $(mpi_inputs)
	$(AM_V_CCLD)$(MPICC_MPICH) $(MPI_FLAGS) -o $@ $(top_srcdir)/%D%/mpi_module.c && chmod a-x $@
