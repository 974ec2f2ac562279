/* VCF text, plain or BGZF: GT alone, written from packed rows by table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/size.h"
#include "out/bgzf.h"
#include "out/calls.h"

/* Most bytes of a line in front of its genotypes, without the texts. */
#define FIXED_BYTES 128

struct vcf {
    struct gt_calls_sink base;
    struct gt_vcf_opts opts;
    struct gt_outfile file;
    struct gt_strs contigs, filters; /* copies: format runs beside others */
    int64_t n_samples;
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

static void make_tables(struct vcf *vcf)
{
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
            memcpy(vcf->quad[byte] + 4 * i, vcf->call[byte >> 2 * i & 3], 4);
}

/* --- header ----------------------------------------------------------------- */

static void header_text(const struct vcf *vcf, const struct gt_source_info *info, struct gt_str *text)
{
    gt_str_add(text, "##fileformat=VCFv4.3\n##FILTER=<ID=PASS,Description=\"All filters passed\">\n");
    if (vcf->opts.history)
        gt_str_addf(text, "##source=%s\n", vcf->opts.history);
    for (size_t c = 0; c < info->contigs.n; c++) {
        int64_t length = (c + 1) * sizeof(int64_t) <= info->contig_lengths.len ? ((const int64_t *)info->contig_lengths.data)[c] : 0;
        gt_str_addf(text, "##contig=<ID=%s", gt_strs_get(&info->contigs, c));
        if (length > 0)
            gt_str_addf(text, ",length=%lld", (long long)length);
        gt_str_add(text, ">\n");
    }
    for (size_t f = 1; f < info->filters.n; f++)
        gt_str_addf(text, "##FILTER=<ID=%s,Description=\"\">\n", gt_strs_get(&info->filters, f));
    gt_str_add(text, "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
                     "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT");
    for (size_t s = 0; s < info->samples.n; s++) {
        gt_str_add(text, "\t");
        gt_str_add(text, gt_strs_get(&info->samples, s));
    }
    gt_str_add(text, "\n");
}

int64_t gt_vcf_variant_bytes(int64_t n_samples, int level)
{
    return (4 * n_samples + FIXED_BYTES) * (level ? 2 : 1);
}

static int begin(struct gt_calls_sink *base, const struct gt_source_info *info, struct gt_err *err)
{
    struct vcf *vcf = (struct vcf *)base;
    struct gt_str text = {0};
    struct gt_buf packed = {0};
    int status = 0;

    vcf->n_samples = info->n_samples;
    vcf->contigs.budget = info->contigs.budget;
    vcf->filters.budget = info->filters.budget;
    if ((status = gt_strs_copy(&vcf->contigs, &info->contigs, err)) != 0 ||
        (status = gt_strs_copy(&vcf->filters, &info->filters, err)) != 0)
        return status;
    base->variant_bytes = gt_vcf_variant_bytes(info->n_samples, vcf->opts.level);
    header_text(vcf, info, &text);
    if (gt_str_check(&text, err)) {
        status = GT_FAIL;
    } else if (vcf->opts.level) {
        status = gt_bgzf_compress(text.s, text.len, vcf->opts.level, &packed, err);
        if (!status)
            status = gt_outfile_write(&vcf->file, packed.data, packed.len, err);
    } else {
        status = gt_outfile_write(&vcf->file, text.s, text.len, err);
    }
    gt_str_release(&text);
    gt_buf_release(&packed);
    return status;
}

/* --- lines ------------------------------------------------------------------- */

/* Bytes that the line of a site may take. */
static size_t line_bytes(const struct vcf *vcf, const struct gt_block *block, const struct gt_site *site)
{
    size_t n = FIXED_BYTES + strlen(gt_strs_get(&vcf->contigs, (size_t)site->contig)) + strlen(gt_strs_get(&block->ids, site->id));
    for (int32_t a = 0; a < site->n_alleles; a++)
        n += strlen(gt_strs_get(&block->alleles, site->first_allele + (size_t)a)) + 1;
    for (uint32_t f = 0; f < site->filter_n; f++)
        n += strlen(gt_strs_get(&vcf->filters, (size_t)((const int32_t *)block->filters.data)[site->filter_from + f])) + 1;
    return n + (size_t)vcf->n_samples * 4 + 16;
}

static void put_text(struct pen *pen, const char *text, char after)
{
    put(pen, text, strlen(text));
    *pen->at++ = after;
}

static void put_fixed(struct pen *pen, const struct vcf *vcf, const struct gt_block *block, const struct gt_site *site)
{
    uint32_t quality;

    put_text(pen, gt_strs_get(&vcf->contigs, (size_t)site->contig), '\t');
    pen->at += snprintf(pen->at, 24, "%lld\t", (long long)site->position);
    put_text(pen, gt_strs_get(&block->ids, site->id), '\t');
    for (int32_t a = 0; a < site->n_alleles; a++)
        put_text(pen, gt_strs_get(&block->alleles, site->first_allele + (size_t)a), a == 0 || a == site->n_alleles - 1 ? '\t' : ',');
    if (site->n_alleles == 1)
        put(pen, ".\t", 2);
    memcpy(&quality, &site->quality, sizeof quality);
    if (quality == GT_QUALITY_MISSING)
        put(pen, ".\t", 2);
    else
        pen->at += snprintf(pen->at, 32, "%g\t", (double)site->quality);
    for (uint32_t f = 0; f < site->filter_n; f++)
        put_text(pen, gt_strs_get(&vcf->filters, (size_t)((const int32_t *)block->filters.data)[site->filter_from + f]),
                 f + 1 == site->filter_n ? '\t' : ';');
    if (site->filter_n == 0)
        put(pen, ".\t", 2);
    put(pen, ".\tGT\t", 5);
}

static void put_calls(struct pen *pen, const struct vcf *vcf, const struct gt_calls *calls, int64_t v, bool multiallelic)
{
    const uint8_t *row = gt_block_row(&calls->block, v);
    const uint8_t *phase = calls->phase.len ? calls->phase.data + (size_t)v * calls->block.stride : NULL;
    const uint8_t *second = multiallelic && calls->second.len ? calls->second.data + (size_t)v * calls->block.stride : NULL;
    char *at = pen->at;

    pen->at += 4 * vcf->n_samples;
    if (!phase && !second) {
        for (int64_t i = 0; 4 * i < vcf->n_samples; i++, at += 16)
            memcpy(at, vcf->quad[row[i]], 16);
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

static int format(struct gt_calls_sink *base, const struct gt_calls *calls, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    const struct vcf *vcf = (const struct vcf *)base;
    const struct gt_block *block = &calls->block;
    struct gt_buf *text = vcf->opts.level ? &bytes[1] : &bytes[0];
    size_t room = 0;
    int status;

    for (int64_t v = 0; v < block->n; v++)
        room += line_bytes(vcf, block, gt_block_sites(block) + v);
    bytes[0].len = text->len = 0;
    if ((status = gt_buf_reserve(text, room, err)))
        return status;
    struct pen pen = {(char *)text->data};
    for (int64_t v = 0; v < block->n; v++) {
        const struct gt_site *site = gt_block_sites(block) + v;
        put_fixed(&pen, vcf, block, site);
        put_calls(&pen, vcf, calls, v, site->multiallelic);
        pen.at[-1] = '\n';
    }
    text->len = (size_t)(pen.at - (char *)text->data);
    return vcf->opts.level ? gt_bgzf_compress(text->data, text->len, vcf->opts.level, &bytes[0], err) : 0;
}

static int write_bytes(struct gt_calls_sink *base, const struct gt_calls *calls, const struct gt_buf bytes[GT_CALLS_BUFS],
                       struct gt_err *err)
{
    (void)calls;
    return gt_outfile_write(&((struct vcf *)base)->file, bytes[0].data, bytes[0].len, err);
}

static int finish(struct gt_calls_sink *base, struct gt_err *err)
{
    struct vcf *vcf = (struct vcf *)base;
    int status = vcf->opts.level ? gt_outfile_write(&vcf->file, gt_bgzf_end, sizeof gt_bgzf_end, err) : 0;
    return status ? status : gt_outfile_commit(&vcf->file, err);
}

static void vcf_free(struct gt_calls_sink *base)
{
    struct vcf *vcf = (struct vcf *)base;
    gt_outfile_abort(&vcf->file);
    gt_strs_release(&vcf->contigs);
    gt_strs_release(&vcf->filters);
    free(vcf);
}

int gt_sink_vcf(struct gt_calls_sink **out, const char *path, const struct gt_vcf_opts *opts, struct gt_err *err)
{
    static const struct gt_calls_sink_ops ops = {begin, format, write_bytes, finish, vcf_free};
    struct vcf *vcf = gt_alloc(1, sizeof *vcf, err);

    if (!vcf)
        return GT_FAIL;
    vcf->base.ops = &ops;
    vcf->base.fields = GT_SITE_ALL;
    vcf->base.want = (opts->phased ? GT_CALLS_PHASE : 0) | (opts->alts ? GT_CALLS_ALTS : 0);
    vcf->opts = *opts;
    make_tables(vcf);
    int status = gt_outfile_open(&vcf->file, path, opts->level > 0, err);
    if (status) {
        free(vcf);
        return status;
    }
    *out = &vcf->base;
    return 0;
}
