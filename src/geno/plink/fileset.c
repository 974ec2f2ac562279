#include "config.h"

#include "geno/plink/fileset.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"
#include "geno/model/dosage.h"
#include "geno/model/site_check.h"
#include "geno/samples/fam.h"
#include "geno/select/filter.h"
#include "kernels/kernels.h"
#include "storage/input/input.h"

#define TASK_BYTES ((int64_t)1 << 20)
#define TASK_ROWS 4096
#define TABLE_BYTES ((int64_t)2 << 20) /* of the table of sites, for a thread of its own: a few ms */

struct item {
    struct gt_block block; /* first: next hands it out */
    struct gt_buf raw, text, alleles;
    bool ready;
};

static struct gt_fileset *of_stage(struct gt_stage *stage)
{
    return (struct gt_fileset *)stage;
}

static int64_t rows_of(const struct gt_fileset *file, int64_t group)
{
    return gt_min_i64(file->bim.n - group * file->rows, file->rows);
}

static int read_group(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_fileset *file = ctx;
    struct item *item = data;
    const int64_t group = file->first_group + task, n = rows_of(file, group), bytes = file->format->bytes(file, n);
    if (!item->ready) {
        gt_block_init(&item->block, &file->base.engine->budget);
        item->raw.budget = item->text.budget = item->alleles.budget = &file->base.engine->budget;
        item->ready = true;
    }
    /* the kernel may look a vector past the last row */
    int status = gt_buf_resize(&item->raw, (size_t)bytes + GT_KERNEL_PAD, err);
    if (!status)
        status = file->format->read(file, group * file->rows, n, item->raw.data, err);
    if (!status && file->fields)
        status = gt_bim_read(&file->bim, group, &item->text, err);
    gt_flow_bytes(bytes);
    return status;
}

static int64_t kept_samples(const struct gt_fileset *file)
{
    int64_t n;
    return gt_filter_samples(file->base.filter, &n) ? n : file->base.info.n_samples;
}

/* The record once more, with calls whose alleles may have several digits. */
static int write_alleles(const struct gt_fileset *file, struct gt_block *block, struct gt_site *site, const uint8_t *row,
                         struct gt_err *err)
{
    const struct gt_record_body old = *gt_block_record(block, site);
    const size_t samples = (size_t)kept_samples(file), before = old.n - samples * GT_CALL_TEXT, room = before + samples * GT_ALLELES_TEXT;
    uint8_t *to;
    int status = gt_site_check_calls(&file->base.info.contigs, site, err);
    status = status ? status : gt_block_add_record(block, site, &(struct gt_record_body){.n = room}, &to, err);
    if (status)
        return status;
    const uint8_t *alleles = gt_block_calls(block, site), *phases = gt_block_phases(block, site);
    char *at = (char *)to + before;
    memcpy(to, block->texts.data + old.from, before);
    for (size_t s = 0; s < samples; s++)
        at = gt_put_alleles_text(at, row[s / 4] >> 2 * (s & 3) & 3, alleles + 2 * s, gt_get_phase(phases, s), false);
    ((struct gt_record_body *)(void *)block->records.data)[site->record].n = (size_t)(at - (char *)to);
    return GT_OK;
}

/* Room for the records that write_alleles will make. */
static int expect_alleles(const struct gt_fileset *file, struct gt_block *block, struct gt_err *err)
{
    size_t room = block->texts.len + GT_KERNEL_PAD;
    for (int64_t v = 0; v < block->n; v++) {
        const struct gt_site *site = &gt_block_sites(block)[v];
        room += site->calls ? gt_block_record(block, site)->n + (size_t)kept_samples(file) * (GT_ALLELES_TEXT - GT_CALL_TEXT) : 0;
    }
    return gt_buf_reserve(&block->texts, room, err);
}

/* Over the unphased calls of a biallelic site, those of heterozygotes that are phased. */
static void write_phases(uint8_t *to, const uint8_t *row, const uint8_t *phases, int64_t samples)
{
    for (int64_t s = 0; s < samples; s++) {
        const unsigned phase = gt_get_phase(phases, s);
        if ((row[s >> 2] >> (2 * (s & 3)) & 3) == 1 && phase != GT_PHASED_NOT)
            memcpy(to + s * GT_CALL_TEXT, phase == GT_PHASED_ASCENDING ? "0|1" : "1|0", 3);
    }
}

