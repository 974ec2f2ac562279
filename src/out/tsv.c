#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "out/bgzf.h"
#include "out/decimal.h"
#include "out/ids.h"
#include "out/matrix.h"
#include "out/text.h"

struct tsv_sink {
    struct gt_sink base;
    int64_t n;
    struct gt_strs ids;
    size_t longest; /* bytes of the longest id */
    bool packed;    /* rows are compressed where they are formatted */
    struct gt_outfile file;
};

static int tsv_begin(struct gt_sink *base, const struct gt_strs *ids, struct gt_err *err)
{
    struct tsv_sink *sink = (struct tsv_sink *)base;
    struct gt_str line = {0};
    int status = gt_check_ids(ids, err);
    if (status)
        return status;
    sink->n = (int64_t)ids->n;
    sink->ids.budget = ids->budget;
    if ((status = gt_strs_copy(&sink->ids, ids, err)) != 0)
        return status;
    gt_str_add(&line, "id");
    for (size_t i = 0; i < ids->n; i++) {
        size_t n = strlen(gt_strs_get(ids, i));
        sink->longest = n > sink->longest ? n : sink->longest;
        gt_str_addn(&line, "\t", 1);
        gt_str_addn(&line, gt_strs_get(ids, i), n);
    }
    gt_str_addn(&line, "\n", 1);
    status = gt_str_check(&line, err);
    if (!status)
        status = gt_outfile_write(&sink->file, line.s, line.len, err);
    if (!status)
        status = gt_text_flush(&sink->file, err);
    gt_str_release(&line);
    return status;
}

static int format_text(struct gt_sink *base, const struct gt_tile *tile, struct gt_buf *bytes, struct gt_err *err)
{
    struct tsv_sink *sink = (struct tsv_sink *)base;
    int status = gt_buf_reserve(bytes, (size_t)tile->rows * ((size_t)sink->n * (GT_DECIMAL_LEN + 1) + sink->longest + 2), err);
    if (status)
        return status;
    char *at = (char *)bytes->data;
    for (int64_t i = 0; i < tile->rows; i++) {
        const char *id = gt_strs_get(&sink->ids, (size_t)(tile->row + i));
        size_t len = strlen(id);
        memcpy(at, id, len);
        at += len;
        for (int64_t j = 0; j < sink->n; j++) {
            *at++ = '\t';
            at = gt_decimal_double(at, tile->planes[0][i * sink->n + j]);
        }
        *at++ = '\n';
    }
    bytes->len = (size_t)(at - (char *)bytes->data);
    return GT_OK;
}

static int tsv_format(struct gt_sink *base, const struct gt_tile *tile, struct gt_buf *bytes, struct gt_err *err)
{
    struct tsv_sink *sink = (struct tsv_sink *)base;
    struct gt_buf text = {.budget = bytes->budget};
    if (!sink->packed)
        return format_text(base, tile, bytes, err);
    int status = format_text(base, tile, &text, err);
    bytes->len = 0;
    if (!status)
        status = gt_bgzf_compress(text.data, text.len, GT_TEXT_LEVEL, bytes, err);
    gt_buf_release(&text);
    return status;
}

static int tsv_write(struct gt_sink *base, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    (void)tile;
    return gt_outfile_put(&((struct tsv_sink *)base)->file, bytes->data, bytes->len, err);
}

static int tsv_finish(struct gt_sink *base, struct gt_err *err)
{
    return gt_outfile_commit(&((struct tsv_sink *)base)->file, err);
}

static void tsv_free(struct gt_sink *base)
{
    struct tsv_sink *sink = (struct tsv_sink *)base;
    gt_outfile_abort(&sink->file);
    gt_strs_release(&sink->ids);
    free(sink);
}

int gt_sink_tsv(struct gt_sink **out, const char *path, struct gt_err *err)
{
    static const struct gt_sink_ops ops = {tsv_begin, tsv_format, tsv_write, tsv_finish, tsv_free};
    struct tsv_sink *sink = gt_alloc(1, sizeof *sink, err);
    if (!sink)
        return GT_FAIL;
    sink->base = (struct gt_sink){.ops = &ops, .planes = {"distance"}, .value_bytes = GT_DECIMAL_LEN + 1};
    sink->packed = gt_text_is_packed(path);
    int status = gt_text_open(&sink->file, path, NULL, err);
    if (status)
        tsv_free(&sink->base);
    else
        *out = &sink->base;
    return status;
}
