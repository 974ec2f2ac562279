/* Reader of PLINK 2 .pgen with .pvar and .psam: hard calls in all storage modes.
 *
 * A .pgen starts with 6c 1b, a mode byte, and the numbers of variants and samples.  Mode 1 is a PLINK 1 .bed, mode 2 has rows of fixed
 * length.  Mode 0x10 has records of variable length; its header has a byte with the format of the index, the offset of each block of
 * 65536 records, and per block the types and lengths of its records and optionally their numbers of alleles and flags for provisional
 * REFs.  Only the start of each task, and the record that its first one may depend on, are kept in memory.
 *
 * Dosages, which follow the hard calls, are ignored with a message, and so are phases unless the pass asks for them.
 *
 * Source: PLINK 2's file format specification (pgen_spec). */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/le.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/dosage.h"
#include "geno/plink/fileset.h"
#include "geno/plink/pgen_encode.h"
#include "geno/plink/pgen_record.h"
#include "geno/plink/plink_readers.h"
#include "kernels/kernels.h"

enum { FORM_BED = 1, FORM_ROWS = 2, FORM_RECORDS = 0x10 };
enum { HEADER = 12, BLOCK = 1 << 16, TASK_ROWS = 4096 };
/* Bits 6 and 7 of the last byte of the header: which REFs are provisional. */
enum { REF_BY_PVAR, REF_KNOWN, REF_PROVISIONAL, REF_BY_FLAGS };

/* The records of a task. */
struct group {
    int64_t from, bytes;      /* in the file */
    int64_t base, base_bytes; /* of the record that the first one differs from; 0 bytes: it does not */
    uint8_t base_type;
};

struct pgen {
    struct gt_fileset file; /* first */
    uint8_t format;
    int64_t n_variants, n_samples;    /* as the header has them; -1 of a .bed */
    unsigned type_bits, length_bytes; /* of a record in the header */
    unsigned allele_bytes;            /* likewise */
    unsigned ref;                     /* of which REFs are provisional */
    bool flags;                       /* a bit each of those REFs */
    struct gt_buf groups;             /* struct group */
    int64_t most;                     /* bytes of the largest one, with its base */
    uint8_t types;                    /* all that there are, joined */
    bool warned;
};

static struct pgen *of_file(const struct gt_fileset *file)
{
    return (struct pgen *)(uintptr_t)file;
}

/* --- the header ------------------------------------------------------------------------- */

static int bad(const struct gt_fileset *file, const char *what, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s': %s", file->input.name, what);
}

static int records_header(struct pgen *pgen, uint8_t how, struct gt_err *err)
{
    const unsigned kind = how & 15;
    if (kind > 7)
        return bad(&pgen->file, "its header stores record types and lengths in a way that is not supported", err);
    pgen->type_bits = kind < 4 ? 4 : 8;
    pgen->length_bytes = (kind & 3) + 1;
    pgen->allele_bytes = how >> 4 & 3;
    return 0;
}

static int begin(struct gt_fileset *file, struct gt_err *err)
{
    struct pgen *pgen = of_file(file);
    uint8_t head[HEADER] = {0};
    pgen->groups.budget = &file->base.engine->budget;
    int status = gt_input_pread(&file->input, head, (size_t)gt_min_i64(HEADER, file->input.size), 0, err);
    if (status)
        return status;
    pgen->format = head[2];
    pgen->n_variants = pgen->n_samples = -1;
    if (pgen->format == FORM_BED) {
        file->header = 3;
        return 0;
    }
    if (pgen->format == 3 || pgen->format == 4)
        return bad(file, "a .pgen with fixed-width dosages is not supported: rewrite it with plink2 --make-pgen", err);
    if (pgen->format != FORM_ROWS && pgen->format != FORM_RECORDS)
        return gt_fail(err, GT_INPUT, "'%s': .pgen storage mode 0x%02x is not supported", file->input.name, pgen->format);
    if (file->input.size < HEADER)
        return bad(file, "it is truncated: a .pgen begins with 12 bytes", err);
    pgen->n_variants = (int64_t)gt_le32(head + 3);
    pgen->n_samples = (int64_t)gt_le32(head + 7);
    pgen->ref = head[11] >> 6;
    pgen->flags = pgen->ref == REF_BY_FLAGS;
    file->header = HEADER + (pgen->format == FORM_ROWS && pgen->flags ? gt_ceil_div(pgen->n_variants, 8) : 0);
    return pgen->format == FORM_ROWS ? 0 : records_header(pgen, head[11], err);
}

