/* PLINK 2 filesets. */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/trace.h"
#include "geno/model/ploidy.h"
#include "geno/model/site_check.h"
#include "geno/plink/pgen_encode.h"
#include "geno/vcf/header_writer.h"
#include "geno/vcf/record_writer.h"
#include "geno/writers/geno_writers.h"
#include "geno/writers/pgen_file.h"
#include "geno/writers/plink_files.h"
#include "kernels/kernels.h"
#include "storage/text/text_file.h"

enum { PGEN, PVAR, PSAM, FILES };
/* Buffers of a row group: records, what the index says of them, lines of the .pvar, and scratch. */
enum { RECORDS, ENTRIES, LINES, LIST, ROWS };

struct pgen {
    struct gt_calls_sink base;
    struct gt_outfile file[FILES];
    struct gt_pgen_file records;
    int64_t n_samples;
    int ploidy;
    bool provisional;
};

/* Alleles of the calls of a multiallelic site: in the record at most two bytes of a call, and a bit; in the block two. */
static int64_t track_bytes(int64_t n_samples)
{
    return 2 * n_samples + gt_ceil_div(n_samples, 8) + 16;
}

/* A record while it is made: a list of an eighth of the calls may stand in its place, and lists of a ninth in that of the track. */
static int64_t room_bytes(int64_t n_samples)
{
    return 2 * n_samples + 256;
}

/* Phases likewise: two bits of a heterozygous call; in the block two bits a sample. */
static int64_t phase_bytes(int64_t n_samples)
{
    return gt_ceil_div(n_samples, 4) + 3;
}

int64_t gt_pgen_variant_bytes(const struct gt_geno_info *info)
{
    const int64_t codes = gt_ceil_div(info->n_samples, 4) + 64 + phase_bytes(info->n_samples) + gt_ceil_div(info->n_samples, 4);
    return info->two_alleles ? codes : codes + 2 * info->n_samples + track_bytes(info->n_samples);
}

/* That room, and the samples and values of lists. */
int64_t gt_pgen_row_group_bytes(const struct gt_geno_info *info)
{
    return room_bytes(info->n_samples) + (info->two_alleles ? 1 : 7) * info->n_samples + 4096;
}

/* So that the records of a block are not copied as their buffer grows. */
static int expect_records(const struct pgen *pgen, const struct gt_block *block, struct gt_buf *records, struct gt_err *err)
{
    int64_t room = block->n * gt_ceil_div(pgen->n_samples, 4) + room_bytes(pgen->n_samples);
    for (int64_t v = 0; v < block->n; v++)
        room += (gt_block_sites(block)[v].calls ? track_bytes(pgen->n_samples) : 0) +
                (gt_block_sites(block)[v].phases ? phase_bytes(pgen->n_samples) : 0);
    return gt_buf_reserve(records, (size_t)room, err);
}

static int begin(struct gt_calls_sink *base, const struct gt_geno_info *info, struct gt_err *err)
{
    struct pgen *pgen = (struct pgen *)base;
    struct gt_str samples = {0}, sites = {0};

    pgen->n_samples = info->n_samples;
    pgen->ploidy = info->ploidy;
    pgen->provisional = info->has & GT_HAS_PROVISIONAL;
    base->variant_bytes = gt_pgen_variant_bytes(info);
    base->row_group_bytes = gt_pgen_row_group_bytes(info);
    gt_str_add(&samples, "#FID\tIID\tPAT\tMAT\tSEX\tPHENO1\n");
    int status = gt_fam_text(&samples, info, NULL, err);
    status = status ? status : gt_pvar_head(&sites, info, err);
    status = status ? status : gt_text_put(&pgen->file[PSAM], &samples, 0, err);
    status = status ? status : gt_text_put(&pgen->file[PVAR], &sites, 0, err);
    gt_str_release(&samples);
    gt_str_release(&sites);
    return status;
}

/* GT_INPUT unless the calls of a multiallelic site can be written. */
static int check_site(const struct gt_block *block, const struct gt_site *site, struct gt_err *err)
{
    int status = gt_site_check(block, site, !site->pooled, err);
    if (status || site->n_alleles <= GT_PGEN_MAX_ALLELES)
        return status;
    gt_fail(err, GT_INPUT, "%s:%lld has %d alleles; a .pgen is written with at most %d", gt_site_contig(block, site),
            (long long)site->position, (int)site->n_alleles, GT_PGEN_MAX_ALLELES);
    gt_hint(err, "--max-alleles %d drops such variants", GT_PGEN_MAX_ALLELES);
    return GT_INPUT;
}

