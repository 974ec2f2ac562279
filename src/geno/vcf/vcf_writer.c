/* VCF text, plain or BGZF: GT alone, written from packed rows by table, or the records of a store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/engine/memory_plan.h"
#include "geno/model/dosage.h"
#include "geno/model/ploidy.h"
#include "geno/model/site_check.h"
#include "geno/vcf/header_writer.h"
#include "geno/vcf/record_file.h"
#include "geno/vcf/record_writer.h"
#include "geno/vcf/vcf_writers.h"
#include "storage/text/decimal.h"

/* Most bytes of a line before its genotypes, without the texts. */
#define FIXED_BYTES 160

struct vcf {
    struct gt_calls_sink base;
    struct gt_vcf_opts opts;
    struct gt_records *records;
    int64_t n_samples;
    size_t width;       /* of a call with its tab: 4; 2 of haploid data */
    char quad[256][16]; /* text of a packed byte: four unphased biallelic calls */
    char call[32][4];   /* text of one call, by the bits of gt_call_alleles */
};

/* Room for text at the end of a buffer that has been reserved. */
struct pen {
    char *at;
};

static void put(struct pen *pen, const char *text, size_t n)
{
    memcpy(pen->at, text, n);
    pen->at += n;
}

static void make_tables(struct vcf *vcf, int ploidy)
{
    static const char one[4][2] = {"0\t", "1\t", "1\t", ".\t"}; /* of haploid data, which has no phases or second ALTs */
    vcf->width = ploidy == GT_HAPLOID ? sizeof one[0] : sizeof vcf->call[0];
    for (unsigned bits = 0; bits < 32; bits++) {
        struct gt_alleles a = gt_call_alleles(bits, vcf->opts.phased);
        char *to = vcf->call[bits];
        to[0] = a.first < 0 ? '.' : (char)('0' + a.first);
        to[1] = vcf->opts.phased ? '|' : '/';
        to[2] = a.second < 0 ? '.' : (char)('0' + a.second);
        to[3] = '\t';
    }
    for (unsigned byte = 0; byte < 256; byte++)
        for (unsigned i = 0; i < 4; i++)
            memcpy(vcf->quad[byte] + vcf->width * i, ploidy == GT_HAPLOID ? one[byte >> 2 * i & 3] : vcf->call[byte >> 2 * i & 3],
                   vcf->width);
}

/* --- lines ------------------------------------------------------------------- */

int64_t gt_vcf_variant_bytes(int64_t n_samples, int level)
{
    return (4 * n_samples + FIXED_BYTES) * (level ? 2 : 1);
}

int64_t gt_record_variant_bytes(const struct gt_geno_info *info, int level)
{
    const int64_t record = gt_bytes_add(gt_record_bytes(info), FIXED_BYTES);

    return gt_bytes_add(record, gt_bytes_mul(level ? 4 : 2, record));
}

static int begin(struct gt_calls_sink *base, const struct gt_geno_info *info, struct gt_err *err)
{
    struct vcf *vcf = (struct vcf *)base;
    struct gt_str text = {0};

    vcf->n_samples = info->n_samples;
    make_tables(vcf, info->ploidy);
    base->variant_bytes =
        vcf->opts.records ? gt_record_variant_bytes(info, vcf->opts.level) : gt_vcf_variant_bytes(info->n_samples, vcf->opts.level);
    int status = gt_vcf_head(&text, info, &vcf->opts, err);
    if (!status)
        status = gt_records_head(vcf->records, info, text.s, text.len, err);
    gt_str_release(&text);
    return status;
}

/* Bytes that the fixed columns of a site may take. */
static size_t site_bytes(const struct gt_block *block, const struct gt_site *site)
{
    size_t n = FIXED_BYTES + strlen(gt_site_contig(block, site)) + strlen(gt_site_id(block, site));
    for (int32_t a = 0; a < site->n_alleles; a++)
        n += strlen(gt_site_allele(block, site, a)) + 1;
    for (uint32_t f = 0; f < site->filter_n; f++)
        n += strlen(gt_strs_get(&block->filter_names, (size_t)gt_site_filter(block, site, f))) + 1;
    return n;
}

/* And all of its line. */
static size_t line_bytes(const struct vcf *vcf, const struct gt_block *block, const struct gt_site *site)
{
    return site_bytes(block, site) + (size_t)vcf->n_samples * (site->calls ? GT_ALLELES_TEXT : 4) + 16;
}

