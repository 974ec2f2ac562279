/* The header of a VCF or BCF: how long it is, and what it says. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/le.h"
#include "core/base/mem.h"
#include "geno/vcf/vcf_internal.h"

#define HEADER_MAX ((size_t)256 << 20)

/* Bytes of the header at the head of `text`: up to and with the #CHROM line; 0 = not
 * all is there yet. */
static size_t text_header(const struct gt_buf *text, size_t *from, bool *no_header)
{
    const char *p = (const char *)text->data + *from, *end = (const char *)text->data + text->len;
    for (const char *nl; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
        if (*p != '#') {
            *no_header = true;
            return 0;
        }
        if (end - p > 1 && p[1] != '#')
            return (size_t)(nl + 1 - (const char *)text->data);
    }
    *from = (size_t)(p - (const char *)text->data); /* the line that is not whole yet */
    return 0;
}

/* BCF: "BCF\2\2", the length of the header's text, the text. */
static int bcf_header(const struct gt_vcf *vcf, const struct gt_buf *text, size_t *size, struct gt_err *err)
{
    *size = 0;
    if (text->len < 9)
        return 0;
    if (memcmp(text->data, "BCF\2", 4) != 0)
        return gt_fail(err, GT_INPUT, "'%s' is not a BCF2 file", vcf->base.info.name);
    size_t n = gt_le32(text->data + 5);
    if (n > HEADER_MAX)
        return gt_fail(err, GT_INPUT, "'%s': bad BCF header: it claims %zu bytes", vcf->base.info.name, n);
    if (text->len - 9 >= n)
        *size = n + 9;
    return 0;
}

/* Reads on until the header is whole; its size into *size. */
static int read_header(struct gt_vcf *vcf, size_t *size, struct gt_err *err)
{
    struct gt_buf *text = &vcf->carry;
    size_t from = 0;
    bool no_header = false;
    *size = 0;
    for (;;) {
        int status = gt_bytes_pull(vcf->bytes, text, err);
        if (status > 0)
            return status;
        if (status == GT_END) {
            if (vcf->bcf || (!from && text->len == 0))
                return gt_fail(err, GT_INPUT, "'%s' is truncated: it ends inside its header", vcf->base.info.name);
            if (text->data[text->len - 1] == '\n')
                return gt_fail(err, GT_INPUT, "'%s': bad VCF header: there is no #CHROM line", vcf->base.info.name);
            status = gt_buf_append(text, "\n", 1, err);
            if (status)
                return status;
        }
        if (vcf->bcf)
            status = bcf_header(vcf, text, size, err);
        else
            *size = text_header(text, &from, &no_header);
        if (status > 0 || *size)
            return status > 0 ? status : 0;
        if (no_header)
            return gt_fail(err, GT_INPUT, "'%s': bad VCF header: there is no #CHROM line before the records", vcf->base.info.name);
        if (text->len > HEADER_MAX)
            return gt_fail(err, GT_INPUT, "'%s': bad VCF header: it is longer than %zu MiB", vcf->base.info.name, HEADER_MAX >> 20);
    }
}

/* A line of the header without ",IDX=3": it gets a new one. */
static int keep_line(struct gt_geno_info *info, const char *line, size_t n, struct gt_err *err)
{
    const char *end = line + n, *at = memmem(line, n, ",IDX=", 5), *rest = at ? at + 5 : end;
    while (rest < end && *rest >= '0' && *rest <= '9')
        rest++;
    int status = gt_buf_append(&info->head, line, (size_t)((at ? at : end) - line), err);
    status = status ? status : gt_buf_append(&info->head, rest, (size_t)(end - rest), err);
    return status ? status : gt_buf_append(&info->head, "\n", 1, err);
}

static int keep_head(struct gt_geno_info *info, const char *text, size_t n, struct gt_err *err)
{
    int status = GT_OK;
    for (const char *p = text, *end = text + n; p < end && !status;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        if (stop - p > 2 && p[1] == '#')
            status = keep_line(info, p, (size_t)(stop - p) - (stop[-1] == '\r'), err);
        p = stop + 1;
    }
    return status;
}

