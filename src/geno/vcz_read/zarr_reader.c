#include "geno/vcz_read/zarr_reader.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/open.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/select/filter.h"
#include "geno/vcz_read/vcz_reader.h"
#include "storage/archive/tar_store.h"

static bool is_stream(const struct zarr_reader *r)
{
    return r->store->stream;
}

/* --- a pass --------------------------------------------------------------------------- */

static int64_t stride_of(const struct zarr_reader *r)
{
    return (r->base.info.n_samples + 3) / 4 + 1;
}

/* May a site have two ALTs, as far as the shape of what names them tells? */
static bool may_be_multiallelic(const struct zarr_reader *r)
{
    const struct gt_array *alleles = r->site[ZR_ALLELE].array, *alts = r->site[ZR_ALT].array;

    if (alleles && alleles->ndim > 1)
        return alleles->shape[1] > 2;
    return !alts || (alts->ndim > 1 && alts->shape[1] > 1);
}

/* Rows that a variant may have. */
static int64_t most_of_variant(const struct zarr_reader *r)
{
    if (!r->base.filter || !gt_filter_splits(r->base.filter))
        return 1;
    return r->provisional ? GT_MAX_ALLELES : gt_max_i64(1, r->base.info.alleles - 1);
}

/* Rows of a block with that number of variants.  Where records may have more, two for each: what does not fit is for the next block. */
static int64_t rows_of_block(const struct zarr_reader *r, int64_t variants)
{
    return most_of_variant(r) > 1 ? gt_bytes_mul(2, variants) : variants;
}

/* Bytes that a task takes for a row, and beside: chunks, stored, on their way and decoded. */
static int64_t bytes_of_row(const struct zarr_reader *r, unsigned fields)
{
    const int64_t record = r->columns && (fields & GT_SITE_COLUMNS) ? zr_record_bytes(r, r->base.info.n_samples) : 0;
    const int64_t calls = fields & GT_SITE_CALLS && r->layout == ZR_CALLS && may_be_multiallelic(r) ? 3 * r->base.info.n_samples : 0;

    const int64_t alleles = fields & GT_SITE_ALLELES && most_of_variant(r) == 1 ? gt_geno_info_block_alleles(&r->base.info) : 0;

    return gt_bytes_add((2 + (fields & GT_SITE_HAPLOTYPES ? 2 : 0) + (fields & GT_SITE_PHASES ? 1 : 0)) * stride_of(r) + calls + alleles +
                            (fields ? 240 : 0),
                        record);
}

/* Chunks of genotypes in a row of the grid: all stay decoded where several tasks share them, and where records need them. */
static int64_t bytes_of_shared(const struct zarr_reader *r)
{
    int64_t columns = 1;

    for (int i = 1; i < r->geno->ndim; i++)
        columns = gt_bytes_mul(columns, gt_array_units(r->geno, i));
    return gt_bytes_mul(columns, (int64_t)r->geno->unit_bytes);
}

static int64_t bytes_of_chunks(const struct zarr_reader *r, int64_t rows, unsigned fields)
{
    int64_t largest = (int64_t)r->geno->unit_bytes, record = 0, all;

    if (r->columns && (fields & GT_SITE_COLUMNS))
        zr_record_chunks(r, &record, &all);
    largest = record > largest ? record : largest;
    const int64_t held = r->columns && (fields & GT_SITE_COLUMNS) ? bytes_of_shared(r) : 0;
    return gt_bytes_add(gt_bytes_add(held, gt_bytes_mul(3, largest)), gt_bytes_add(zr_site_bytes(r, rows, fields), 64 << 10));
}

/* Records of a task: that many bytes of them keep a thread busy for long enough. */
#define RECORDS ((int64_t)4 << 20)

/* Variants of that size that make a task large enough. */
static int64_t worth_it(int64_t row)
{
    return gt_ceil_div(256 << 10, row);
}

/* Variants of a task, see zarr_reader.h, where reading takes `memory` for it. */
static int64_t choose_rows(const struct zarr_reader *r, int64_t step, unsigned fields, int64_t memory)
{
    const int64_t row = rows_of_block(r, 1) * bytes_of_row(r, fields);
    int64_t rows = step, room;

    if (r->n_variants < 0)
        return step;
    if (rows > r->n_variants)
        rows = r->n_variants > 0 ? r->n_variants : 1;
    while (rows < 1024 && rows * 2 * stride_of(r) <= 1 << 20 && rows < r->n_variants)
        rows += step;
    while (rows > step && memory - bytes_of_chunks(r, rows, fields) < worth_it(row) * row)
        rows -= step;
    room = memory - bytes_of_chunks(r, rows, fields);
    if (r->columns && (fields & GT_SITE_COLUMNS) && room / 2 > RECORDS)
        room = 2 * RECORDS;
    if (is_stream(r) || rows <= room / 2 / row)
        return rows;
    const int64_t cut = (room - bytes_of_shared(r)) / 2 / row;
    if (cut < worth_it(row) && rows <= room / row) /* one task at a time, of all rows */
        return rows;
    return gt_ceil_div(rows, gt_ceil_div(rows, gt_max_i64(1, cut)));
}

