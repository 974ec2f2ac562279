#include "geno/vcf/record_copy.h"

#include <string.h>

#include "storage/text/decimal.h"

/* Calls of a record: how often each allele is among them; how many alleles are known. */
struct counts {
    struct gt_buf of; /* int64_t [alleles] */
    int64_t alleles, all;
    bool any_gt;
};

static const char *end_of(const char *p, const char *end, char c)
{
    const char *at = memchr(p, c, (size_t)(end - p));
    return at ? at : end;
}

/* The number of GT in "DP:GT:GQ"; -1: it has none. */
static int find_gt(const char *p, const char *end)
{
    for (int at = 0; p <= end; at++) {
        const char *stop = end_of(p, end, ':');
        if (stop - p == 2 && p[0] == 'G' && p[1] == 'T')
            return at;
        p = stop + 1;
    }
    return -1;
}

/* "0|1": what is neither a digit nor a separator is a missing allele. */
static void count_call(const char *p, const char *end, struct counts *counts)
{
    int64_t *of = (int64_t *)(void *)counts->of.data;
    while (p < end) {
        int64_t allele = 0;
        const char *from = p;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            allele = allele < counts->alleles ? 10 * allele + *p - '0' : allele;
        if (p > from && allele < counts->alleles) {
            of[allele]++;
            counts->all++;
        }
        p += p < end;
    }
}

static int count_calls(const char *format, const char *end, struct counts *counts, struct gt_err *err)
{
    const char *p = end_of(format, end, '\t');
    const int at = find_gt(format, p);
    counts->any_gt = at >= 0;
    int status = gt_buf_zeros(&counts->of, (size_t)counts->alleles * sizeof(int64_t), err);
    while (!status && at >= 0 && p < end) {
        const char *column = p + 1, *stop = end_of(column, end, '\t');
        for (int skip = at; skip > 0 && column < stop; skip--)
            column = end_of(column, stop, ':') + 1;
        if (column < stop)
            count_call(column, end_of(column, stop, ':'), counts);
        p = stop;
    }
    return status;
}

static bool is_key(const char *p, const char *end, const char *key)
{
    return end - p >= 2 && memcmp(p, key, 2) == 0 && (end - p == 2 || p[2] == '=');
}

/* AC=1,2 and so on; nothing without ALT or calls. */
static int add_counted(const char *key, const struct counts *counts, struct gt_buf *info, struct gt_err *err)
{
    const int64_t *of = (const int64_t *)(const void *)counts->of.data;
    const bool number = key[1] == 'N', fraction = key[1] == 'F';
    if (!counts->any_gt || (!number && counts->alleles < 2))
        return GT_OK;
    int status = gt_buf_reserve(info, info->len + 4 + (GT_DECIMAL_LEN + 1) * (size_t)counts->alleles + GT_DECIMAL_LEN, err);
    if (status)
        return status;
    char *at = (char *)info->data + info->len;
    at[0] = key[0], at[1] = key[1], at[2] = '=';
    at += 3;
    if (number)
        at = gt_decimal_uint(at, (uint64_t)counts->all);
    for (int64_t a = 1; a < counts->alleles && !number; a++) {
        if (a > 1)
            *at++ = ',';
        if (fraction && !counts->all)
            *at++ = '.';
        else
            at = fraction ? gt_decimal_vcf(at, (double)(float)((double)of[a] / (double)counts->all)) : gt_decimal_uint(at, (uint64_t)of[a]);
    }
    *at++ = ';';
    info->len = (size_t)(at - (char *)info->data);
    return GT_OK;
}

/* INFO [p, end) with what was counted, each part with a semicolon after it. */
static int make_info(const char *p, const char *end, const struct counts *counts, struct gt_buf *info, struct gt_err *err)
{
    int status = GT_OK;
    for (; p < end && !status;) {
        const char *stop = end_of(p, end, ';');
        const char *counted = is_key(p, stop, "AC") ? "AC" : is_key(p, stop, "AN") ? "AN" : is_key(p, stop, "AF") ? "AF" : NULL;
        if (counted)
            status = add_counted(counted, counts, info, err);
        else if (!(status = gt_buf_append(info, p, (size_t)(stop - p), err)))
            status = gt_buf_append(info, ";", 1, err);
        p = stop + 1;
    }
    if (!status && !info->len)
        status = gt_buf_append(info, ".;", 2, err);
    info->len -= !status;
    return status;
}

/* INFO begins at `from`. */
static int count_again(struct gt_buf *text, size_t from, int64_t alleles, struct gt_err *err)
{
    const char *p = (const char *)text->data + from, *end = (const char *)text->data + text->len, *tab = end_of(p, end, '\t');
    struct counts counts = {.of.budget = text->budget, .alleles = alleles};
    struct gt_buf info = {.budget = text->budget};
    const size_t old = (size_t)(tab - p), rest = (size_t)(end - tab);
    int status = tab < end ? count_calls(tab + 1, end, &counts, err) : GT_OK;
    status = status ? status : make_info(p, tab, &counts, &info, err);
    status = status ? status : gt_buf_reserve(text, text->len + info.len, err);
    if (!status) {
        uint8_t *to = text->data + from;
        memmove(to + info.len, to + old, rest);
        memcpy(to, info.data, info.len);
        text->len = from + info.len + rest;
    }
    gt_buf_release(&info);
    gt_buf_release(&counts.of);
    return status;
}

int gt_record_copy(const struct gt_block *block, const struct gt_site *site, int64_t n_samples, bool recount, struct gt_buf *text,
                   struct gt_err *err)
{
    const struct gt_record_body *record = gt_block_record(block, site);
    const size_t from = text->len;
    int status = record->bcf ? gt_record_copy_bcf(block, site, n_samples, text, err)
                             : gt_buf_append(text, block->texts.data + record->from, record->n - (record->n > 0), err);
    return status || !recount ? status : count_again(text, from, site->n_alleles, err);
}