/* The calls of records, where gt_bim_parse left room for them. */
static int write_calls(const struct gt_fileset *file, struct gt_block *block, struct gt_err *err)
{
    static const char calls[4][GT_CALL_TEXT] = {"0/0\t", "0/1\t", "1/1\t", "./.\t"};
    const int64_t samples = kept_samples(file);
    int status = expect_alleles(file, block, err);
    block->has_gt = true;
    for (int64_t v = 0; v < block->n && !status; v++) {
        struct gt_site *site = &gt_block_sites(block)[v];
        const struct gt_record_body *record = gt_block_record(block, site);
        const uint8_t *row = gt_block_row(block, v);
        uint8_t *to = block->texts.data + record->from + record->n - samples * GT_CALL_TEXT;
        if (site->pooled) {
            gt_fail(err, GT_INPUT, "'%s' (%s:%lld): multiallelic calls of this format are not supported", file->input.name,
                    gt_strs_get(&file->base.info.contigs, (size_t)site->contig), (long long)site->position);
            gt_hint(err, "--biallelic drops such variants");
            return GT_INPUT;
        }
        if (site->calls)
            status = write_alleles(file, block, site, row, err);
        for (int64_t s = 0; s < samples && !site->calls; s++)
            memcpy(to + s * GT_CALL_TEXT, calls[row[s >> 2] >> (2 * (s & 3)) & 3], GT_CALL_TEXT);
        if (site->phases && !site->calls)
            write_phases(to, row, gt_block_phases(block, site), samples);
    }
    return status;
}

static int work(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct gt_fileset *file = ctx;
    struct item *item = data;
    struct gt_block *block = &item->block;
    const int64_t group = file->first_group + task, n = rows_of(file, group);
    gt_block_clear(block);
    block->first = group * file->rows;
    block->n = n;
    block->stride = file->stride;
    int status = gt_buf_resize(&block->rows, (size_t)n * block->stride + GT_KERNEL_PAD, err);
    if (!status)
        status = file->format->unpack(file, block->first, n, item->raw.data, block->rows.data, err);
    if (!status && file->fields)
        status = gt_bim_parse(&file->bim, group, &item->text, file->fields, kept_samples(file), block, err);
    if (!status && file->fields && file->format->alts && (file->bim.alleles > 2 || file->compare || file->fields & GT_SITE_PHASES))
        status = file->format->alts(file, block->first, item->raw.data, block, &item->alleles, err);
    gt_flow_bytes(n * (int64_t)file->stride);
    if (!status)
        status = gt_filter_block(file->base.filter, block, err);
    return !status && file->fields & GT_SITE_RECORD ? write_calls(file, block, err) : status;
}

static void release(void *ctx, void *data)
{
    struct item *item = data;
    (void)ctx;
    gt_block_release(&item->block);
    gt_buf_release(&item->raw);
    gt_buf_release(&item->text);
    gt_buf_release(&item->alleles);
}

/* Of multiallelic sites, which may be all: two alleles of each call, twice where samples are selected, their text, a row of bits. */
static int64_t alts_bytes(const struct gt_fileset *file, unsigned fields)
{
    const int64_t samples = file->base.info.n_samples;
    int64_t each = 0;
    if (!file->format->alts || file->bim.alleles <= 2)
        return 0;
    if (fields & (GT_SITE_CALLS | GT_SITE_RECORD))
        each += 4 * samples;
    if (fields & GT_SITE_RECORD)
        each += file->base.info.record_bytes + GT_ALLELES_TEXT * samples;
    if (fields & GT_SITE_HETS)
        each += (int64_t)file->stride;
    return file->rows * each + 2 * samples;
}

/* The largest text of a task's sites, and their alleles, each with its start.  Sites of two alleles have enough with what others take. */
static int64_t text_bytes(const struct gt_fileset *file, unsigned fields)
{
    const int64_t *starts = (const int64_t *)(const void *)file->bim.starts.data;
    int64_t most = 0;
    for (size_t i = 1; i < file->bim.starts.len / sizeof *starts; i++)
        most = gt_max_i64(most, starts[i] - starts[i - 1]);
    return file->bim.alleles > 2 ? (fields & GT_SITE_ALLELES ? 4 : 2) * most : 0;
}

/* Rows as stored and as codes, and what is known of their sites. */
static int64_t task_bytes(const struct gt_fileset *file, unsigned fields)
{
    return file->format->bytes(file, file->rows) + file->rows * (int64_t)file->stride + 2 * GT_KERNEL_PAD + alts_bytes(file, fields) +
           (fields & GT_SITE_PHASES && file->phased ? file->rows * (int64_t)file->stride + 2 * file->base.info.n_samples : 0) +
           (fields ? file->rows * 256 + text_bytes(file, fields) : 0) +
           (fields & GT_SITE_RECORD ? file->rows * (file->base.info.record_bytes + 64) : 0) + 4096;
}

static unsigned wanted(const struct gt_fileset *file, unsigned fields)
{
    return fields | (file->compare ? GT_SITE_POS : 0) | (fields & GT_SITE_RECORD && file->phased ? GT_SITE_PHASES : 0);
}

