/* BCF 2.2: GT alone, written from packed rows by table, or the records of a store. */
#include <stdlib.h>
#include <string.h>

#include "core/base/le.h"
#include "core/base/mem.h"
#include "geno/model/dosage.h"
#include "geno/model/ploidy.h"
#include "geno/model/site_check.h"
#include "geno/vcf/bcf_value.h"
#include "geno/vcf/header_writer.h"
#include "geno/vcf/record_file.h"
#include "geno/vcf/record_writer.h"
#include "geno/vcf/vcf_writers.h"

enum { NARROW_ALLELES = 63 };                   /* that int8 has room for in GT */
enum { LENGTHS = 8, SHARED = 24, COUNTS = 16 }; /* bytes of a record before its texts; where its counts are, after the lengths */

struct bcf {
    struct gt_calls_sink base;
    struct gt_vcf_opts opts;
    struct gt_records *records;
    int64_t n_samples;
    size_t contigs, filters;     /* that the header has */
    int32_t gt, end;             /* numbers of GT and END in the header's dictionary */
    struct gt_record_keys *keys; /* of records: of all fields */
    size_t ploidy;               /* alleles of a call */
    uint8_t quad[256][8];        /* of a packed byte: four unphased calls */
};

/* An allele is (number + 1) << 1, a missing one 0. */
static void make_table(struct bcf *bcf)
{
    static const uint8_t call[4][2] = {{2, 2}, {2, 4}, {4, 4}, {0, 0}}, one[4] = {2, 4, 4, 0};

    for (unsigned byte = 0; byte < 256; byte++)
        for (unsigned i = 0; i < 4; i++)
            memcpy(bcf->quad[byte] + bcf->ploidy * i, bcf->ploidy == GT_HAPLOID ? &one[byte >> 2 * i & 3] : call[byte >> 2 * i & 3],
                   bcf->ploidy);
}

int64_t gt_bcf_variant_bytes(int64_t n_samples)
{
    return 2 * (2 * n_samples + 256);
}

/* FILTERs come first in the dictionary, so that they have their numbers there. */
static int32_t number_of(const struct gt_geno_info *info, const char *name, int32_t next)
{
    for (size_t f = 1; f < info->filters.n; f++)
        if (strcmp(gt_strs_get(&info->filters, f), name) == 0)
            return (int32_t)f;
    return next;
}

static int begin(struct gt_calls_sink *base, const struct gt_geno_info *info, struct gt_err *err)
{
    struct bcf *bcf = (struct bcf *)base;
    struct gt_str text = {0};
    struct gt_buf head = {.budget = info->contigs.budget};

    bcf->n_samples = info->n_samples;
    bcf->ploidy = info->ploidy == GT_HAPLOID ? GT_HAPLOID : GT_DIPLOID;
    make_table(bcf);
    bcf->contigs = info->contigs.n;
    bcf->filters = info->filters.n;
    const int32_t next = info->filters.n ? (int32_t)info->filters.n : 1;
    bcf->gt = number_of(info, "GT", next);
    bcf->end = number_of(info, "END", bcf->gt == next ? next + 1 : next);
    if (bcf->opts.records && gt_record_keys_new(&bcf->keys, info, err))
        return GT_FAIL;
    base->variant_bytes = gt_bcf_variant_bytes(info->n_samples);
    int status = gt_vcf_head(&text, info, &bcf->opts, err);
    if (!status && text.len >= UINT32_MAX)
        status = gt_fail(err, GT_INPUT, "a header of %zu bytes is too long for BCF", text.len);
    if (!status)
        status = gt_buf_resize(&head, 9, err);
    if (!status) {
        memcpy(head.data, "BCF\2\2", 5);
        gt_le_put(head.data + 5, text.len + 1, 4);
        status = gt_buf_append(&head, text.s, text.len + 1, err);
    }
    if (!status)
        status = gt_records_head(bcf->records, info, head.data, head.len, err);
    gt_str_release(&text);
    gt_buf_release(&head);
    return status;
}

