/* Bodies of BCF records as VCF text, as htslib's vcf_format writes them. */
#include "geno/vcf/bcf_value.h"
#include "geno/vcf/record_copy.h"
#include "geno/vcf/vcf_header.h"
#include "storage/text/decimal.h"

/* A FORMAT field of a record. */
struct format {
    struct gt_bcf_value value; /* of the first sample */
    const char *key;
    bool gt;
};

struct copy {
    const struct gt_vcf_header *header;
    const uint8_t *p, *end;
    struct gt_buf *text;
    struct gt_err *err;
    const struct gt_block *block;
    const struct gt_site *site;
};

static int damaged(const struct copy *copy)
{
    return gt_fail(copy->err, GT_INPUT, "%s:%lld: INFO or FORMAT of the BCF record is damaged", gt_site_contig(copy->block, copy->site),
                   (long long)copy->site->position);
}

static int put(const struct copy *copy, const char *text, size_t n)
{
    return gt_buf_append(copy->text, text, n, copy->err);
}

static int read_key(struct copy *copy, const char **name)
{
    struct gt_bcf_value key;
    if (!gt_bcf_value(&copy->p, copy->end, &key) || !gt_bcf_is_int(&key) || key.n != 1)
        return damaged(copy);
    const int32_t k = gt_bcf_int(&key, 0);
    *name = k >= 0 && (size_t)k < copy->header->keys.n ? gt_strs_get(&copy->header->keys, (size_t)k) : "";
    return **name ? GT_OK : damaged(copy);
}

/* Up to the first NUL; the byte 7 is a missing string. */
static int put_chars(const struct copy *copy, const struct gt_bcf_value *v)
{
    const size_t n = strnlen((const char *)v->data, (size_t)v->n);
    return n == 0 || v->data[0] == 7 ? put(copy, ".", 1) : put(copy, (const char *)v->data, n);
}

static bool is_end(const struct gt_bcf_value *v, int64_t i)
{
    return v->type == GT_BCF_FLOAT ? gt_le32(v->data + 4 * (size_t)i) == GT_VCF_FLOAT_END : gt_bcf_int(v, i) == gt_bcf_missing(v) + 1;
}

static char *put_number(char *at, const struct gt_bcf_value *v, int64_t i)
{
    float number;
    if (v->type != GT_BCF_FLOAT) {
        const int32_t whole = gt_bcf_int(v, i);
        return whole == gt_bcf_missing(v) ? (*at = '.', at + 1) : gt_decimal_small(at, whole);
    }
    const uint32_t bits = gt_le32(v->data + 4 * (size_t)i);
    if (bits == GT_VCF_FLOAT_MISSING)
        return *at = '.', at + 1;
    memcpy(&number, &bits, sizeof number);
    return gt_decimal_vcf(at, (double)number);
}

static int put_values(const struct copy *copy, const struct gt_bcf_value *v)
{
    if (v->n == 0 || v->type == GT_BCF_NULL)
        return put(copy, ".", 1);
    if (v->type == GT_BCF_CHAR)
        return put_chars(copy, v);
    int status = gt_bcf_reserve(copy->text, (size_t)v->n * (GT_DECIMAL_LEN + 1), copy->err);
    if (status)
        return status;
    char *begin = (char *)copy->text->data + copy->text->len, *at = begin;
    for (int64_t i = 0; i < v->n && !is_end(v, i); i++) {
        if (i)
            *at++ = ',';
        at = put_number(at, v, i);
    }
    copy->text->len += (size_t)(at - begin);
    return GT_OK;
}

/* An allele is (number + 1) << 1 | phased. */
static int put_call(const struct copy *copy, const struct gt_bcf_value *v)
{
    int status = gt_bcf_reserve(copy->text, (size_t)v->n * (GT_DECIMAL_LEN + 1) + 1, copy->err);
    if (status)
        return status;
    char *begin = (char *)copy->text->data + copy->text->len, *at = begin;
    for (int64_t i = 0; i < v->n && gt_bcf_is_int(v) && !is_end(v, i); i++) {
        const int32_t allele = gt_bcf_int(v, i);
        if (i)
            *at++ = allele & 1 ? '|' : '/';
        at = allele >> 1 > 0 ? gt_decimal_small(at, (allele >> 1) - 1) : (*at = '.', at + 1);
    }
    if (at == begin)
        *at++ = '.';
    copy->text->len += (size_t)(at - begin);
    return GT_OK;
}

static int put_info(struct copy *copy, uint32_t n)
{
    int status = n ? GT_OK : put(copy, ".", 1);
    for (uint32_t i = 0; i < n && !status; i++) {
        struct gt_bcf_value v;
        const char *key;
        if ((status = read_key(copy, &key)))
            break;
        if (!gt_bcf_value(&copy->p, copy->end, &v))
            return damaged(copy);
        status = i ? put(copy, ";", 1) : GT_OK;
        status = status ? status : put(copy, key, strlen(key));
        if (!status && v.n > 0 && v.type != GT_BCF_NULL)
            status = put(copy, "=", 1) ? GT_FAIL : put_values(copy, &v);
    }
    return status;
}

static int read_formats(struct copy *copy, uint32_t n, int64_t n_samples, struct format *list)
{
    int status = GT_OK;
    for (uint32_t i = 0; i < n && !status; i++) {
        struct format *f = &list[i];
        if ((status = read_key(copy, &f->key)))
            break;
        if (!gt_bcf_descriptor(&copy->p, copy->end, &f->value))
            return damaged(copy);
        const uint64_t bytes = (uint64_t)f->value.n * f->value.size * (uint64_t)n_samples;
        if (bytes > (uint64_t)(copy->end - copy->p))
            return damaged(copy);
        f->value.data = copy->p;
        copy->p += bytes;
        f->gt = strcmp(f->key, "GT") == 0;
        status = put(copy, i ? ":" : "\t", 1);
        status = status ? status : put(copy, f->key, strlen(f->key));
    }
    return status;
}

static int put_sample(const struct copy *copy, uint32_t n, struct format *list)
{
    int status = GT_OK;
    for (uint32_t i = 0; i < n && !status; i++) {
        struct format *f = &list[i];
        status = put(copy, i ? ":" : "\t", 1);
        status = status ? status : f->gt ? put_call(copy, &f->value) : put_values(copy, &f->value);
        f->value.data += (size_t)f->value.n * f->value.size;
    }
    return status;
}

int gt_record_copy_bcf(const struct gt_block *block, const struct gt_site *site, int64_t n_samples, struct gt_buf *text, struct gt_err *err)
{
    const struct gt_record_body *record = gt_block_record(block, site);
    const uint8_t *body = block->texts.data + record->from;
    struct format list[256]; /* BCF counts them in a byte */
    struct copy copy = {record->bcf, body, body + record->info_bytes, text, err, block, site};
    int status = put_info(&copy, record->n_info);
    copy.p = body + record->info_bytes;
    copy.end = body + record->n;
    status = status ? status : read_formats(&copy, record->n_format & 255, n_samples, list);
    for (int64_t s = 0; s < n_samples && record->n_format && !status; s++)
        status = put_sample(&copy, record->n_format & 255, list);
    for (int64_t s = 0; s <= n_samples && n_samples && !record->n_format && !status; s++)
        status = put(&copy, "\t.", 2);
    return status;
}