static int layout(struct gt_fileset *file, struct gt_err *err)
{
    struct pgen *pgen = of_file(file);
    char a[GT_THINGS_LEN], b[GT_NUM_LEN];
    int64_t rows = 1;
    if (pgen->n_samples >= 0 && pgen->n_samples != file->base.info.n_samples)
        return gt_fail(err, GT_INPUT, "'%s' has %s, but its .psam has %s", file->input.name, gt_format_things(a, pgen->n_samples, "sample"),
                       gt_format_count(b, file->base.info.n_samples));
    gt_fileset_lay_rows(file, gt_ceil_div(file->base.info.n_samples, 4));
    while (pgen->format == FORM_RECORDS && rows * 2 <= gt_min_i64(file->rows, TASK_ROWS)) /* a part of a block */
        rows *= 2;
    file->rows = pgen->format == FORM_RECORDS ? rows : file->rows;
    return 0;
}

/* --- types and lengths ----------------------------------------------------------------------- */

static int64_t block_records(const struct pgen *pgen, int64_t block)
{
    return gt_min_i64(pgen->n_variants - block * BLOCK, BLOCK);
}

static int64_t type_bytes(const struct pgen *pgen, int64_t n)
{
    return pgen->type_bits == 8 ? n : gt_ceil_div(n, 2);
}

/* What the header says of n records of a block. */
static int64_t listed_bytes(const struct pgen *pgen, int64_t n)
{
    return type_bytes(pgen, n) + n * (pgen->length_bytes + pgen->allele_bytes) + (pgen->flags ? gt_ceil_div(n, 8) : 0);
}

static int64_t blocks_of(const struct pgen *pgen)
{
    return gt_ceil_div(pgen->n_variants, BLOCK);
}

/* n integers of `width` bytes, at most TASK_ROWS, from `at` in the file. */
static int read_integers(struct pgen *pgen, int64_t at, int64_t n, unsigned width, uint32_t *values, struct gt_err *err)
{
    uint8_t stored[4 * TASK_ROWS];
    int status = gt_input_pread(&pgen->file.input, stored, (size_t)n * width, at, err);
    for (int64_t i = 0; i < n && !status; i++) {
        values[i] = 0;
        memcpy(&values[i], stored + i * width, width);
    }
    return status;
}

/* Types, lengths and (unless NULL) numbers of alleles of n records from `first` on, all of one block and at most
 * TASK_ROWS.  Alleles that the header does not count are 0. */
static int read_listed(struct pgen *pgen, int64_t first, int64_t n, uint8_t *types, uint32_t *lengths, uint32_t *alleles,
                       struct gt_err *err)
{
    struct gt_input *input = &pgen->file.input;
    const int64_t block = first / BLOCK, in = first % BLOCK, at = HEADER + 8 * blocks_of(pgen) + block * listed_bytes(pgen, BLOCK);
    uint8_t stored[TASK_ROWS];
    const int64_t from = pgen->type_bits == 8 ? in : in / 2, to = pgen->type_bits == 8 ? in + n : (in + n + 1) / 2;
    int status = gt_input_pread(input, stored, (size_t)(to - from), at + from, err);
    for (int64_t i = 0; i < n && !status; i++)
        types[i] = pgen->type_bits == 8 ? stored[i] : stored[(in + i) / 2 - from] >> 4 * ((in + i) & 1) & 15;
    const int64_t records = block_records(pgen, block), lengths_at = at + type_bytes(pgen, records);
    status = status ? status : read_integers(pgen, lengths_at + in * pgen->length_bytes, n, pgen->length_bytes, lengths, err);
    if (!status && alleles)
        status =
            read_integers(pgen, lengths_at + records * pgen->length_bytes + in * pgen->allele_bytes, n, pgen->allele_bytes, alleles, err);
    return status;
}