/* With these numbers of variants and rows. */
static int64_t bytes_of_block(const struct zarr_reader *r, int64_t variants, int64_t rows, unsigned fields)
{
    const int64_t one_alt = most_of_variant(r) > 1 ? gt_bytes_mul(r->base.info.n_samples, r->ploidy) : 0;
    return gt_bytes_add(gt_bytes_add(gt_bytes_mul(rows, bytes_of_row(r, fields)), one_alt), bytes_of_chunks(r, variants, fields));
}

static int64_t task_bytes(const struct zarr_reader *r, int64_t variants, unsigned fields)
{
    return bytes_of_block(r, variants, rows_of_block(r, variants), fields);
}

/* A few ALTs: with memory for all rows that tasks may have, they need not be read one after another. */
enum { FEW_ALTS = 8 };

/* Memory where no task leaves rows for the next one; INT64_MAX: that is not tried. */
static int64_t memory_of_all_rows(const struct zarr_reader *r, int64_t variants, unsigned fields)
{
    const int64_t most = most_of_variant(r);
    if (is_stream(r) || most > FEW_ALTS)
        return INT64_MAX;
    return gt_memory_plan_of_flow(r->base.engine, r->base.engine->limits.io_threads, bytes_of_block(r, variants, variants * most, fields));
}

/* At the least a task has all rows of a chunk, or so many that it is worth it; those of a stream are not cut. */
static void reader_needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    const struct zarr_reader *r = (const struct zarr_reader *)stage;
    int64_t step = r->provisional ? r->geno->chunk[0] : r->geno->unit[0], whole = choose_rows(r, step, fields, INT64_MAX / 2);
    int64_t some = worth_it(rows_of_block(r, 1) * bytes_of_row(r, fields)), largest, all;

    needs->minimum = task_bytes(r, whole, fields);
    if (most_of_variant(r) > 1)
        needs->minimum = gt_bytes_add(task_bytes(r, is_stream(r) ? whole : gt_min_i64(some, whole), fields), bytes_of_shared(r));
    else if (!is_stream(r) && some < whole)
        needs->minimum = gt_min_i64(needs->minimum, gt_bytes_add(task_bytes(r, some, fields), bytes_of_shared(r)));
    needs->preferred =
        gt_bytes_mul(2, gt_memory_plan_of_flow(r->base.engine, r->base.engine->limits.io_threads, task_bytes(r, whole, fields)));
    if (most_of_variant(r) > 1 && memory_of_all_rows(r, whole, fields) < INT64_MAX)
        needs->preferred = gt_max_i64(needs->preferred, memory_of_all_rows(r, whole, fields));
    if (r->columns && (fields & GT_SITE_COLUMNS)) {
        zr_record_chunks(r, &largest, &all);
        needs->preferred = gt_bytes_add(needs->preferred, gt_bytes_mul(8, all));
    }
    needs->block = most_of_variant(r) <= FEW_ALTS ? gt_bytes_mul(whole, most_of_variant(r)) : rows_of_block(r, whole);
}

static int prepare(struct zarr_reader *r, struct gt_err *err)
{
    int status = GT_OK;
    bool stale = r->provisional || (r->n_variants >= 0 && r->geno->shape[0] != r->n_variants);

    /* How many columns of alleles and filters there are stands at the end of such a stream. */
    if (r->provisional && (r->fields & (GT_SITE_ALLELES | GT_SITE_QUAL)))
        status = zr_finish_stream(r, err);
    if (!status && stale && !r->provisional) {
        status = zr_reopen_sites(r, err);
        if (!status)
            status = zr_read_filters(r, err);
    }
    return status;
}

/* Chunks of a stream that nobody will ask for need not be kept. */
static int want_arrays(struct zarr_reader *r, struct gt_err *err)
{
    const char **paths;
    size_t n = 0;
    int status;

    if (!is_stream(r) || r->again)
        return GT_OK;
    paths = gt_alloc(ZR_SITE_ARRAYS + 3 + r->n_fields, sizeof *paths, err);
    if (!paths)
        return GT_FAIL;
    paths[n++] = r->array_path;
    for (int i = 0; i < ZR_SITE_ARRAYS; i++)
        if (zr_site_needed(r, i, r->fields))
            paths[n++] = r->site[i].array->path;
    for (int i = 0; i < 2; i++)
        if (r->late_path[i])
            paths[n++] = r->late_path[i];
    for (size_t i = 0; i < r->n_fields && (r->fields & GT_SITE_COLUMNS); i++)
        paths[n++] = zr_fields(r)[i].column.array->path;
    status = gt_tar_want(r->store, paths, n, err);
    free(paths);
    return status;
}

