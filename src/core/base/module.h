/* Modules: shared objects that are loaded on request, so that the commands do not link what they contain. */
#ifndef GT_BASE_MODULE_H
#define GT_BASE_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* The path of module `file` ("gt-mpi-openmpi.so"): in $GT_MODULES if that is set, beside the program if it is there, as in a build tree,
 * else where modules are installed. */
void gt_module_path(const char *file, char *path, size_t size);
/* Is that file there? */
bool gt_module_is_installed(const char *file);

/* Loads a module, which stays loaded.  *table: the address of its symbol, a struct whose first member is int abi, and abi is
 * what that has to be.  what: "MPI module 'openmpi'", for messages.  GT_FAIL: it cannot be loaded; GT_USAGE: of another version. */
int gt_module_load(const char *file, const char *symbol, int abi, const char *what, const void **table, struct gt_err *err);

#endif