/* A task's records: from *at on, which moves past them; base: the last record so far that is no difference. */
static int add_group(struct pgen *pgen, int64_t first, int64_t n, int64_t *at, struct group *base, struct gt_err *err)
{
    uint8_t types[TASK_ROWS];
    uint32_t lengths[TASK_ROWS];
    struct group group = {.from = *at};
    int status = read_listed(pgen, first, n, types, lengths, NULL, err);
    if (status)
        return status;
    if (gt_pgen_is_difference(types[0])) {
        if (first % BLOCK == 0)
            return bad(&pgen->file, "the first record of a block refers to an earlier one", err);
        group.base = base->base;
        group.base_bytes = base->base_bytes;
        group.base_type = base->base_type;
    }
    for (int64_t i = 0; i < n; i++) {
        pgen->types |= types[i];
        if (!gt_pgen_is_difference(types[i]))
            *base = (struct group){.base = *at, .base_bytes = lengths[i], .base_type = types[i]};
        *at += lengths[i];
    }
    group.bytes = *at - group.from;
    pgen->most = gt_max_i64(pgen->most, group.bytes + group.base_bytes);
    return gt_buf_append(&pgen->groups, &group, sizeof group, err);
}

/* Each block must begin where the one before ends, and the last one end with the file. */
static int scan(struct pgen *pgen, struct gt_err *err)
{
    struct gt_fileset *file = &pgen->file;
    const int64_t n = pgen->n_variants, blocks = blocks_of(pgen);
    int64_t at = HEADER + 8 * blocks;
    int status = 0;
    for (int64_t b = 0; b < blocks; b++)
        at += listed_bytes(pgen, block_records(pgen, b));
    if (at > file->input.size)
        return bad(file, "it is truncated: its header is longer than the file", err);
    struct group base = {0};
    for (int64_t first = 0; first < n && !status; first += file->rows) {
        uint8_t offset[8];
        if (first % BLOCK == 0) {
            status = gt_input_pread(&file->input, offset, 8, HEADER + 8 * (first / BLOCK), err);
            if (!status && gt_le64(offset) != (uint64_t)at)
                status = bad(file, "its header is damaged: a block of records does not begin where the previous one ends", err);
        }
        status = status ? status : add_group(pgen, first, gt_min_i64(file->rows, n - first), &at, &base, err);
        if (!status && at > file->input.size)
            status = bad(file, "it is truncated: its header lists records beyond the end", err);
    }
    if (status || at == file->input.size)
        return status;
    return gt_fail(err, GT_INPUT, "'%s' is too long: %lld bytes follow its last record", file->input.name,
                   (long long)(file->input.size - at));
}

static int warn_left_out(struct gt_fileset *file, struct gt_err *err)
{
    const uint8_t types = of_file(file)->types & (unsigned)~(file->fields & GT_SITE_PHASES ? GT_PGEN_PHASE : 0);
    if (!(types & (GT_PGEN_PHASE | GT_PGEN_DOSAGE)) || of_file(file)->warned)
        return 0;
    of_file(file)->warned = true;
    return gt_strs_addf(&file->base.warnings, err, "'%s': only hard calls are read; %s are ignored", file->input.name,
                        !(types & GT_PGEN_DOSAGE) ? "phases"
                        : types & GT_PGEN_PHASE   ? "phases and dosages"
                                                  : "dosages");
}