static void needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    const struct gt_fileset *file = (const struct gt_fileset *)stage;
    needs->minimum = task_bytes(file, wanted(file, fields));
    needs->preferred = gt_memory_plan_of_flow(file->base.engine, file->base.engine->limits.io_threads, needs->minimum);
    needs->block = file->rows;
}

static int start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "rows",
                                           .read_name = "read",
                                           .work_name = "unpack",
                                           .item_size = sizeof(struct item),
                                           .read = read_group,
                                           .work = work,
                                           .release = release};
    struct gt_fileset *file = of_stage(stage);
    struct gt_reader *reader = &file->base;
    int64_t from, to;
    struct gt_flow_opts opts = {.readers = reader->engine->limits.io_threads, .memory = start->memory};
    gt_filter_window(reader->filter, file->bim.n, &from, &to);
    file->first_group = from / file->rows;
    opts.tasks = from < to ? gt_ceil_div(to, file->rows) - file->first_group : 0;
    reader->n_skipped =
        gt_filter_count_skipped(reader->filter, file->bim.n, file->first_group * file->rows, (file->first_group + opts.tasks) * file->rows);
    opts.task_bytes = (size_t)task_bytes(file, wanted(file, start->fields));
    /* only a .pvar has sites of more than two alleles */
    const bool alts = file->format->alts && file->bim.alleles > 2;
    file->fields =
        wanted(file, start->fields) & ~(unsigned)((alts ? 0 : GT_SITE_HETS | GT_SITE_CALLS) | (file->phased ? 0 : GT_SITE_PHASES) |
                                                  (file->format->pvar ? 0 : GT_SITE_MULTI));
    int status = file->format->warn ? file->format->warn(file, err) : GT_OK;
    return status ? status : gt_flow_start(&file->flow, reader->engine, &ops, &opts, file, err);
}

static int next(struct gt_stage *stage, struct gt_block **block, struct gt_err *err)
{
    void *item;
    int64_t task;
    int status = gt_flow_next(of_stage(stage)->flow, &item, &task, err);
    if (status)
        return status;
    *block = item;
    (*block)->owner = stage;
    return GT_OK;
}

static void give_back(struct gt_stage *stage, struct gt_block *block)
{
    gt_flow_done(of_stage(stage)->flow, block);
}

static void stop(struct gt_stage *stage)
{
    gt_flow_free(of_stage(stage)->flow);
    of_stage(stage)->flow = NULL;
}

static void close_file(struct gt_fileset *file)
{
    if (file->format->release)
        file->format->release(file);
    gt_bim_close(&file->bim);
    gt_reader_base_release(&file->base);
    free(file);
}

static void close_reader(struct gt_stage *stage)
{
    struct gt_fileset *file = of_stage(stage);
    stop(stage);
    gt_input_release(&file->input);
    close_file(file);
}

static const struct gt_stage_ops ops = {needs, start, next, give_back, stop, close_reader, NULL};

/* --- rows that are sites ------------------------------------------------------------ */

int64_t gt_fileset_row_bytes(const struct gt_fileset *file, int64_t n)
{
    return n * file->pitch;
}

int gt_fileset_read_rows(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, struct gt_err *err)
{
    const int64_t from = file->header + first * file->pitch;
    /* of lines the last one may lack its end */
    return gt_input_pread(&file->input, raw, (size_t)gt_min_i64(n * file->pitch, file->input.size - from), from, err);
}

void gt_fileset_lay_rows(struct gt_fileset *file, int64_t pitch)
{
    const int64_t rows = TASK_BYTES / pitch;
    file->pitch = pitch;
    file->rows = rows < 1 ? 1 : gt_min_i64(rows, TASK_ROWS);
    file->stride = ((size_t)file->base.info.n_samples + 3) / 4;
}

int gt_fileset_check_rows(const struct gt_fileset *file, int64_t rows, int64_t spare, struct gt_err *err)
{
    const struct gt_input *input = &file->input;
    size_t bytes;
    char samples[GT_THINGS_LEN], variants[GT_THINGS_LEN];
    gt_format_things(samples, file->base.info.n_samples, "sample");
    gt_format_things(variants, file->bim.n, "variant");
    if (!gt_mul_size((size_t)rows, (size_t)file->pitch, &bytes) || !gt_add_size(bytes, (size_t)file->header, &bytes) || bytes > INT64_MAX)
        return gt_fail(err, GT_INPUT, "'%s': %s of %s are too many", input->name, variants, samples);
    if (input->size <= (int64_t)bytes && input->size >= (int64_t)bytes - (rows ? spare : 0))
        return 0;
    return gt_fail(err, GT_INPUT, "'%s' %s: it has %lld bytes; %s x %s (%s, %s) need %zu", input->name,
                   input->size < (int64_t)bytes ? "is truncated" : "is too long", (long long)input->size, samples, variants,
                   file->format->samples, file->format->sites, bytes);
}

