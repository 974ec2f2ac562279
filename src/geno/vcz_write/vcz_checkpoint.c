/* What a writer of VCF Zarr knows of the row groups that it put, for a run that goes on after them. */
#include "arrays/zarr/array.h"
#include "geno/vcz_write/checkpoint_text.h"
#include "geno/vcz_write/vcz_internal.h"

enum { RUN = 5, STATS = 4 };

static void add_reach(struct vcz_ragged *ragged, struct gt_str *to)
{
    const int64_t rows = (int64_t)(ragged->reach.len / sizeof(int32_t));
    gt_note_add(to, rows - ragged->noted);
    for (; ragged->noted < rows; ragged->noted++)
        gt_note_add(to, ((const int32_t *)(const void *)ragged->reach.data)[ragged->noted]);
}

bool gt_vcz_can_checkpoint(const struct gt_vcz *vcz)
{
    return vcz->row_groups % vcz->each == 0;
}

void gt_vcz_checkpoint_text(struct gt_vcz *vcz, struct gt_str *to)
{
    const int64_t stats[STATS] = {vcz->stats.variants, vcz->stats.bytes_genotypes, vcz->stats.bytes_all, vcz->stats.files};
    const size_t runs = vcz->runs.len / sizeof(struct vcz_run);
    for (int i = 0; i < STATS; i++)
        gt_note_add(to, stats[i]);
    gt_note_add(to, (int64_t)(runs - vcz->noted_runs));
    for (; vcz->noted_runs < runs; vcz->noted_runs++) {
        const struct vcz_run *run = (const struct vcz_run *)(const void *)vcz->runs.data + vcz->noted_runs;
        const int64_t numbers[RUN] = {run->contig, run->n, run->start, run->end, run->max_end};
        for (int i = 0; i < RUN; i++)
            gt_note_add(to, numbers[i]);
    }
    add_reach(&vcz->alleles, to);
    add_reach(&vcz->filter_columns, to);
}

static int take_runs(struct gt_vcz *vcz, const char **at, struct gt_err *err)
{
    int64_t n = 0, numbers[RUN];
    int status = 0;
    for (gt_note_take(at, &n); n > 0 && !status; n--) {
        for (int i = 0; i < RUN; i++)
            if (!gt_note_take(at, &numbers[i]))
                return GT_NOENT;
        const struct vcz_run run = {(int32_t)numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
        status = gt_buf_append(&vcz->runs, &run, sizeof run, err);
    }
    vcz->noted_runs = vcz->runs.len / sizeof(struct vcz_run);
    return status;
}

static int take_reach(struct vcz_ragged *ragged, const char **at, struct gt_err *err)
{
    int64_t n = 0, columns;
    int status = 0;
    for (gt_note_take(at, &n); n > 0 && !status; n--)
        status = gt_note_take(at, &columns) ? vcz_set_reach(ragged, ragged->noted++, columns, err) : GT_NOENT;
    return status;
}

/* --- chunks that were put ------------------------------------------------------------------ */

static int look_at_row(const struct gt_vcz *vcz, int array, int64_t row, int64_t columns, struct gt_err *err)
{
    int status = 0;
    for (int64_t c = 0; c < columns && !status && vcz->array[array]; c++) {
        const int64_t index[GT_MAX_DIMS] = {row, c};
        int64_t size;
        status = gt_array_done(vcz->array[array], index, &size, err);
    }
    return status;
}

static int64_t reach_of(const struct vcz_ragged *ragged, int64_t row)
{
    const int64_t rows = (int64_t)(ragged->reach.len / sizeof(int32_t));
    return row < rows ? ((const int32_t *)(const void *)ragged->reach.data)[row] : 0;
}

/* Are those of row groups [from, to), and the rows of site arrays that they fill, whole?  GT_NOENT. */
static int look_at_chunks(const struct gt_vcz *vcz, int64_t from, int64_t to, struct gt_err *err)
{
    int status = 0;
    if (vcz->opts.layout == GT_VCZ_FIELDS) /* others put them */
        return 0;
    for (int64_t row_group = from; row_group < to && !status; row_group++)
        status = look_at_row(vcz, VCZ_DOSAGE, row_group, vcz->sample_chunks, err);
    for (int64_t row = from / vcz->each; row < to / vcz->each && !status; row++)
        for (int i = VCZ_SITES; i < VCZ_SITES_END && !status; i++)
            if (i != VCZ_CONTIG)
                status = look_at_row(vcz, i, row,
                                     i == VCZ_ALLELE   ? reach_of(&vcz->alleles, row)
                                     : i == VCZ_FILTER ? reach_of(&vcz->filter_columns, row)
                                                       : 1,
                                     err);
    return status;
}

static void forget(struct gt_vcz *vcz, size_t runs, int64_t alleles, int64_t filters)
{
    vcz->noted_runs = runs;
    vcz->runs.len = runs * sizeof(struct vcz_run);
    vcz->alleles.noted = alleles;
    vcz->alleles.reach.len = (size_t)alleles * sizeof(int32_t);
    vcz->filter_columns.noted = filters;
    vcz->filter_columns.reach.len = (size_t)filters * sizeof(int32_t);
}

int gt_vcz_restore(struct gt_vcz *vcz, int64_t row_groups, const char **at, struct gt_err *err)
{
    const size_t runs = vcz->noted_runs;
    const int64_t alleles = vcz->alleles.noted, filters = vcz->filter_columns.noted;
    int64_t stats[STATS];
    for (int i = 0; i < STATS; i++)
        if (!gt_note_take(at, &stats[i]))
            return GT_NOENT;
    int status = take_runs(vcz, at, err);
    status = status ? status : take_reach(&vcz->alleles, at, err);
    status = status ? status : take_reach(&vcz->filter_columns, at, err);
    status = status ? status : *at ? look_at_chunks(vcz, vcz->row_groups, row_groups, err) : GT_NOENT;
    if (status == GT_NOENT)
        forget(vcz, runs, alleles, filters);
    if (status)
        return status;
    vcz->row_groups = row_groups;
    vcz->stats.variants = stats[0];
    vcz->stats.bytes_genotypes = stats[1];
    vcz->stats.bytes_all = stats[2];
    vcz->stats.files = stats[3];
    return 0;
}