/* Any bit of n flags at `at` in the file. */
static int any_flag(struct gt_fileset *file, int64_t at, int64_t n, bool *any, struct gt_err *err)
{
    uint8_t bits[TASK_ROWS];
    int status = GT_OK;
    for (int64_t done = 0, left = gt_ceil_div(n, 8), part; done < left && !status && !*any; done += part) {
        part = gt_min_i64(left - done, TASK_ROWS);
        status = gt_input_pread(&file->input, bits, (size_t)part, at + done, err);
        for (int64_t i = 0; i < part && !status; i++)
            *any |= bits[i] != 0;
    }
    return status;
}

/* Is some REF provisional? */
static int find_provisional(struct gt_fileset *file, struct gt_err *err)
{
    static const char declared[] = "##INFO=<ID=PR,";
    const struct pgen *pgen = of_file(file);
    const struct gt_buf *meta = &file->bim.meta;
    int status = GT_OK;
    file->provisional = pgen->format == FORM_BED || pgen->ref == REF_PROVISIONAL;
    if (pgen->format != FORM_BED && pgen->ref == REF_BY_PVAR && meta->len)
        file->provisional = memmem(meta->data, meta->len, declared, sizeof declared - 1) != NULL;
    if (pgen->flags && pgen->format == FORM_ROWS)
        status = any_flag(file, HEADER, pgen->n_variants, &file->provisional, err);
    int64_t at = HEADER + 8 * blocks_of(pgen);
    for (int64_t b = 0; b < blocks_of(pgen) && pgen->flags && pgen->format == FORM_RECORDS && !status; b++) {
        const int64_t n = block_records(pgen, b);
        at += listed_bytes(pgen, n);
        status = any_flag(file, at - gt_ceil_div(n, 8), n, &file->provisional, err);
    }
    return status;
}

static int check(struct gt_fileset *file, struct gt_err *err)
{
    struct pgen *pgen = of_file(file);
    char a[GT_THINGS_LEN], b[GT_NUM_LEN];
    if (pgen->n_variants >= 0 && pgen->n_variants != file->bim.n)
        return gt_fail(err, GT_INPUT, "'%s' has %s, but its .pvar has %s", file->input.name,
                       gt_format_things(a, pgen->n_variants, "variant"), gt_format_count(b, file->bim.n));
    int status = pgen->format == FORM_RECORDS ? scan(pgen, err) : gt_fileset_check_rows(file, file->bim.n, 0, err);
    status = status ? status : find_provisional(file, err);
    file->compare = pgen->format == FORM_RECORDS && (pgen->allele_bytes || pgen->types & GT_PGEN_ALTS);
    file->phased = pgen->types & GT_PGEN_PHASE;
    return status;
}

/* --- tasks ------------------------------------------------------------------------------------ */

/* `raw` of n records: their lengths, numbers of alleles, types, a row for the base, the base, and the records. */
struct parts {
    size_t alleles, types, row, base;
};
static struct parts parts_of(const struct gt_fileset *file, int64_t n)
{
    struct parts p = {.alleles = (size_t)n * 4, .types = (size_t)n * 8};
    p.row = p.types + (size_t)n;
    p.base = p.row + file->stride;
    return p;
}

static int64_t bytes(const struct gt_fileset *file, int64_t n)
{
    const struct pgen *pgen = of_file(file);
    return pgen->format == FORM_RECORDS ? (int64_t)parts_of(file, n).base + pgen->most : gt_fileset_row_bytes(file, n);
}

static const struct group *group_of(const struct gt_fileset *file, int64_t first)
{
    return (const struct group *)(const void *)of_file(file)->groups.data + first / file->rows;
}