static uint8_t *put_filters(uint8_t *to, const struct gt_block *block, const struct gt_site *site)
{
    int32_t most = 0;

    for (uint32_t f = 0; f < site->filter_n; f++)
        most = gt_site_filter(block, site, f) > most ? gt_site_filter(block, site, f) : most;
    to = site->filter_n ? gt_bcf_put_type(to, site->filter_n, gt_bcf_width(most)) : gt_bcf_put_type(to, 0, 0);
    for (uint32_t f = 0; f < site->filter_n; f++)
        to = gt_le_put(to, (uint64_t)gt_site_filter(block, site, f), gt_bcf_size(gt_bcf_width(most)));
    return to;
}

/* --- records -------------------------------------------------------------------- */

/* Tables of the header cannot grow any more. */
int gt_record_check_names(const struct gt_block *block, const struct gt_site *site, size_t contigs, size_t filters, struct gt_err *err)
{
    const char *late = (size_t)site->contig >= contigs ? gt_site_contig(block, site) : NULL;
    for (uint32_t f = 0; f < site->filter_n && !late; f++)
        if (gt_site_filter(block, site, f) > 0 && (size_t)gt_site_filter(block, site, f) >= filters)
            late = gt_strs_get(&block->filter_names, (size_t)gt_site_filter(block, site, f));
    if (!late)
        return GT_OK;
    gt_fail(err, GT_INPUT, "the input's header lacks '%s', and a BCF header cannot be extended after it is written", late);
    gt_hint(err, "write VCF, or through a store: gt-pack IN -o x.zarr && gt-unpack x.zarr -o x.bcf");
    return GT_INPUT;
}

static int check_site(const struct bcf *bcf, const struct gt_block *block, const struct gt_site *site, struct gt_err *err)
{
    int status = gt_site_check(block, site, bcf->opts.records || (bcf->opts.called && !site->pooled), err);
    status = status ? status : gt_site_check_calls(&block->contigs, site, err);
    status = status ? status : gt_record_check_names(block, site, bcf->contigs, bcf->filters, err);
    if (status)
        return status;
    if (site->position > INT32_MAX)
        return gt_fail(err, GT_INPUT, "position %lld is too large for BCF", (long long)site->position);
    return 0;
}

static size_t record_bytes(const struct bcf *bcf, const struct gt_block *block, const struct gt_site *site)
{
    size_t n = LENGTHS + SHARED + 48 + strlen(gt_site_id(block, site)) + 4 * (size_t)site->filter_n;

    for (int32_t a = 0; a < site->n_alleles; a++)
        n += 6 + strlen(gt_site_allele(block, site, a));
    return n + (site->calls ? 4 : 2) * (size_t)bcf->n_samples + 8;
}

static uint8_t *put_site(uint8_t *to, const struct bcf *bcf, const struct gt_block *block, const struct gt_site *site)
{
    uint32_t quality;

    memcpy(&quality, &site->quality, sizeof quality);
    to = gt_le_put(to, (uint64_t)site->contig, 4);
    to = gt_le_put(to, (uint64_t)(site->position - 1), 4);
    to = gt_le_put(to, (uint64_t)site->length, 4);
    to = gt_le_put(to, quality, 4);
    to = gt_le_put(to, (uint64_t)site->n_alleles << 16, 4);
    to = gt_le_put(to, (uint64_t)bcf->n_samples | 1u << 24, 4);
    to = strcmp(gt_site_id(block, site), ".") != 0 ? gt_bcf_put_text(to, gt_site_id(block, site)) : gt_bcf_put_type(to, 0, GT_BCF_CHAR);
    for (int32_t a = 0; a < site->n_alleles; a++)
        to = gt_bcf_put_text(to, gt_site_allele(block, site, a));
    return put_filters(to, block, site);
}

