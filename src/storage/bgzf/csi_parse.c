/* The bytes of .tbi and .csi (the SAM specification and its CSI companion); every
 * number is looked at before it is believed. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/str.h"
#include "storage/bgzf/csi_internal.h"

#define TABIX_VCF 2

struct cursor {
    const uint8_t *at, *end;
    bool bad; /* there was less than was asked for */
};

static uint64_t number(struct cursor *c, int bytes)
{
    uint64_t value = 0;
    if (c->end - c->at < bytes)
        c->bad = true;
    else
        for (int i = 0; i < bytes; i++)
            value |= (uint64_t)*c->at++ << 8 * i;
    return value;
}

/* How many of something that takes `size` bytes or more. */
static size_t count(struct cursor *c, size_t size)
{
    uint64_t n = number(c, 4);
    if (n > (uint64_t)(c->end - c->at) / size)
        c->bad = true;
    return c->bad ? 0 : (size_t)n;
}

static int damaged(const struct gt_index *index, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s' is damaged", index->path);
}

/* The header of tabix: format, columns, comment character, lines to skip, names. */
static int parse_tabix(struct gt_index *index, struct cursor *c, struct gt_err *err)
{
    uint64_t format = number(c, 4);
    c->bad |= c->end - c->at < 20;
    c->at += c->bad ? 0 : 20;
    size_t length = count(c, 1);
    if (c->bad || (length && c->at[length - 1]))
        return damaged(index, err);
    if (format != TABIX_VCF)
        return gt_fail(err, GT_INPUT, "'%s' is not an index of a VCF", index->path);
    index->named = true;
    for (const uint8_t *end = c->at + length; c->at < end;) {
        size_t n = strlen((const char *)c->at);
        int status = gt_strs_add(&index->names, (const char *)c->at, n, err);
        if (status)
            return status;
        c->at += n + 1;
    }
    return 0;
}

/* The stretches of a bin.  The bin after the last real one says how many records the
 * contig has, in the place of its second stretch. */
static int parse_bin(struct gt_index *index, struct cursor *c, int64_t *records, struct gt_err *err)
{
    struct index_bin bin = {.number = (uint32_t)number(c, 4), .first = index->stretches.len / sizeof(struct gt_stretch)};
    const uint64_t bins = gt_index_bin_first(index->depth + 1);
    if (index->csi)
        bin.minimum = number(c, 8);
    size_t n = count(c, sizeof(struct gt_stretch));
    bin.n = (uint32_t)n;
    if (c->bad || bin.number > bins + 1)
        return damaged(index, err);
    if (bin.number >= bins) {
        c->at += n * sizeof(struct gt_stretch);
        *records = n > 1 ? (int64_t)number(&(struct cursor){c->at - sizeof(struct gt_stretch), c->at, false}, 4) : -1;
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        struct gt_stretch stretch = {number(c, 8), 0};
        stretch.to = number(c, 8);
        if (stretch.to < stretch.from)
            return damaged(index, err);
        int status = gt_buf_append(&index->stretches, &stretch, sizeof stretch, err);
        if (status)
            return status;
    }
    return gt_buf_append(&index->bins, &bin, sizeof bin, err);
}

static int parse_windows(struct gt_index *index, struct cursor *c, struct index_contig *contig, struct gt_err *err)
{
    int status = 0;
    contig->window = index->windows.len / sizeof(uint64_t);
    contig->n_windows = count(c, 8);
    for (size_t i = 0; i < contig->n_windows && !status; i++) {
        uint64_t at = number(c, 8);
        status = gt_buf_append(&index->windows, &at, sizeof at, err);
    }
    return status;
}

static int by_number(const void *a, const void *b)
{
    const struct index_bin *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static int parse_contig(struct gt_index *index, struct cursor *c, struct gt_err *err)
{
    struct index_contig contig = {.bin = index->bins.len / sizeof(struct index_bin)};
    size_t n = count(c, index->csi ? 16 : 8);
    int64_t records = n ? -1 : 0;
    int status = 0;
    for (size_t i = 0; i < n && !status && !c->bad; i++)
        status = parse_bin(index, c, &records, err);
    if (!status && !index->csi)
        status = parse_windows(index, c, &contig, err);
    if (status || c->bad)
        return status ? status : damaged(index, err);
    index->records = records < 0 || index->records < 0 ? -1 : index->records + records;
    struct index_bin *bins = (struct index_bin *)index->bins.data;
    contig.n_bins = index->bins.len / sizeof *bins - contig.bin;
    if (contig.n_bins)
        qsort(bins + contig.bin, contig.n_bins, sizeof *bins, by_number);
    for (size_t i = contig.bin + 1; i < contig.bin + contig.n_bins; i++)
        if (bins[i].number == bins[i - 1].number)
            return damaged(index, err);
    return gt_buf_append(&index->contigs, &contig, sizeof contig, err);
}

/* min_shift, depth and what is next to them. */
static int parse_csi_header(struct gt_index *index, struct cursor *c, struct gt_err *err)
{
    uint64_t shift = number(c, 4), depth = number(c, 4);
    size_t beside = count(c, 1);
    if (c->bad || shift > 31 || depth > 9)
        return damaged(index, err);
    index->min_shift = (int)shift;
    index->depth = (int)depth;
    if (!beside)
        return 0;
    struct cursor inside = {c->at, c->at + beside, false};
    c->at += beside;
    return parse_tabix(index, &inside, err);
}

int gt_index_parse(struct gt_index *index, const struct gt_buf *text, struct gt_err *err)
{
    int status = 0;
    if (text->len < 8 || (memcmp(text->data, "TBI\1", 4) && memcmp(text->data, "CSI\1", 4)))
        return gt_fail(err, GT_INPUT, "'%s' is not an index", index->path);
    struct cursor c = {text->data, text->data + text->len, false};
    index->csi = text->data[0] == 'C';
    index->min_shift = 14;
    index->depth = 5;
    c.at += 4;
    if (index->csi)
        status = parse_csi_header(index, &c, err);
    size_t n = count(&c, index->csi ? 4 : 8);
    if (!status && !index->csi)
        status = parse_tabix(index, &c, err);
    for (size_t i = 0; i < n && !status && !c.bad; i++)
        status = parse_contig(index, &c, err);
    return status ? status : c.bad ? damaged(index, err) : 0;
}
