#include "config.h"

#include "storage/input/spool.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/spoolfile.h"

#define PIECE ((size_t)1 << 18)

static int copy(struct gt_input *input, struct gt_spoolfile *spool, struct gt_err *err)
{
    uint8_t *piece = gt_alloc(PIECE, 1, err);
    size_t got = 0;
    int status;
    if (!piece)
        return GT_FAIL;
    while (!(status = gt_input_read(input, piece, PIECE, &got, err)) && got) {
        status = gt_spoolfile_write(spool, piece, got, spool->end, err);
        if (status)
            break;
    }
    free(piece);
    return status;
}

int gt_spool(struct gt_input *input, const char *tmpdir, struct gt_err *err)
{
    struct gt_spoolfile spool = {.fd = -1, .tmpdir = tmpdir};
    if (input->seekable || (input->fd < 0 && !input->remote))
        return 0;
    int status = gt_spoolfile_open(&spool, err);
    if (!status)
        status = copy(input, &spool, err);
    if (status) {
        gt_spoolfile_release(&spool);
        return status;
    }
    gt_input_replace(input, spool.fd, spool.end); /* written by offset: its position is still 0 */
    return 0;
}