static void put_text(struct pen *pen, const char *text, char after)
{
    put(pen, text, strlen(text));
    *pen->at++ = after;
}

static void put_fixed(struct pen *pen, const struct gt_block *block, const struct gt_site *site)
{
    uint32_t quality;

    put_text(pen, gt_site_contig(block, site), '\t');
    pen->at += snprintf(pen->at, 24, "%lld\t", (long long)site->position);
    put_text(pen, gt_site_id(block, site), '\t');
    for (int32_t a = 0; a < site->n_alleles; a++)
        put_text(pen, gt_site_allele(block, site, a), a == 0 || a == site->n_alleles - 1 ? '\t' : ',');
    if (site->n_alleles == 1)
        put(pen, ".\t", 2);
    memcpy(&quality, &site->quality, sizeof quality);
    if (quality == GT_VCF_FLOAT_MISSING)
        put(pen, ".\t", 2);
    else
        pen->at = gt_decimal_vcf(pen->at, (double)site->quality), *pen->at++ = '\t';
    for (uint32_t f = 0; f < site->filter_n; f++)
        put_text(pen, gt_strs_get(&block->filter_names, (size_t)gt_site_filter(block, site, f)), f + 1 == site->filter_n ? '\t' : ';');
    if (site->filter_n == 0)
        put(pen, ".\t", 2);
}

int gt_record_site(const struct gt_block *block, const struct gt_site *site, struct gt_buf *text, struct gt_err *err)
{
    const size_t room = text->len + site_bytes(block, site);
    int status = text->cap < room ? gt_buf_reserve(text, room + room / 2, err) : GT_OK;
    if (status)
        return status;
    struct pen pen = {(char *)text->data + text->len};
    put_fixed(&pen, block, site);
    text->len = (size_t)(pen.at - (char *)text->data);
    return GT_OK;
}

/* Into the text of n calls of four bytes each. */
static void put_phases(char *text, const uint8_t *row, const uint8_t *phases, int64_t n)
{
    for (int64_t i = 0; 32 * i < n; i++)
        for (uint64_t hets = gt_het_codes(row, 0, n, i); hets; hets &= hets - 1) {
            const int64_t s = 32 * i + __builtin_ctzll(hets) / 2;
            const unsigned phase = gt_get_phase(phases, s);
            if (phase)
                memcpy(text + 4 * s, phase == GT_PHASED_ASCENDING ? "0|1" : "1|0", 3);
        }
}

static void put_calls(struct pen *pen, const struct vcf *vcf, const struct gt_calls *calls, int64_t v, bool multiallelic)
{
    const uint8_t *phases = gt_block_phases(&calls->block, gt_block_sites(&calls->block) + v);
    const uint8_t *row = gt_block_row(&calls->block, v);
    const uint8_t *phase = calls->phase.len ? calls->phase.data + (size_t)v * calls->block.stride : NULL;
    const uint8_t *second = multiallelic && calls->second.len ? calls->second.data + (size_t)v * calls->block.stride : NULL;
    char *at = pen->at;

    pen->at += (int64_t)vcf->width * vcf->n_samples;
    if (!phase && !second) {
        for (int64_t i = 0; 4 * i < vcf->n_samples; i++)
            memcpy(at + 4 * vcf->width * (size_t)i, vcf->quad[row[i]], sizeof vcf->quad[0]);
        if (phases && vcf->width == 4)
            put_phases(at, row, phases, vcf->n_samples);
        return;
    }
    for (int64_t s = 0; s < vcf->n_samples; s++, at += 4) {
        int64_t i = s / 4;
        int shift = (int)(s % 4) * 2;
        unsigned bits = row[i] >> shift & 3;
        bits |= phase ? (phase[i] >> shift & 1u) << 2 : 0;
        bits |= second ? (second[i] >> shift & 3u) << 3 : 0;
        memcpy(at, vcf->call[bits], 4);
    }
}

/* Of a site whose calls have alleles above 1. */
static void put_alleles(struct pen *pen, const struct vcf *vcf, const uint8_t *row, const uint8_t *alleles, const uint8_t *phases)
{
    for (int64_t s = 0; s < vcf->n_samples; s++)
        pen->at = gt_put_alleles_text(pen->at, row[s / 4] >> 2 * (s & 3) & 3, alleles + 2 * s, gt_get_phase(phases, s), vcf->width == 2);
}

