/* A scratch directory for a test: made by scratch_open, which also goes there,
 * and removed by scratch_close. */
#ifndef GT_TEST_SCRATCH_H
#define GT_TEST_SCRATCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"

static char scratch_path[4096];

__attribute__((unused)) static void scratch_open(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(scratch_path, sizeof scratch_path, "%s/gt-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(scratch_path) || chdir(scratch_path) != 0) {
        printf("Bail out! no scratch directory\n");
        exit(99);
    }
}

__attribute__((unused)) static void scratch_close(void)
{
    if (chdir("/") == 0)
        gt_remove_tree(scratch_path);
}

__attribute__((unused)) static void scratch_write(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0) {
        printf("Bail out! cannot write %s\n", path);
        exit(99);
    }
}

/* The whole file, malloc'ed; NULL when it cannot be read. */
__attribute__((unused)) static unsigned char *scratch_read(const char *path, size_t *n)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    unsigned char *data = f && fstat(fileno(f), &st) == 0 ? malloc((size_t)st.st_size + 1) : NULL;
    *n = data ? fread(data, 1, (size_t)st.st_size, f) : 0;
    if (f)
        fclose(f);
    return data;
}

__attribute__((unused)) static bool scratch_exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* Runs a Python program; did it end well?  What it says is shown if not. */
__attribute__((unused)) static bool scratch_python(const char *program)
{
    const char *python = getenv("PYTHON");
    char command[4096];
    scratch_write("program.py", program, strlen(program));
    snprintf(command, sizeof command, "%s program.py >program.out 2>&1 || { sed 's/^/# /' program.out; false; }",
             python && *python ? python : "python3");
    return system(command) == 0;
}

#endif
