/* Chains at work: chunks encoded and decoded, and what a chain says of itself. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/trace.h"
#include "storage/codec/chain_impl.h"

void gt_step_describe_level(const struct gt_step *step, struct gt_str *text)
{
    gt_str_addf(text, ":%d", step->level);
}

int gt_step_room(struct gt_buf *out, size_t n, struct gt_err *err)
{
    if (n > out->cap)
        gt_buf_release(out); /* before the new block is taken, so that only one is counted */
    out->len = 0;
    int rc = gt_buf_reserve(out, n > 0 ? n : 1, err);
    if (!rc)
        out->len = n;
    return rc;
}

int gt_step_check_size(const struct gt_step *step, uint64_t n, struct gt_err *err)
{
    if (step->raw_exact && n != step->raw_limit)
        return gt_fail(err, GT_INPUT, "decodes to %llu bytes instead of %zu", (unsigned long long)n, step->raw_limit);
    if (n > step->raw_limit)
        return gt_fail(err, GT_INPUT, "decodes to more than %zu bytes", step->raw_limit);
    return 0;
}

int gt_step_items(const struct gt_step *step, const struct gt_view *view, size_t stored, size_t decoded, size_t *n, struct gt_buf *out,
                  struct gt_err *err)
{
    *n = view->n / stored;
    int rc = view->n % stored ? gt_fail(err, GT_INPUT, "%zu bytes are not a whole number of items", view->n)
                              : gt_step_check_size(step, *n * decoded, err);
    return rc ? rc : gt_step_room(out, *n * decoded, err);
}

void gt_codec_free(struct gt_codec_chain *chain)
{
    if (!chain)
        return;
    for (int i = 0; i < chain->n; i++) {
        if (chain->step[i].codec->release)
            chain->step[i].codec->release(&chain->step[i]);
        free(chain->step[i].own);
    }
    gt_str_release(&chain->text);
    free(chain);
}

const char *gt_codec_describe(const struct gt_codec_chain *chain)
{
    return chain->text.s;
}

/* Nothing but compressors, whose streams say how they are to be read. */
static bool only_compresses(const struct gt_codec_chain *chain)
{
    for (int i = 0; i < (int)chain->n; i++) {
        const struct gt_step *step = &chain->step[i];
        if (step->codec->kind == GT_BYTES_BYTES ? step->at_start : !step->idle || gt_step_shard(step))
            return false;
    }
    return true;
}

bool gt_codec_same_chain(const struct gt_codec_chain *a, const struct gt_codec_chain *b)
{
    return only_compresses(a) && only_compresses(b) && strcmp(gt_codec_describe(a), gt_codec_describe(b)) == 0;
}

const struct gt_shard *gt_codec_shard(const struct gt_codec_chain *chain)
{
    return chain->n == 1 ? gt_step_shard(&chain->step[0]) : NULL;
}

size_t gt_codec_bound(const struct gt_codec_chain *chain, bool *exact)
{
    const struct gt_step *last = &chain->step[chain->n - 1];
    size_t n = last->codec->bound(last, last->raw_limit, exact);
    *exact = *exact && last->raw_exact;
    return n;
}

static int copy_out(struct gt_view view, struct gt_buf *out, struct gt_err *err)
{
    int rc = gt_step_room(out, view.n, err);
    if (!rc && view.n > 0)
        memcpy(out->data, view.data, view.n);
    return rc;
}

static size_t step_work(const struct gt_step *step, size_t n)
{
    return !step->idle && step->codec->work ? step->codec->work(step, n) : 0;
}

size_t gt_codec_work_bytes(const struct gt_codec_chain *chain, size_t n)
{
    size_t most = 0;
    for (int i = 0; i < chain->n; i++) {
        size_t work = step_work(&chain->step[i], n);
        most = work > most ? work : most;
    }
    return most;
}

int64_t gt_codec_encode_bytes(const struct gt_codec_chain *chain, size_t n)
{
    size_t between[2] = {0};
    int64_t own = 0;
    int which = 0;
    for (int i = 0; i <= chain->last_active; i++) {
        const struct gt_step *step = &chain->step[i];
        bool exact;
        if (step->idle)
            continue;
        const size_t work = step_work(step, n);
        const int64_t all = (work > GT_CODEC_REUSE_MAX ? (int64_t)work : 0) + (step->codec->buffers ? step->codec->buffers(step, n) : 0);
        own = all > own ? all : own;
        n = step->codec->bound(step, n, &exact);
        if (i < chain->last_active && n > between[which])
            between[which] = n;
        which ^= 1;
    }
    return own + (int64_t)between[0] + (int64_t)between[1];
}

/* Its memory is counted while it works, where it is too much to be kept. */
static int encode_step(const struct gt_step *step, struct gt_view view, struct gt_buf *to, struct gt_err *err)
{
    size_t work = step_work(step, view.n);
    int rc;
    if (work <= GT_CODEC_REUSE_MAX || !to->budget)
        return step->codec->encode(step, view, to, err);
    if ((rc = gt_budget_take(to->budget, work, err)) != 0)
        return rc;
    rc = step->codec->encode(step, view, to, err);
    gt_budget_give(to->budget, work);
    return rc;
}