/* Of a site whose calls have alleles above 1: (number + 1) << 1 in int8 or, for numbers above 62, int16. */
static uint8_t *put_alleles(uint8_t *to, const struct bcf *bcf, const uint8_t *row, const uint8_t *alleles, const uint8_t *phases,
                            bool wide)
{
    to = gt_bcf_put_type(gt_bcf_put_int(to, bcf->gt), (int64_t)bcf->ploidy, wide ? GT_BCF_INT16 : GT_BCF_INT8);
    for (int64_t s = 0; s < bcf->n_samples; s++) {
        int pair[2];
        gt_get_alleles(row[s / 4] >> 2 * (s & 3) & 3, alleles + 2 * s, &pair[0], &pair[1]);
        const unsigned phase = pair[0] != pair[1] ? gt_get_phase(phases, s) : GT_PHASED_NOT;
        for (size_t i = 2 - bcf->ploidy; i < 2; i++)
            to = gt_le_put(to, (uint64_t)(pair[phase == GT_PHASED_DESCENDING ? 1 - i : i] + 1) << 1 | (i && phase), wide ? 2 : 1);
    }
    return to;
}

/* Into n calls of two bytes each. */
static void put_phases(uint8_t *calls, const uint8_t *row, const uint8_t *phases, int64_t n)
{
    static const uint8_t call[][2] = {[GT_PHASED_ASCENDING] = {2, 4 | 1}, [GT_PHASED_DESCENDING] = {4, 2 | 1}};

    for (int64_t i = 0; 32 * i < n; i++)
        for (uint64_t hets = gt_het_codes(row, 0, n, i); hets; hets &= hets - 1) {
            const int64_t s = 32 * i + __builtin_ctzll(hets) / 2;
            const unsigned phase = gt_get_phase(phases, s);
            if (phase)
                memcpy(calls + 2 * s, call[phase], 2);
        }
}

static uint8_t *put_calls(uint8_t *to, const struct bcf *bcf, const uint8_t *row, const uint8_t *phases)
{
    to = gt_bcf_put_type(gt_bcf_put_int(to, bcf->gt), (int64_t)bcf->ploidy, GT_BCF_INT8);
    for (int64_t i = 0; 4 * i < bcf->n_samples; i++)
        memcpy(to + 4 * bcf->ploidy * (size_t)i, bcf->quad[row[i]], sizeof bcf->quad[0]);
    if (phases && bcf->ploidy == 2)
        put_phases(to, row, phases, bcf->n_samples);
    return to + (int64_t)bcf->ploidy * bcf->n_samples;
}

static uint8_t *put_record(uint8_t *to, const struct bcf *bcf, const struct gt_block *block, int64_t v)
{
    uint8_t *shared = to + LENGTHS, *calls = put_site(shared, bcf, block, gt_block_sites(block) + v);
    const int64_t last = bcf->opts.ends ? gt_site_end(block, gt_block_sites(block) + v) : 0;

    if (last) {
        calls = gt_bcf_put_int(gt_bcf_put_int(calls, bcf->end), last);
        gt_le_put(shared + COUNTS, 1 | (uint64_t)gt_block_sites(block)[v].n_alleles << 16, 4);
    }
    const struct gt_site *site = gt_block_sites(block) + v;
    const uint8_t *row = gt_block_row(block, v), *alleles = gt_block_calls(block, site), *phases = gt_block_phases(block, site);
    uint8_t *end =
        alleles ? put_alleles(calls, bcf, row, alleles, phases, site->n_alleles > NARROW_ALLELES) : put_calls(calls, bcf, row, phases);
    gt_le_put(to, (uint64_t)(calls - shared), 4);
    gt_le_put(to + 4, (uint64_t)(end - calls), 4);
    return end;
}

