/* A PLINK set: the bytes are cut at "|||" into three files of a new directory, and the set is read. */
#ifndef GT_FUZZ_PLINK_SET_H
#define GT_FUZZ_PLINK_SET_H

#include <string.h>
#include <unistd.h>

#include "fuzz_engine.h"

/* Writes the bytes up to the next "|||" or the end; returns what comes after it. */
static const uint8_t *set_put(const char *path, const uint8_t *data, const uint8_t *end)
{
    const uint8_t *stop = memmem(data, (size_t)(end - data), "|||", 3), *to = stop ? stop : end;
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, (size_t)(to - data), f) != (size_t)(to - data) || fclose(f))
        abort();
    return stop ? stop + 3 : end;
}

/* The files are "x" and the suffixes, in their order; the last one is opened. */
static void fuzz_read_plink_set(const char *const suffix[3], const uint8_t *data, size_t n)
{
    char dir[] = "/tmp/fuzz-set-XXXXXX", path[3][64];
    struct gt_err err = {0};
    const uint8_t *at = data, *end = data + n;
    if (!mkdtemp(dir))
        abort();
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s/x%s", dir, suffix[i]);
        at = set_put(path[i], at, end);
    }
    const char *opened = path[2];
    struct gt_source_opts opts = {.paths = &opened, .n_paths = 1, .fields = n % 2 ? GT_SITE_ALL : GT_SITE_NONE};
    fuzz_read(&opts, NULL, NULL, NULL, &err);
    for (int i = 0; i < 3; i++)
        unlink(path[i]);
    rmdir(dir);
}

#endif
