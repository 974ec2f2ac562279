/* Bytes as a file with a path, and a file's bytes as a seed. */
#ifndef GT_FUZZ_MEMFILE_H
#define GT_FUZZ_MEMFILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memfile {
    int fd;
    char path[64];
};

__attribute__((unused)) static void memfile_open(struct memfile *file, const uint8_t *data, size_t n)
{
    file->fd = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
    if (file->fd < 0 || (n > 0 && write(file->fd, data, n) != (ssize_t)n))
        abort();
}

/* Reads and removes a file. */
__attribute__((unused)) static size_t take_file(const char *path, uint8_t *out, size_t room)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(out, 1, room, f) : 0;
    if (f)
        fclose(f);
    unlink(path);
    return n;
}

#endif