int gt_fileset_read_fam(struct gt_fileset *file, const char *path, bool psam, struct gt_err *err)
{
    struct gt_geno_info *info = &file->base.info;
    bool joined = false;
    int status = gt_fam_read(path, psam, &info->samples, &info->plink_ids, &info->pedigree, &joined, err);
    if (!status && joined)
        status = gt_strs_addf(&file->base.warnings, err, "'%s': individual ids are not unique: samples are named FID_IID", path);
    return status;
}

/* --- opening -------------------------------------------------------------------------- */

/* "x.bed" -> "x.bim" */
static int beside(const struct gt_fileset *file, const char *suffix, struct gt_str *text, struct gt_err *err)
{
    gt_str_addn(text, file->input.path, file->format->stem(file->input.path));
    gt_str_add(text, suffix);
    return gt_str_check(text, err);
}

static int read_tables(struct gt_fileset *file, struct gt_err *err)
{
    const struct gt_fileset_ops *format = file->format;
    struct gt_engine *engine = file->base.engine;
    const struct gt_bim_threads threads = {engine->limits.threads, TABLE_BYTES};
    struct gt_str sites = {0}, samples = {0};
    struct gt_geno_info *info = &file->base.info;
    int status = beside(file, format->sites, &sites, err);
    if (!status)
        status = beside(file, format->samples, &samples, err);
    if (!status)
        status = format->read_samples(file, samples.s, err);
    info->n_samples = (int64_t)info->samples.n;
    if (!status && !info->n_samples)
        status = gt_fail(err, GT_INPUT, "'%s' lists no samples", samples.s);
    if (!status)
        status = format->layout(file, err);
    if (!status)
        status = format->pvar ? gt_pvar_open(&file->bim, sites.s, file->rows, engine->tmpdir, threads, &engine->budget, err)
                              : gt_bim_open(&file->bim, sites.s, format->snp, file->rows, threads, &engine->budget, err);
    gt_str_release(&sites);
    gt_str_release(&samples);
    return status ? status : format->check(file, err);
}

static int64_t bim_bytes(const struct gt_bim *bim)
{
    return ((const int64_t *)(const void *)bim->starts.data)[bim->starts.len / sizeof(int64_t) - 1];
}

static int tell(struct gt_fileset *file, struct gt_err *err)
{
    struct gt_geno_info *info = &file->base.info;
    int status = gt_strs_copy(&info->contigs, &file->bim.contigs, err);
    status = status ? status : gt_fileset_read_header(file, err);
    status = status ? status : gt_strs_copy(&info->filters, &file->bim.filters, err);
    info->record_bytes = info->n_samples * GT_CALL_TEXT + (file->bim.n ? bim_bytes(&file->bim) / file->bim.n : 0);
    info->record_text = info->record_bytes;
    info->n_variants = info->n_variants_max = file->bim.n;
    info->two_alleles = file->bim.alleles <= 2;
    info->alleles = file->bim.alleles;
    info->mean_alleles = file->bim.n ? gt_ceil_div(file->bim.all_alleles, file->bim.n) : 0;
    info->has = GT_HAS_GENOTYPES | GT_HAS_CONTIGS | GT_HAS_POSITIONS | GT_HAS_ALLELES | GT_HAS_IDS | GT_HAS_DOSAGES | GT_HAS_RECORDS |
                (info->filters.n ? GT_HAS_FILTERS : 0) | (file->format->alts ? GT_HAS_ALTS : 0) |
                (file->provisional ? GT_HAS_PROVISIONAL : 0);
    info->to_utf8 = file->format->to_utf8;
    info->kind = gt_strdup(file->format->kind, err);
    info->name = gt_strdup(file->input.name, err);
    return !status && (!info->kind || !info->name) ? GT_FAIL : status;
}

int gt_fileset_open(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const struct gt_fileset_ops *format,
                    struct gt_err *err)
{
    struct gt_fileset *file;
    if (!input->seekable)
        return gt_fail(err, GT_INPUT, "'%s': %s needs a regular file, with its %s and %s in the same folder", input->name,
                       gt_input_kind_name(input->kind), format->sites, format->samples);
    if (!(file = gt_alloc(1, format->size, err)))
        return GT_FAIL;
    file->format = format;
    file->provisional = format->provisional;
    gt_reader_init(&file->base, &ops, engine, true);
    file->bim.fd = -1;
    file->input = *input;
    int status = format->begin ? format->begin(file, err) : GT_OK;
    if (!status)
        status = read_tables(file, err);
    if (!status)
        status = tell(file, err);
    if (status) {
        close_file(file);
        return status;
    }
    *out = &file->base;
    return 0;
}
