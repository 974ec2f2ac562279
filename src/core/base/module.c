#include "config.h"

#include "core/base/module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void gt_module_path(const char *file, char *path, size_t size)
{
    const char *given = getenv("GT_MODULES");
    char program[4000];
    if (given && *given) {
        snprintf(path, size, "%s/%s", given, file);
        return;
    }
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) {
        *slash = '\0';
        snprintf(path, size, "%s/%s", program, file);
        if (access(path, R_OK) == 0)
            return;
    }
    snprintf(path, size, "%s/%s", GT_MODULE_DIR, file);
}

bool gt_module_is_installed(const char *file)
{
    char path[4096];
    gt_module_path(file, path, sizeof path);
    return access(path, R_OK) == 0;
}

int gt_module_load(const char *file, const char *symbol, int abi, const char *what, const void **table, struct gt_err *err)
{
    char path[4096];
    gt_module_path(file, path, sizeof path);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return gt_fail(err, GT_FAIL, "cannot load the %s: %s", what, dlerror());
    *table = dlsym(library, symbol);
    if (!*table || *(const int *)*table != abi)
        return gt_fail(err, GT_USAGE, "'%s' is a module of another version of gt-utils", path);
    return GT_OK;
}