static int parse_header(struct gt_vcf *vcf, size_t size, struct gt_err *err)
{
    size_t from = vcf->bcf ? 9 : 0;
    struct gt_geno_info *info = &vcf->base.info;
    size_t n = size - from;
    while (vcf->bcf && n && vcf->carry.data[from + n - 1] == '\0') /* NULs end BCF's text */
        n--;
    char *text = gt_alloc(n + 2, 1, err);
    if (!text)
        return GT_FAIL;
    memcpy(text, vcf->carry.data + from, n);
    for (size_t i = 0; i < n; i++)
        vcf->header_lines += text[i] == '\n';
    int status = vcf->select.records ? keep_head(info, text, n, err) : GT_OK;
    status = status ? status : gt_vcf_header_parse(&vcf->header, info, text, n, err);
    free(text);
    if (!status && !info->n_samples && !vcf->select.records)
        status = gt_fail(err, GT_INPUT, "'%s' has no samples (sites-only VCF)", info->name);
    if (status)
        return status;
    info->open_contigs = !vcf->bcf;
    info->n_variants = info->n_variants_max = -1;
    info->has = GT_HAS_ALL | GT_HAS_RECORDS;
    memmove(vcf->carry.data, vcf->carry.data + size, vcf->carry.len - size);
    vcf->carry.len -= size;
    return 0;
}

/* The first record, so that tasks can be sized by it, and as many more as show the ploidy. */
static int read_first_records(struct gt_vcf *vcf, struct gt_err *err)
{
    const size_t record = (size_t)64 << 20, ploidy = (size_t)1 << 20;
    int *shown = &vcf->base.info.ploidy, status = 0;
    while (!status && !vcf->bcf && vcf->carry.len < record && !memchr(vcf->carry.data, '\n', vcf->carry.len))
        status = gt_bytes_pull(vcf->bytes, &vcf->carry, err);
    *shown = gt_vcf_ploidy_shown(vcf);
    while (!status && vcf->base.info.n_samples && !*shown && vcf->carry.len < ploidy) {
        status = gt_bytes_pull(vcf->bytes, &vcf->carry, err);
        *shown = gt_vcf_ploidy_shown(vcf);
    }
    gt_bytes_set_start(vcf->bytes);
    return status == GT_END ? 0 : status;
}

/* A call takes 2 bytes in BCF and 4 as text, a small number 1 and up to 4, one of 16 bits 2 and up to 6, a float 4 and about 10. */
enum { TEXT_OF_BCF = 3 };

/* The bytes of the record at text, of which n are there; the last one of a text may lack its line end. */
static int64_t record_size(const uint8_t *text, size_t n, bool bcf)
{
    const uint8_t *end = bcf || !n ? NULL : memchr(text, '\n', n);
    if (bcf && n >= 8)
        return 8 + (int64_t)gt_le32(text) + gt_le32(text + 4);
    return end ? end - text + 1 : (int64_t)n;
}

/* Of the records that have been read whole, or of the first one: how long the longest is.  *mean: all of them. */
static int64_t longest_record(const struct gt_buf *text, bool bcf, int64_t *mean)
{
    int64_t longest = *mean = record_size(text->data, text->len, bcf), n = 0, size;
    size_t at = 0;
    for (; at < text->len; at += (size_t)size, n++) {
        size = record_size(text->data + at, text->len - at, bcf);
        if ((size_t)size > text->len - at || (!bcf && text->data[at + (size_t)size - 1] != '\n'))
            break;
        longest = size > longest ? size : longest;
    }
    if (n)
        *mean = (int64_t)at / n;
    return longest;
}

/* As many as there would be if all were as long as the first ones. */
static int64_t guess_records(const struct gt_vcf *vcf, size_t header, int64_t length)
{
    const int64_t left = gt_bytes_guess(vcf->bytes, header + vcf->carry.len) - (int64_t)header;
    return length > 0 && left > 0 ? left / length : 0;
}

int gt_vcf_read_header(struct gt_vcf *vcf, struct gt_err *err)
{
    size_t size;
    int64_t mean = 0;
    int status = read_header(vcf, &size, err);
    if (!status)
        status = parse_header(vcf, size, err);
    if (!status)
        status = read_first_records(vcf, err);
    if (!status)
        vcf->base.info.record_bytes = longest_record(&vcf->carry, vcf->bcf, &mean);
    if (!status)
        vcf->base.info.record_text = (vcf->bcf ? TEXT_OF_BCF : 1) * vcf->base.info.record_bytes;
    if (!status)
        vcf->base.info.n_variants_guess = guess_records(vcf, size, mean);
    if (!status && gt_bytes_can_seek(vcf->bytes))
        vcf->first = gt_bytes_place(vcf->bytes, size);
    return status;
}
