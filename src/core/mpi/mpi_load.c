#include "config.h"

#include "core/mpi/mpi_load.h"

#include <stdio.h>
#include <string.h>

#include "core/base/module.h"
#include "core/mpi/comm_mpi.h"
#include "core/mpi/mpi_module.h"
#include "core/mpi/node_module.h"

static const char *const names[3] = {
#ifdef GT_MPI_OPENMPI
    "openmpi",
#endif
#ifdef GT_MPI_MPICH
    "mpich",
#endif
    NULL};

const char *const *gt_mpi_names(void)
{
    return names;
}

void gt_mpi_file(const char *name, char *file, size_t size)
{
    snprintf(file, size, "gt-mpi-%s.so", name);
}

static bool is_built(const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static int no_module(const char *name, struct gt_err *err)
{
    gt_fail(err, GT_USAGE, "this build has no MPI module '%s'", name);
    if (names[0])
        gt_hint(err, "its modules: %s%s%s", names[0], names[0] && names[1] ? ", " : "", names[0] && names[1] ? names[1] : "");
    else
        gt_hint(err, "install libopenmpi-dev or libmpich-dev, and build again");
    return GT_USAGE;
}

int gt_mpi_load(const char *name, const struct gt_mpi_module **module, struct gt_err *err)
{
    char file[64], what[64];
    const void *table = NULL;
    if (strcmp(name, GT_MPI_NODE) == 0) {
        *module = &gt_mpi_node;
        return GT_OK;
    }
    if (!is_built(name))
        return no_module(name, err);
    gt_mpi_file(name, file, sizeof file);
    snprintf(what, sizeof what, "MPI module '%s'", name);
    int status = gt_module_load(file, GT_MPI_MODULE_SYMBOL, GT_MPI_ABI, what, &table, err);
    *module = table;
    return status;
}