static int read_records(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, struct gt_err *err)
{
    struct pgen *pgen = of_file(file);
    if (pgen->format != FORM_RECORDS)
        return gt_fileset_read_rows(file, first, n, raw, err);
    const struct group *group = group_of(file, first);
    const struct parts p = parts_of(file, n);
    uint32_t lengths[TASK_ROWS], alleles[TASK_ROWS];
    int64_t sum = 0;
    int status = read_listed(pgen, first, n, raw + p.types, lengths, alleles, err);
    for (int64_t i = 0; i < n && !status; i++)
        sum += lengths[i];
    if (!status && (sum != group->bytes || (gt_pgen_is_difference(raw[p.types]) && !group->base_bytes)))
        status = bad(file, "it changed while it was read", err);
    if (!status) {
        memcpy(raw, lengths, (size_t)n * 4);
        memcpy(raw + p.alleles, alleles, (size_t)n * 4);
    }
    if (!status && group->base_bytes)
        status = gt_input_pread(&file->input, raw + p.base, (size_t)group->base_bytes, group->base, err);
    if (!status && group->bytes)
        status = gt_input_pread(&file->input, raw + p.base + group->base_bytes, (size_t)group->bytes, group->from, err);
    return status;
}

static int unpack_rows(const struct gt_fileset *file, int64_t n, const uint8_t *raw, uint8_t *rows)
{
    const int64_t samples = file->base.info.n_samples;
    for (int64_t v = 0; v < n; v++) {
        uint8_t *row = rows + (size_t)v * file->stride;
        if (of_file(file)->format == FORM_BED)
            gt_kernels()->bed_to_packed(raw + v * file->pitch, samples, row);
        else
            gt_pgen_decode(0, raw + v * file->pitch, (size_t)file->pitch, samples, 0, NULL, row);
    }
    return 0;
}

static int unpack(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, uint8_t *rows, struct gt_err *err)
{
    const int64_t samples = file->base.info.n_samples;
    if (of_file(file)->format != FORM_RECORDS)
        return unpack_rows(file, n, raw, rows);
    const struct group *group = group_of(file, first);
    const struct parts p = parts_of(file, n);
    const uint8_t *at = raw + p.base + group->base_bytes, *base = NULL;
    const char *fault = NULL;
    if (group->base_bytes) {
        fault = gt_pgen_decode(group->base_type, raw + p.base, (size_t)group->base_bytes, samples, 0, NULL, raw + p.row);
        base = raw + p.row;
    }
    for (int64_t v = 0; v < n && !fault; v++) {
        const uint8_t type = raw[p.types + (size_t)v];
        uint8_t *row = rows + (size_t)v * file->stride;
        uint32_t length, n_alleles;
        memcpy(&length, raw + 4 * v, 4);
        memcpy(&n_alleles, raw + p.alleles + 4 * v, 4);
        fault = gt_pgen_decode(type, at, length, samples, n_alleles, base, row);
        if (fault)
            first += v;
        base = gt_pgen_is_difference(type) ? base : row;
        at += length;
    }
    return fault ? gt_fail(err, GT_INPUT, "'%s', variant %lld: %s", file->input.name, (long long)first + 1, fault) : 0;
}

/* GT_INPUT where the .pvar has another number of alleles than the header, or two where a call has a third. */
static int check_alleles(const struct gt_fileset *file, int64_t first, const uint8_t *raw, const struct gt_block *block, struct gt_err *err)
{
    const struct parts p = parts_of(file, block->n);
    for (int64_t v = 0; v < block->n; v++) {
        const uint32_t has = (uint32_t)gt_max_i64(2, gt_block_sites(block)[v].n_alleles);
        uint32_t listed;
        memcpy(&listed, raw + p.alleles + 4 * v, 4);
        if (listed ? listed != has : has == 2 && raw[p.types + (size_t)v] & GT_PGEN_ALTS)
            return gt_fail(err, GT_INPUT, "'%s', variant %lld: it has %s%u alleles, but %u in '%s'", file->input.name,
                           (long long)(first + v) + 1, listed ? "" : "at least ", listed ? listed : 3, has, file->bim.path);
    }
    return GT_OK;
}

struct record {
    const uint8_t *data;
    uint32_t length;
    uint8_t type;
};