static int format(struct gt_calls_sink *base, const struct gt_calls *calls, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    const struct vcf *vcf = (const struct vcf *)base;
    const struct gt_block *block = &calls->block;
    struct gt_buf *text = &bytes[GT_RECORDS_TEXT];
    size_t room = 0;
    int status = 0;

    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site *site = gt_block_sites(block) + v;
        status = gt_site_check(block, site, vcf->opts.alts || (vcf->opts.called && !site->pooled), err);
        status = status ? status : gt_site_check_calls(&block->contigs, site, err);
        room += status ? 0 : line_bytes(vcf, block, site);
    }
    text->len = bytes[GT_RECORDS_PLACES].len = 0;
    if (!status)
        status = gt_buf_reserve(text, room, err);
    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site *site = gt_block_sites(block) + v;
        struct pen pen = {(char *)text->data + text->len};
        put_fixed(&pen, block, site);
        const int64_t end = vcf->opts.ends ? gt_site_end(block, site) : 0;
        if (end)
            pen.at += snprintf(pen.at, 32, "END=%lld", (long long)end);
        else
            *pen.at++ = '.';
        put(&pen, "\tGT\t", 4);
        if (site->calls)
            put_alleles(&pen, vcf, gt_block_row(block, v), gt_block_calls(block, site), gt_block_phases(block, site));
        else
            put_calls(&pen, vcf, calls, v, site->multiallelic);
        pen.at[-1] = '\n';
        text->len = (size_t)(pen.at - (char *)text->data);
        status = gt_records_add(vcf->records, site, bytes, err);
    }
    return status ? status : gt_records_pack(vcf->records, bytes, err);
}

/* A line of what the store says of a site. */
static int add_line(void *ctx, const struct gt_block *block, const struct gt_site *site, struct gt_buf *text, struct gt_err *err)
{
    const struct gt_record_view record = gt_record_view(block, site);
    int status = gt_site_check(block, site, true, err);
    (void)ctx;
    status = status ? status : gt_record_check(&record, block, site, err);
    status = status ? status : gt_record_site(block, site, text, err);
    status = status ? status : gt_record_text(&record, text, err);
    return status ? status : gt_buf_append(text, "\n", 1, err);
}

static int format_records(struct gt_calls_sink *base, const struct gt_calls *calls, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    return gt_records_format(((const struct vcf *)base)->records, &calls->block, add_line, base, bytes, err);
}

static int write_bytes(struct gt_calls_sink *base, const struct gt_calls *calls, const struct gt_buf bytes[GT_CALLS_BUFS],
                       struct gt_err *err)
{
    return gt_records_write(((struct vcf *)base)->records, &calls->block.contigs, bytes, err);
}

static int finish(struct gt_calls_sink *base, struct gt_err *err)
{
    return gt_records_finish(((struct vcf *)base)->records, &base->note, err);
}

static void vcf_free(struct gt_calls_sink *base)
{
    gt_records_free(((struct vcf *)base)->records);
    free(base);
}

int gt_sink_vcf(struct gt_calls_sink **out, const char *path, const struct gt_vcf_opts *opts, struct gt_err *err)
{
    static const struct gt_calls_sink_ops ops = {begin, format, write_bytes, finish, vcf_free};
    static const struct gt_calls_sink_ops ops_records = {begin, format_records, write_bytes, finish, vcf_free};
    struct vcf *vcf = gt_alloc(1, sizeof *vcf, err);

    if (!vcf)
        return GT_FAIL;
    vcf->base.ops = opts->records ? &ops_records : &ops;
    vcf->base.fields =
        GT_SITE_ALL | (opts->records ? GT_SITE_COLUMNS : 0) | (opts->called ? GT_SITE_MULTI | GT_SITE_CALLS | GT_SITE_PHASES : 0);
    vcf->base.want = (opts->phased ? GT_CALLS_PHASE : 0) | (opts->alts ? GT_CALLS_ALTS : 0);
    vcf->base.results = gt_records_results(opts->level, opts->index);
    vcf->opts = *opts;
    const struct gt_records_opts file = {.level = opts->level, .index = opts->index && opts->level};
    int status = gt_records_open(&vcf->records, path, &file, err);
    if (status) {
        free(vcf);
        return status;
    }
    *out = &vcf->base;
    return 0;
}
