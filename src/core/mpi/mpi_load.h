/* Loading of MPI modules. */
#ifndef GT_MPI_LOAD_H
#define GT_MPI_LOAD_H

#include "core/base/err.h"

struct gt_mpi_module;

/* The module stays loaded.  GT_USAGE: there is none of that name, or it cannot be loaded. */
int gt_mpi_load(const char *name, const struct gt_mpi_module **module, struct gt_err *err);

#endif
