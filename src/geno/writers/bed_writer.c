/* PLINK 1 binary filesets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "core/engine/trace.h"
#include "geno/model/ploidy.h"
#include "geno/model/site_check.h"
#include "geno/writers/geno_writers.h"
#include "geno/writers/plink_files.h"
#include "storage/text/text_file.h"

enum { BED, BIM, FAM, FILES };

struct bed {
    struct gt_calls_sink base;
    struct gt_outfile file[FILES];
    struct gt_strs families;
    int64_t n_samples;
    int ploidy;
};

/* Haploid data has homozygous calls in .bed, as PLINK has it.
 * Codes 0, 1, 2, missing of ALT (A1) are 11, 10, 00, 01 in .bed: the higher bit the other way
 * round, the lower one where both were the same. */
static uint64_t turn_word(uint64_t codes)
{
    return ~(codes ^ (codes >> 1 & 0x5555555555555555));
}

static void turn_row(const uint8_t *row, size_t n, uint8_t *to)
{
    uint64_t word;

    for (; n >= sizeof word; n -= sizeof word, row += sizeof word, to += sizeof word) {
        memcpy(&word, row, sizeof word);
        word = turn_word(word);
        memcpy(to, &word, sizeof word);
    }
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)turn_word(row[i]);
}

int64_t gt_bed_variant_bytes(int64_t n_samples)
{
    return gt_ceil_div(n_samples, 4) + 64;
}

static int begin(struct gt_calls_sink *base, const struct gt_geno_info *info, struct gt_err *err)
{
    static const uint8_t magic[3] = {0x6c, 0x1b, 1};
    struct bed *bed = (struct bed *)base;
    struct gt_str text = {0};

    bed->n_samples = info->n_samples;
    bed->ploidy = info->ploidy;
    base->variant_bytes = gt_bed_variant_bytes(info->n_samples);
    int status = gt_fam_text(&text, info, &bed->families, err);
    if (!status)
        status = gt_text_put(&bed->file[FAM], &text, 0, err);
    gt_str_release(&text);
    return status ? status : gt_outfile_write(&bed->file[BED], magic, sizeof magic, err);
}

static int add_site(const struct gt_block *block, const struct gt_site *site, struct gt_str *text, struct gt_err *err)
{
    int status = gt_site_check(block, site, false, err);

    if (status)
        return status;
    gt_str_add(text, gt_site_contig(block, site));
    gt_str_add(text, "\t");
    gt_str_add(text, gt_site_id(block, site));
    gt_str_addf(text, "\t0\t%lld\t", (long long)site->position);
    gt_str_add(text, site->n_alleles > 1 ? gt_site_allele(block, site, 1) : "0");
    gt_str_add(text, "\t");
    gt_str_add(text, gt_site_allele(block, site, 0));
    gt_str_add(text, "\n");
    return gt_str_check(text, err);
}

static int format(struct gt_calls_sink *base, const struct gt_calls *calls, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    const struct bed *bed = (const struct bed *)base;
    const struct gt_block *block = &calls->block;
    size_t row_bytes = (size_t)gt_ceil_div(bed->n_samples, 4);
    struct gt_str text = {0};
    int status = gt_buf_resize(&bytes[BED], (size_t)block->n * row_bytes, err);

    for (int64_t v = 0; v < block->n && !status; v++) {
        const uint8_t *row = gt_block_row(block, v);
        uint8_t *to = bytes[BED].data + (size_t)v * row_bytes;
        memcpy(to, row, row_bytes);
        if (bed->ploidy == GT_HAPLOID)
            gt_ploidy_row(to, bed->n_samples, GT_HAPLOID, GT_DIPLOID);
        turn_row(to, row_bytes, to);
        if (bed->n_samples % 4)
            to[row_bytes - 1] &= (uint8_t)((1 << bed->n_samples % 4 * 2) - 1);
        status = add_site(block, gt_block_sites(block) + v, &text, err);
    }
    bytes[BIM].len = 0;
    if (!status)
        status = gt_buf_append(&bytes[BIM], text.s, text.len, err);
    gt_str_release(&text);
    return status;
}

static int write_bytes(struct gt_calls_sink *base, const struct gt_calls *calls, const struct gt_buf bytes[GT_CALLS_BUFS],
                       struct gt_err *err)
{
    struct bed *bed = (struct bed *)base;
    int status = gt_outfile_write(&bed->file[BED], bytes[BED].data, bytes[BED].len, err);
    (void)calls;
    gt_trace_bytes((int64_t)(bytes[BED].len + bytes[BIM].len));
    return status ? status : gt_outfile_write(&bed->file[BIM], bytes[BIM].data, bytes[BIM].len, err);
}

/* .bed last: who sees it finds the other two. */
static int finish(struct gt_calls_sink *base, struct gt_err *err)
{
    struct bed *bed = (struct bed *)base;
    struct gt_outfile *const files[FILES] = {&bed->file[FAM], &bed->file[BIM], &bed->file[BED]};
    return gt_outfile_commit_all(files, FILES, err);
}

static void bed_free(struct gt_calls_sink *base)
{
    struct bed *bed = (struct bed *)base;
    for (int f = 0; f < FILES; f++)
        gt_outfile_abort(&bed->file[f]);
    gt_strs_release(&bed->families);
    free(bed);
}

int gt_sink_bed(struct gt_calls_sink **out, const char *prefix, const struct gt_strs *families, struct gt_err *err)
{
    static const struct gt_calls_sink_ops ops = {begin, format, write_bytes, finish, bed_free};
    static const char *const suffix[FILES] = {".bed", ".bim", ".fam"};
    struct bed *bed = gt_alloc(1, sizeof *bed, err);
    int status = 0;

    if (!bed)
        return GT_FAIL;
    bed->base.ops = &ops;
    bed->base.fields = GT_SITE_ALL;
    if (families)
        status = gt_strs_copy(&bed->families, families, err);
    bed->base.results = 1u << BED | 1u << BIM;
    status = status ? status : gt_plink_files_open(bed->file, FILES, prefix, suffix, err);
    if (status) {
        bed_free(&bed->base);
        return status;
    }
    *out = &bed->base;
    return 0;
}