/* Whole rows of chunks, those that range and slice leave something of. */
static void choose_window(struct zarr_reader *r)
{
    int64_t chunk = r->step;

    gt_filter_window(r->base.filter, r->n_variants, &r->from, &r->to);
    if (r->rows >= chunk) {
        r->from = r->from / chunk * chunk;
        r->to = gt_ceil_div(r->to, chunk) * chunk;
        r->to = r->to < r->n_variants ? r->to : r->n_variants;
    }
    r->base.n_skipped = gt_filter_count_skipped(r->base.filter, r->n_variants, r->from, r->to);
}

static void begin_pass(struct zarr_reader *r, unsigned fields)
{
    const struct gt_filter *filter = r->base.filter;

    r->fields = fields | gt_filter_fields(filter);
    r->first_fields = gt_filter_looks_at_sites(filter) || gt_filter_splits(filter)
                          ? gt_filter_fields(filter) & ~(unsigned)GT_SITE_HAPLOTYPES
                          : GT_SITE_NONE;
    r->select = gt_filter_opts(filter);
    r->rule = gt_dosage_rule(r->select, gt_filter_keep(filter));
    r->rule.polyploid_missing |= r->columns && r->select->polyploid == GT_POLYPLOID_UNSAID; /* nobody counts alleles, but for filters */
    r->from = 0;
    r->to = INT64_MAX;
}

static int reader_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct zarr_reader *r = (struct zarr_reader *)stage;
    const int64_t memory = start->memory;
    struct gt_flow_opts opts = {.tasks = -1, .readers = 1, .memory = memory};
    int status;

    begin_pass(r, start->fields);
    status = prepare(r, err);
    if (!status)
        status = want_arrays(r, err);
    if (status)
        return status;
    r->step = r->provisional ? r->geno->chunk[0] : r->geno->unit[0];
    r->rows = choose_rows(r, r->step, r->fields, memory);
    r->carries = most_of_variant(r) > 1 && memory < memory_of_all_rows(r, r->rows, r->fields);
    r->most_rows = rows_of_block(r, r->rows);
    r->place = (struct zr_place){0};
    r->kept = r->carries && (is_stream(r) || bytes_of_shared(r) <= memory - task_bytes(r, r->rows, r->fields)) ? bytes_of_shared(r) : 0;
    r->stored_max = (memory - r->kept - task_bytes(r, r->rows, r->fields)) / 8;
    opts.memory = memory - r->kept;
    opts.task_bytes =
        (size_t)(r->carries ? task_bytes(r, r->rows, r->fields) : bytes_of_block(r, r->rows, r->rows * most_of_variant(r), r->fields));
    status = zr_choose_tasks(r, err);
    if (!status)
        status = zr_caches_open(r, memory, err);
    if (status)
        return status;
    r->n_tasks = INT64_MAX;
    if (!is_stream(r)) {
        choose_window(r);
        opts.tasks = r->by_place ? (int64_t)(r->tasks.len / sizeof(struct zr_task)) : gt_ceil_div(r->to - r->from, r->rows);
        opts.tasks = opts.tasks == 0 && r->unseen ? 1 : opts.tasks;
        opts.readers = r->base.engine->limits.io_threads;
    }
    if (r->carries) {
        r->n_tasks = opts.tasks >= 0 ? opts.tasks : INT64_MAX;
        opts.tasks = -1;
        opts.readers = 1;
    }
    return gt_flow_start(&r->flow, r->base.engine, &zr_flow_ops, &opts, r, err);
}

/* Contigs that the table did not have get their numbers here, in block order. */
static int number_contigs(struct zarr_reader *r, struct gt_block *block, struct gt_err *err)
{
    struct gt_site *sites = gt_block_sites(block);

    for (size_t k = 0; k < block->new_contigs.n; k++) {
        const char *name = gt_strs_get(&block->new_contigs, k);
        int64_t number;
        int status = gt_names_number(r->numbers, &r->base.info.contigs, name, strlen(name), &number, err);
        if (status)
            return status;
        for (int64_t i = 0; i < block->n && block->sites.len; i++)
            if (sites[i].contig == -1 - (int32_t)k)
                sites[i].contig = (int32_t)number;
    }
    return GT_OK;
}