/* Rows of codes as diploid data has them: those of the block, or copies. */
static int diploid_rows(const struct pgen *pgen, const struct gt_block *block, struct gt_buf *copy, const uint8_t **rows,
                        struct gt_err *err)
{
    *rows = block->rows.data;
    if (pgen->ploidy != GT_HAPLOID)
        return GT_OK;
    const size_t bytes = (size_t)block->n * block->stride;
    int status = gt_buf_resize(copy, bytes + GT_KERNEL_PAD, err);
    if (status)
        return status;
    if (bytes)
        memcpy(copy->data, block->rows.data, bytes);
    for (int64_t v = 0; v < block->n; v++)
        gt_ploidy_row(copy->data + (size_t)v * block->stride, pgen->n_samples, GT_HAPLOID, GT_DIPLOID);
    *rows = copy->data;
    return GT_OK;
}

static int add_line(const struct gt_block *block, const struct gt_site *site, struct gt_buf *lines, struct gt_err *err)
{
    int status = gt_record_site(block, site, lines, err);
    if (!status)
        lines->data[lines->len - 1] = '\n';
    return status;
}

static int format(struct gt_calls_sink *base, const struct gt_calls *calls, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    const struct pgen *pgen = (const struct pgen *)base;
    const struct gt_block *block = &calls->block;
    struct gt_pgen_encoder encoder = {.n_samples = pgen->n_samples};
    const uint8_t *rows;
    int status = diploid_rows(pgen, block, &bytes[ROWS], &rows, err);

    bytes[RECORDS].len = bytes[ENTRIES].len = bytes[LINES].len = 0;
    status = status ? status : expect_records(pgen, block, &bytes[RECORDS], err);
    gt_buf_swap(&encoder.list, &bytes[LIST]);
    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site *site = gt_block_sites(block) + v;
        const size_t from = bytes[RECORDS].len;
        uint8_t type = 0;
        if ((block->first + v) % GT_PGEN_BLOCK == 0)
            encoder.base = NULL;
        status = check_site(block, site, err);
        status = status ? status
                        : gt_pgen_encode(&encoder, rows + (size_t)v * block->stride, gt_block_calls(block, site), site->n_alleles,
                                         gt_block_phases(block, site), &bytes[RECORDS], &type, err);
        const struct gt_pgen_entry entry = {(uint32_t)(bytes[RECORDS].len - from), type};
        status = status ? status : gt_buf_append(&bytes[ENTRIES], &entry, sizeof entry, err);
        status = status ? status : add_line(block, site, &bytes[LINES], err);
    }
    gt_buf_swap(&encoder.list, &bytes[LIST]);
    return status;
}

static int write_bytes(struct gt_calls_sink *base, const struct gt_calls *calls, const struct gt_buf bytes[GT_CALLS_BUFS],
                       struct gt_err *err)
{
    struct pgen *pgen = (struct pgen *)base;
    int status = gt_pgen_file_add(&pgen->records, (const struct gt_pgen_entry *)(const void *)bytes[ENTRIES].data, calls->block.n,
                                  bytes[RECORDS].data, bytes[RECORDS].len, err);
    gt_trace_bytes((int64_t)(bytes[RECORDS].len + bytes[LINES].len));
    return status ? status : gt_outfile_write(&pgen->file[PVAR], bytes[LINES].data, bytes[LINES].len, err);
}

/* The .pgen is renamed last, so that whoever sees it finds the other two. */
static int finish(struct gt_calls_sink *base, struct gt_err *err)
{
    struct pgen *pgen = (struct pgen *)base;
    struct gt_outfile *const files[FILES] = {&pgen->file[PSAM], &pgen->file[PVAR], &pgen->file[PGEN]};
    int status = gt_pgen_file_write(&pgen->records, pgen->n_samples, pgen->provisional, &pgen->file[PGEN], err);
    return status ? status : gt_outfile_commit_all(files, FILES, err);
}

static void pgen_free(struct gt_calls_sink *base)
{
    struct pgen *pgen = (struct pgen *)base;
    for (int f = 0; f < FILES; f++)
        gt_outfile_abort(&pgen->file[f]);
    gt_pgen_file_release(&pgen->records);
    free(pgen);
}

int gt_sink_pgen(struct gt_calls_sink **out, const char *prefix, const char *tmpdir, struct gt_err *err)
{
    static const struct gt_calls_sink_ops ops = {begin, format, write_bytes, finish, pgen_free};
    static const char *const suffix[FILES] = {".pgen", ".pvar", ".psam"};
    struct pgen *pgen = gt_alloc(1, sizeof *pgen, err);

    if (!pgen)
        return GT_FAIL;
    pgen->base.ops = &ops;
    pgen->base.fields = GT_SITE_ALL | GT_SITE_MULTI | GT_SITE_CALLS | GT_SITE_PHASES;
    pgen->base.results = 1u << RECORDS | 1u << ENTRIES | 1u << LINES;
    gt_pgen_file_init(&pgen->records, tmpdir);
    int status = gt_plink_files_open(pgen->file, FILES, prefix, suffix, err);
    if (status) {
        pgen_free(&pgen->base);
        return status;
    }
    *out = &pgen->base;
    return 0;
}
