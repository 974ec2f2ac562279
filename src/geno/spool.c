#include "config.h"

#include "geno/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/str.h"

#define PIECE ((size_t)1 << 18)

static int open_unlinked(const char *tmpdir, struct gt_err *err)
{
    struct gt_str path = {0};
    gt_str_addf(&path, "%s/gt-spool-XXXXXX", tmpdir);
    int fd = mkostemp(path.s, O_CLOEXEC);
    if (fd < 0)
        gt_fail_errno(err, errno, "cannot create a temporary file in '%s'", tmpdir);
    else
        unlink(path.s);
    gt_str_release(&path);
    return fd;
}

static int copy(struct gt_input *input, int fd, const char *tmpdir, int64_t *size, struct gt_err *err)
{
    uint8_t *piece = gt_xmalloc(PIECE);
    size_t got = 0;
    int status;
    *size = 0;
    while (!(status = gt_input_read(input, piece, PIECE, &got, err)) && got) {
        status = gt_write_all(fd, piece, got, tmpdir, err);
        if (status)
            break;
        *size += (int64_t)got;
    }
    free(piece);
    return status;
}

int gt_spool(struct gt_input *input, const char *tmpdir, struct gt_err *err)
{
    int64_t size;
    if (input->seekable || input->fd < 0)
        return 0;
    int fd = open_unlinked(tmpdir, err);
    if (fd < 0)
        return GT_FAIL;
    int status = copy(input, fd, tmpdir, &size, err);
    if (status || lseek(fd, 0, SEEK_SET) < 0) {
        close(fd);
        return status ? status : gt_fail_errno(err, errno, "cannot rewind a file in '%s'", tmpdir);
    }
    if (input->fd != STDIN_FILENO)
        close(input->fd);
    input->fd = fd;
    input->seekable = true;
    input->size = size;
    input->peek_pos = input->peek_len = 0;
    return 0;
}