static int reader_next(struct gt_stage *stage, struct gt_block **block, struct gt_err *err)
{
    struct zarr_reader *r = (struct zarr_reader *)stage;
    void *item;
    int64_t task;
    int status = gt_flow_next(r->flow, &item, &task, err);

    if (status)
        return status;
    *block = &((struct zr_item *)item)->block;
    (*block)->owner = stage;
    status = number_contigs(r, *block, err);
    if (status)
        gt_flow_done(r->flow, item);
    return status;
}

static void reader_release(struct gt_stage *stage, struct gt_block *block)
{
    gt_flow_done(((struct zarr_reader *)stage)->flow, block); /* the block is the item's first member */
}

static void reader_stop(struct gt_stage *stage)
{
    struct zarr_reader *r = (struct zarr_reader *)stage;

    gt_flow_free(r->flow);
    r->flow = NULL;
    zr_caches_close(r);
}

static void reader_close(struct gt_stage *stage)
{
    struct zarr_reader *r = (struct zarr_reader *)stage;

    reader_stop(stage);
    for (int i = 0; i < ZR_SITE_ARRAYS; i++) {
        gt_array_free(r->site[i].array);
        gt_strs_release(&r->site[i].fill);
    }
    pthread_mutex_destroy(&r->late_lock);
    zr_close_fields(r);
    gt_array_free(r->geno);
    gt_buf_release(&r->tasks);
    gt_strs_release(&r->late);
    gt_names_free(r->known);
    gt_names_free(r->numbers);
    free(r->filter_map);
    free(r->group_path);
    free(r->sites_path);
    gt_store_free(r->sites);
    free(r->array_path);
    free(r->late_path[0]);
    free(r->late_path[1]);
    gt_reader_base_release(&r->base);
    gt_store_free(r->store);
    free(r);
}

/* --- opening ----------------------------------------------------------------------------- */

static struct zarr_reader *reader_new(struct gt_engine *engine, const struct gt_input *input, const struct gt_zarr_reader_opts *opts,
                                      struct gt_err *err)
{
    static const struct gt_stage_ops ops = {reader_needs, reader_start, reader_next, reader_release, reader_stop, reader_close, NULL};
    struct zarr_reader *r = gt_alloc(1, sizeof *r, err);

    if (!r)
        return NULL;
    gt_reader_init(&r->base, &ops, engine, input->kind != GT_KIND_TAR || opts->again);
    r->base.info.name = gt_strdup(input->name, err);
    r->slice = opts->slice_ploidy;
    r->haplotypes = opts->haplotypes;
    r->phases = opts->phases;
    r->columns = opts->columns;
    r->field_list.budget = &engine->budget;
    r->again = opts->again;
    r->known = gt_names_new(&engine->budget, err);
    r->numbers = gt_names_new(&engine->budget, err);
    pthread_mutex_init(&r->late_lock, NULL);
    r->tasks.budget = &engine->budget;
    if (r->base.info.name && r->known && r->numbers)
        return r;
    reader_close(&r->base.stage);
    return NULL;
}

static int name_kind(struct zarr_reader *r, struct gt_err *err)
{
    const char *kind = r->layout == ZR_PACKED ? "packed store" : r->site[ZR_CONTIG].array ? "VCF Zarr store" : "Zarr store";

    r->base.info.kind = gt_strdup(kind, err);
    return r->base.info.kind ? GT_OK : GT_FAIL;
}

static int warn_of_phases(struct zarr_reader *r, struct gt_err *err)
{
    if (!r->haplotypes || r->layout != ZR_CALLS || r->site[ZR_PHASED].array)
        return GT_OK;
    return gt_strs_addf(&r->base.warnings, err, "'%s' has no call_genotype_phased: all calls are assumed to be phased", r->base.info.name);
}

int gt_reader_open_zarr(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const struct gt_zarr_reader_opts *opts,
                        struct gt_err *err)
{
    struct zarr_reader *r = reader_new(engine, input, opts, err);
    struct gt_str path = {0};
    int status = r ? gt_zarr_path(&path, input, opts->array, err) : GT_FAIL;

    if (!r)
        return status;
    if (!status)
        status = gt_zarr_open_store(&r->store, engine, input, opts->again, err);
    if (!status)
        status = zr_open_layout(r, path.s, opts->sites, err);
    if (!status)
        status = zr_open_tables(r, err);
    if (!status)
        status = zr_show_ploidy(r, err);
    if (!status)
        status = zr_open_fields(r, err);
    if (!status)
        status = name_kind(r, err);
    if (!status)
        status = warn_of_phases(r, err);
    gt_str_release(&path);
    if (status) {
        reader_close(&r->base.stage);
        return status;
    }
    *out = &r->base;
    return GT_OK;
}