/* Alleles and phases of calls of variant v of the block.  row: of scratch; alleles: two bytes per sample, of scratch. */
static int add_tracks(struct gt_fileset *file, int64_t first, struct gt_block *block, int64_t v, const struct record *record, uint8_t *row,
                      uint8_t *alleles, struct gt_err *err)
{
    const int64_t samples = file->base.info.n_samples;
    struct gt_site *site = gt_block_sites(block) + v;
    const bool phased = file->fields & GT_SITE_PHASES && record->type & GT_PGEN_PHASE && site->n_alleles <= GT_PGEN_MAX_ALLELES;
    const char *fault = NULL;
    uint8_t *phases = NULL;
    if (!phased && !site->multiallelic)
        return GT_OK;
    int status = phased ? gt_block_add_phases(block, site, &phases, err) : GT_OK;
    if (!status && site->multiallelic)
        memset(alleles, GT_ALLELE_BY_CODE, 2 * (size_t)samples);
    if (!status && record->length)
        fault = gt_pgen_decode_tracks(record->type, record->data, record->length, samples, (uint32_t)site->n_alleles,
                                      gt_block_row(block, v), row, site->multiallelic ? alleles : NULL, phases);
    if (fault)
        return gt_fail(err, GT_INPUT, "'%s', variant %lld: %s", file->input.name, (long long)(first + v) + 1, fault);
    return status || !site->multiallelic ? status : gt_fileset_put_alts(file, block, v, alleles, err);
}

/* The records of multiallelic sites once more, now with their numbers of alleles, and those that have phases. */
static int alts(struct gt_fileset *file, int64_t first, uint8_t *raw, struct gt_block *block, struct gt_buf *scratch, struct gt_err *err)
{
    const int64_t samples = file->base.info.n_samples;
    const bool records = of_file(file)->format == FORM_RECORDS;
    const struct parts p = parts_of(file, block->n);
    const uint8_t *at = records ? raw + p.base + group_of(file, first)->base_bytes : NULL;
    const bool phases = file->fields & GT_SITE_PHASES;
    size_t many = 0;
    for (int64_t v = 0; v < block->n; v++)
        many += gt_block_sites(block)[v].multiallelic;
    int status = records ? check_alleles(file, first, raw, block, err) : GT_OK;
    if (status || (!many && !phases))
        return status;
    status = gt_buf_resize(scratch, 2 * (size_t)samples, err);
    if (!status && file->fields & (GT_SITE_CALLS | GT_SITE_RECORD))
        status = gt_buf_reserve(&block->calls, many * 2 * (size_t)samples, err);
    if (!status && file->fields & GT_SITE_HETS)
        status = gt_buf_reserve(&block->hets, many * file->stride + GT_KERNEL_PAD, err);
    for (int64_t v = 0; v < block->n && !status; v++) {
        struct record record = {.data = at};
        if (records) {
            record.type = raw[p.types + (size_t)v];
            memcpy(&record.length, raw + 4 * v, 4);
        }
        status = add_tracks(file, first, block, v, &record, raw + p.row, scratch->data, err);
        at += record.length;
    }
    return status;
}

static int read_psam(struct gt_fileset *file, const char *path, struct gt_err *err)
{
    return gt_fileset_read_fam(file, path, true, err);
}

static void release(struct gt_fileset *file)
{
    gt_buf_release(&of_file(file)->groups);
}

int gt_reader_open_pgen(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err)
{
    static const struct gt_fileset_ops pgen = {.kind = "PLINK pgen",
                                               .sites = ".pvar",
                                               .samples = ".psam",
                                               .to_utf8 = "convert the .pvar and the .psam with iconv -f LATIN1 -t UTF-8",
                                               .stem = gt_plink_stem,
                                               .pvar = true,
                                               .size = sizeof(struct pgen),
                                               .begin = begin,
                                               .read_samples = read_psam,
                                               .layout = layout,
                                               .check = check,
                                               .bytes = bytes,
                                               .read = read_records,
                                               .unpack = unpack,
                                               .alts = alts,
                                               .warn = warn_left_out,
                                               .release = release};
    return gt_fileset_open(out, engine, input, &pgen, err);
}
