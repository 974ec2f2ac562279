#include "storage/text/text_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/str.h"
#include "storage/bgzf/bgzf.h"

/* Text is gathered up to this size, some blocks of BGZF. */
#define GATHER ((size_t)1 << 20)

struct packer {
    struct gt_buf text, packed;
};

int gt_text_flush(struct gt_outfile *out, struct gt_err *err)
{
    struct packer *packer = out->filter_data;
    if (!packer || !packer->text.len)
        return GT_OK;
    packer->packed.len = 0;
    int status = gt_bgzf_compress(packer->text.data, packer->text.len, GT_TEXT_LEVEL, &packer->packed, err);
    packer->text.len = 0;
    return status ? status : gt_outfile_put(out, packer->packed.data, packer->packed.len, err);
}

static int pack(struct gt_outfile *out, const void *data, size_t n, struct gt_err *err)
{
    struct packer *packer = out->filter_data;
    int status = GT_OK;
    for (const char *at = data; n && !status;) {
        size_t room = GATHER - packer->text.len, some = n < room ? n : room;
        status = gt_buf_append(&packer->text, at, some, err);
        at += some;
        n -= some;
        if (!status && packer->text.len == GATHER)
            status = gt_text_flush(out, err);
    }
    return status;
}

static int finish(struct gt_outfile *out, struct gt_err *err)
{
    int status = gt_text_flush(out, err);
    return status ? status : gt_outfile_put(out, gt_bgzf_end, sizeof gt_bgzf_end, err);
}

static void packer_free(struct gt_outfile *out)
{
    struct packer *packer = out->filter_data;
    gt_buf_release(&packer->text);
    gt_buf_release(&packer->packed);
    free(packer);
}

size_t gt_text_stem(const char *path)
{
    size_t n = strlen(path);
    return gt_ends_with(path, ".gz") ? n - 3 : gt_ends_with(path, ".bgz") ? n - 4 : n;
}

bool gt_text_is_packed(const char *path)
{
    return path[gt_text_stem(path)];
}

int gt_text_open(struct gt_outfile *out, const char *path, struct gt_budget *budget, struct gt_err *err)
{
    static const struct gt_outfile_filter packing = {pack, finish, packer_free};
    bool packed = gt_text_is_packed(path);
    int status = gt_outfile_open(out, path, packed, err);
    if (status || !packed)
        return status;
    struct packer *packer = gt_alloc(1, sizeof *packer, err);
    if (!packer) {
        gt_outfile_abort(out);
        return GT_FAIL;
    }
    packer->text.budget = packer->packed.budget = budget;
    out->filter = &packing;
    out->filter_data = packer;
    return status;
}

int gt_text_put(struct gt_outfile *out, struct gt_str *text, size_t minimum, struct gt_err *err)
{
    int status = gt_str_check(text, err);
    if (status || !text->len || text->len < minimum)
        return status;
    status = gt_outfile_write(out, text->s, text->len, err);
    gt_str_clear(text);
    return status;
}