/* What a store says of a site, after what is put of the site itself. */
static int add_record(void *ctx, const struct gt_block *block, const struct gt_site *site, struct gt_buf *bytes, struct gt_err *err)
{
    const struct bcf *bcf = ctx;
    const struct gt_record_view record = gt_record_view(block, site);
    const size_t from = bytes->len;
    size_t info_end = 0;
    uint32_t n[2];
    int status = check_site(bcf, block, site, err);

    status = status ? status : gt_record_check(&record, block, site, err);
    if (status)
        return status;
    status = gt_bcf_reserve(bytes, record_bytes(bcf, block, site), err);
    if (!status) {
        bytes->len = (size_t)(put_site(bytes->data + from + LENGTHS, bcf, block, site) - bytes->data);
        status = gt_record_bcf(&record, bcf->keys, bytes, &info_end, n, err);
    }
    if (status) {
        gt_fail_prefix(err, "site %s:%lld", gt_site_contig(block, site), (long long)site->position);
        return status;
    }
    if (n[0] > UINT16_MAX || n[1] > UINT8_MAX)
        return gt_fail(err, GT_INPUT, "%s:%lld has %u INFO and %u FORMAT fields; a BCF record has at most 65,535 and 255",
                       gt_site_contig(block, site), (long long)site->position, n[0], n[1]);
    if (bytes->len - from > INT32_MAX)
        return gt_fail(err, GT_INPUT, "%s:%lld is too large for a BCF record", gt_site_contig(block, site), (long long)site->position);
    uint8_t *head = bytes->data + from;
    gt_le_put(head, (uint64_t)(info_end - from - LENGTHS), 4);
    gt_le_put(head + 4, (uint64_t)(bytes->len - info_end), 4);
    gt_le_put(head + LENGTHS + COUNTS, n[0] | (uint64_t)site->n_alleles << 16, 4);
    gt_le_put(head + LENGTHS + COUNTS + 4, (uint64_t)bcf->n_samples | (uint64_t)n[1] << 24, 4);
    return 0;
}

static int format_records(struct gt_calls_sink *base, const struct gt_calls *calls, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    return gt_records_format(((const struct bcf *)base)->records, &calls->block, add_record, base, bytes, err);
}

static int format(struct gt_calls_sink *base, const struct gt_calls *calls, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    const struct bcf *bcf = (const struct bcf *)base;
    const struct gt_block *block = &calls->block;
    struct gt_buf *text = &bytes[GT_RECORDS_TEXT];
    size_t room = 0;
    int status = 0;

    for (int64_t v = 0; v < block->n && !status; v++) {
        status = check_site(bcf, block, gt_block_sites(block) + v, err);
        room += status ? 0 : record_bytes(bcf, block, gt_block_sites(block) + v);
    }
    text->len = bytes[GT_RECORDS_PLACES].len = 0;
    if (!status)
        status = gt_buf_reserve(text, room, err);
    for (int64_t v = 0; v < block->n && !status; v++) {
        text->len = (size_t)(put_record(text->data + text->len, bcf, block, v) - text->data);
        status = gt_records_add(bcf->records, gt_block_sites(block) + v, bytes, err);
    }
    return status ? status : gt_records_pack(bcf->records, bytes, err);
}

static int write_bytes(struct gt_calls_sink *base, const struct gt_calls *calls, const struct gt_buf bytes[GT_CALLS_BUFS],
                       struct gt_err *err)
{
    return gt_records_write(((struct bcf *)base)->records, &calls->block.contigs, bytes, err);
}

static int finish(struct gt_calls_sink *base, struct gt_err *err)
{
    return gt_records_finish(((struct bcf *)base)->records, &base->note, err);
}

static void bcf_free(struct gt_calls_sink *base)
{
    gt_records_free(((struct bcf *)base)->records);
    gt_record_keys_free(((struct bcf *)base)->keys);
    free(base);
}

int gt_sink_bcf(struct gt_calls_sink **out, const char *path, const struct gt_vcf_opts *opts, struct gt_err *err)
{
    static const struct gt_calls_sink_ops ops = {begin, format, write_bytes, finish, bcf_free};
    static const struct gt_calls_sink_ops ops_records = {begin, format_records, write_bytes, finish, bcf_free};
    const struct gt_records_opts file = {.level = opts->level, .binary = true, .index = opts->index};
    struct bcf *bcf = gt_alloc(1, sizeof *bcf, err);

    if (!bcf)
        return GT_FAIL;
    bcf->base.ops = opts->records ? &ops_records : &ops;
    bcf->base.fields =
        GT_SITE_ALL | (opts->records ? GT_SITE_COLUMNS : 0) | (opts->called ? GT_SITE_MULTI | GT_SITE_CALLS | GT_SITE_PHASES : 0);
    bcf->base.results = gt_records_results(opts->level, opts->index);
    bcf->opts = *opts;
    int status = gt_records_open(&bcf->records, path, &file, err);
    if (status) {
        free(bcf);
        return status;
    }
    *out = &bcf->base;
    return 0;
}