static int encode(const struct gt_codec_chain *chain, const struct gt_buf *raw, struct gt_buf *out, struct gt_buf scratch[2],
                  struct gt_err *err)
{
    struct gt_view view = {raw->data, raw->len};
    int which = 0, rc;
    if ((rc = gt_step_check_size(&chain->step[0], raw->len, err)) != 0)
        return rc;
    if (chain->last_active < 0)
        return copy_out(view, out, err);
    for (int i = 0; i <= chain->last_active; i++) {
        const struct gt_step *step = &chain->step[i];
        if (step->idle)
            continue;
        struct gt_buf *to = i == chain->last_active ? out : &scratch[which ^= 1]; /* the other one than `view` is in */
        if ((rc = encode_step(step, view, to, err)) != 0) {
            gt_fail_prefix(err, "codec '%s'", step->codec->name);
            return rc;
        }
        view = (struct gt_view){to->data, to->len};
    }
    return 0;
}

static int decode(const struct gt_codec_chain *chain, const void *data, size_t n, struct gt_buf *raw, struct gt_buf scratch[2],
                  struct gt_err *err)
{
    struct gt_view view = {data, n};
    int which = 0, rc;
    for (int i = chain->n - 1; i >= 0; i--) {
        const struct gt_step *step = &chain->step[i];
        struct gt_buf *to = i == chain->last_writer ? raw : step->writes ? &scratch[which ^= 1] : NULL;
        if ((rc = step->codec->decode(step, &view, to, err)) != 0) {
            gt_fail_prefix(err, "codec '%s'", step->codec->name);
            return rc;
        }
    }
    if (chain->last_writer < 0)
        return copy_out(view, raw, err);
    /* A checksum before the last writer may have left its mark in raw. */
    if (view.data != raw->data && view.n > 0)
        memmove(raw->data, view.data, view.n);
    raw->len = view.n;
    return 0;
}

/* The compressor of a chain, for the trace; NULL: there is none. */
static const char *compressor(const struct gt_codec_chain *chain)
{
    for (int i = chain->n - 1; i >= 0; i--)
        if (chain->step[i].codec->kind == GT_BYTES_BYTES && !chain->step[i].idle && !chain->step[i].at_start)
            return chain->step[i].codec->name;
    return NULL;
}

int gt_codec_encode(const struct gt_codec_chain *chain, const struct gt_buf *raw, struct gt_buf *out, struct gt_buf scratch[2],
                    struct gt_err *err)
{
    const char *name = compressor(chain);
    struct gt_span outer;
    if (!name || !gt_trace_enter("compress", name, &outer))
        return encode(chain, raw, out, scratch, err);
    int status = encode(chain, raw, out, scratch, err);
    gt_trace_bytes((int64_t)raw->len);
    gt_trace_end(&outer);
    return status;
}

int gt_codec_decode(const struct gt_codec_chain *chain, const void *data, size_t n, struct gt_buf *raw, struct gt_buf scratch[2],
                    struct gt_err *err)
{
    const char *name = compressor(chain);
    struct gt_span outer;
    if (!name || !gt_trace_enter("decompress", name, &outer))
        return decode(chain, data, n, raw, scratch, err);
    int status = decode(chain, data, n, raw, scratch, err);
    gt_trace_bytes((int64_t)raw->len);
    gt_trace_end(&outer);
    return status;
}

/* The one step that does anything, where that is the last and its output the items. */
static const struct gt_step *only_step(const struct gt_codec_chain *chain)
{
    const struct gt_step *last = &chain->step[chain->n - 1];
    for (int i = 0; i < chain->n - 1; i++)
        if (!chain->step[i].idle || chain->step[i].writes)
            return NULL;
    return last->codec->has_part && last->raw_exact ? last : NULL;
}

bool gt_codec_has_part(const struct gt_codec_chain *chain, const void *data, size_t n, size_t *first, size_t *end)
{
    const struct gt_step *step = only_step(chain);
    return step && *first < *end && *end <= step->raw_limit && step->codec->has_part(step, (struct gt_view){data, n}, first, end);
}

int gt_codec_decode_part(const struct gt_codec_chain *chain, const void *data, size_t n, size_t first, size_t end, struct gt_buf *raw,
                         struct gt_err *err)
{
    const struct gt_step *step = only_step(chain);
    int rc = raw->len == step->raw_limit ? 0 : gt_step_room(raw, step->raw_limit, err); /* others may be reading what is there */
    if (!rc && first < end && (rc = step->codec->decode_part(step, (struct gt_view){data, n}, first, end, raw, err)) != 0)
        gt_fail_prefix(err, "codec '%s'", step->codec->name);
    return rc;
}
