#include "config.h"

#include "core/mpi/mpi_load.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mpi/comm_mpi.h"
#include "core/mpi/mpi_module.h"

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

void gt_mpi_path(const char *name, char *path, size_t size)
{
    const char *given = getenv("GT_MODULES");
    char program[4000];
    if (given && *given) {
        snprintf(path, size, "%s/gt-mpi-%s.so", given, name);
        return;
    }
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) {
        *slash = '\0';
        snprintf(path, size, "%s/gt-mpi-%s.so", program, name);
        if (access(path, R_OK) == 0)
            return;
    }
    snprintf(path, size, "%s/gt-mpi-%s.so", GT_MODULE_DIR, name);
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
    char path[4096];
    void *library, *symbol;
    if (!is_built(name))
        return no_module(name, err);
    gt_mpi_path(name, path, sizeof path);
    library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return gt_fail(err, GT_FAIL, "cannot load the MPI module '%s': %s", name, dlerror());
    symbol = dlsym(library, GT_MPI_MODULE_SYMBOL);
    *module = symbol;
    if (!symbol || (*module)->abi != GT_MPI_ABI)
        return gt_fail(err, GT_USAGE, "'%s' is a module of another version of gt-utils", path);
    return GT_OK;
}
