#include "config.h"

#include "cmd/pdist/pdist_subset.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/common/report.h"
#include "core/base/line_file.h"
#include "geno/model/absent.h"
#include "geno/samples/sample_list.h"

int pdist_subset_check(struct pdist_subset *subset, bool other_list, bool merge, bool of_all, const struct gt_metric_use *use,
                       struct gt_pairs_opts *pairs, struct gt_err *err)
{
    const bool rectangle = subset->rows || subset->columns;
    if (merge && (subset->pairs || rectangle))
        return gt_fail(err, GT_USAGE, "--%s cannot be combined with --merge, which reads pair counts",
                       subset->pairs  ? "pairs"
                       : subset->rows ? "rows"
                                      : "cols");
    if (subset->pairs && use->metric->traits & GT_METRIC_RELATIVE)
        return gt_fail(err, GT_USAGE, "-m %s needs the mean of all pairs: it cannot be combined with --pairs", use->metric->name);
    if (of_all && (subset->pairs || rectangle)) {
        gt_fail(err, GT_USAGE, "this metric needs the variances of all rows: it cannot be combined with --pairs, --rows or --cols");
        gt_hint(err, "give the variances with -V, or the inverse covariance with --vi");
        return GT_USAGE;
    }
    if (subset->pairs && rectangle)
        return gt_fail(err, GT_USAGE, "--pairs cannot be combined with --%s", subset->rows ? "rows" : "cols");
    if (subset->pairs && other_list)
        return gt_fail(err, GT_USAGE, "--pairs cannot be combined with --knn, --min, --max or --part");
    if (subset->pairs && pairs->format != GT_PAIRS_LIST)
        return gt_fail(err, GT_USAGE, "--pairs needs -O pairs");
    if (rectangle && pairs->format != GT_PAIRS_LIST && pairs->format != GT_PAIRS_TSV && pairs->format != GT_PAIRS_NPY &&
        pairs->format != GT_PAIRS_ZARR)
        return gt_fail(err, GT_USAGE, "--rows and --cols need -O tsv, npy, zarr or pairs: other formats are square");
    pairs->list = subset->pairs ? &subset->list : NULL;
    pairs->rectangle = rectangle;
    return GT_OK;
}

/* --- reading ------------------------------------------------------------------------ */

struct reading {
    const char *path;
    const struct gt_row_source_info *info;
    struct gt_sample_index index;
    struct gt_buf *numbers; /* uint32_t of what was read */
    bool iids;              /* of four columns two each are "FID IID" */
    const struct gt_select_opts *opts;
    struct gt_absent absent;
    struct gt_strs *notes;
};

static int add_number(struct gt_buf *to, uint32_t number, struct gt_err *err)
{
    return gt_buf_append(to, &number, sizeof number, err);
}

/* What an input's name follows in messages. */
static const char *among(const struct gt_select_opts *o)
{
    return o->samples || o->samples_file || o->keep_fam || o->mind >= 0 || o->slice ? "the samples selected from " : "";
}

/* Counts the name; false: there is no such sample. */
static bool is_found(struct reading *r, const struct gt_sample_named *named, int64_t number)
{
    r->absent.named++;
    if (named->number >= 0 && !named->other)
        return true;
    if (!gt_absent_add(&r->absent, named->id, strlen(named->id)))
        return false;
    if (named->other)
        gt_fail(&r->absent.reason, GT_INPUT, "%s, line %lld: sample '%s %s' is not in %s'%s': it has another family id", r->path,
                (long long)number, named->fid, named->id, among(r->opts), r->info->name);
    else
        gt_fail(&r->absent.reason, GT_INPUT, "%s, line %lld: sample '%s' is not in %s'%s'", r->path, (long long)number, named->id,
                among(r->opts), r->info->name);
    return false;
}

static int take_id(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct reading *r = ctx;
    struct gt_sample_named named;
    int status = gt_sample_in_line(&r->index, text, number, &named, err);
    if (status || !named.id)
        return status;
    return is_found(r, &named, number) ? add_number(r->numbers, (uint32_t)named.number, err) : GT_OK;
}

/* *sample: -1: there is none. */
static int find(struct reading *r, char *const *columns, int64_t number, int64_t *sample, struct gt_err *err)
{
    struct gt_sample_named named = {.fid = r->iids ? columns[0] : NULL, .id = columns[r->iids ? 1 : 0]};
    int status = gt_sample_find(&r->index, &named, err);
    *sample = !status && is_found(r, &named, number) ? named.number : -1;
    return status;
}

/* Lines of our own tables begin with two ids, of PLINK's with two of two words; what follows is skipped. */
static int take_pair(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct reading *r = ctx;
    char *columns[4];
    int64_t a, b;
    if (number == 1)
        r->iids = strncmp(text, "#FID1", 5) == 0;
    if (!*text || *text == '#' || (number == 1 && strncmp(text, "id1\tid2", 7) == 0))
        return GT_OK;
    if (gt_line_columns(text, gt_line_between(text), columns, 4) < (r->iids ? 4 : 2))
        return gt_fail(err, GT_INPUT, "%s, line %lld: two ids are needed", r->path, (long long)number);
    int status = find(r, columns, number, &a, err);
    if (!status)
        status = find(r, columns + (r->iids ? 2 : 1), number, &b, err);
    if (!status && (a < 0 || b < 0))
        return GT_OK;
    if (!status && a == b)
        status = gt_fail(err, GT_INPUT, "%s, line %lld: '%s' is paired with itself", r->path, (long long)number,
                         gt_strs_get(r->info->ids, (size_t)a));
    if (!status)
        status = add_number(r->numbers, (uint32_t)a, err);
    return status ? status : add_number(r->numbers, (uint32_t)b, err);
}

static int read_file(struct reading *r, const char *option, const char *path, int (*line)(void *, char *, int64_t, struct gt_err *),
                     struct gt_err *err)
{
    struct gt_str where = {0};
    r->path = path;
    r->absent = (struct gt_absent){.option = option, .thing = "sample"};
    gt_str_addf(&where, "%s'%s'", among(r->opts), r->info->name);
    int status = gt_str_check(&where, err);
    status = status ? status : gt_lines_read(path, line, r, err);
    status = status ? status : gt_absent_judge(&r->absent, r->opts, where.s, NULL, r->notes, err);
    if (!status && !r->numbers->len)
        status = r->absent.named
                     ? gt_fail(err, GT_INPUT, "'%s' has no %s of '%s'", path, line == take_pair ? "pair" : "sample", r->info->name)
                     : gt_fail(err, GT_INPUT, "'%s' is empty", path);
    gt_absent_release(&r->absent);
    gt_str_release(&where);
    return status;
}

static int read_samples(struct reading *r, const char *option, const char *path, struct gt_err *err)
{
    int status = GT_OK;
    if (path)
        return read_file(r, option, path, take_id, err);
    for (int64_t s = 0; s < r->info->samples && !status; s++)
        status = add_number(r->numbers, (uint32_t)s, err);
    return status;
}

static int64_t count(const struct gt_buf *numbers)
{
    return (int64_t)(numbers->len / sizeof(uint32_t));
}

/* --- pairs ----------------------------------------------------------------------------- */

/* Samples in the order in which pairs name them; the numbers of pairs become places in it. */
static int number_samples(struct reading *r, struct gt_buf *samples, struct gt_err *err)
{
    struct gt_buf place = {.budget = samples->budget};
    uint32_t *numbers = (uint32_t *)(void *)r->numbers->data;
    int status = gt_buf_resize(&place, (size_t)r->info->samples * sizeof(uint32_t), err);
    uint32_t *at = (uint32_t *)(void *)place.data;
    if (!status)
        memset(place.data, 0, place.len);
    for (size_t k = 0; k < r->numbers->len / sizeof *numbers && !status; k++) {
        if (!at[numbers[k]]) {
            status = add_number(samples, numbers[k], err);
            at[numbers[k]] = (uint32_t)(samples->len / sizeof(uint32_t));
        }
        numbers[k] = at[numbers[k]] - 1;
    }
    gt_buf_release(&place);
    return status;
}

/* The pairs of each of n rows come after those of the row before. */
static int order_by_row(struct gt_pair_list *list, int64_t n, struct gt_budget *budget, struct gt_err *err)
{
    struct gt_buf places = {.budget = budget};
    int status = gt_buf_resize(&places, (size_t)(n + 1) * sizeof(uint32_t), err);
    if (status)
        return status;
    uint32_t *place = (uint32_t *)(void *)places.data; /* of the next pair of a row */
    memset(place, 0, places.len);
    for (int64_t k = 0; k < list->n; k++)
        place[list->pair[k].row + 1]++;
    for (int64_t row = 0; row < n; row++)
        place[row + 1] += place[row];
    for (int64_t k = 0; k < list->n; k++)
        list->order[place[list->pair[k].row]++] = (uint32_t)k;
    gt_buf_release(&places);
    return GT_OK;
}

static int list_pairs(struct pdist_subset *subset, const struct gt_buf *numbers, const struct gt_buf *samples, struct gt_err *err)
{
    const uint32_t *number = (const uint32_t *)(const void *)numbers->data;
    struct gt_pair_list *list = &subset->list;
    list->n = (int64_t)(numbers->len / (2 * sizeof *number));
    int status = gt_buf_resize(&subset->buffers[0], (size_t)list->n * sizeof *list->pair, err);
    if (!status)
        status = gt_buf_resize(&subset->buffers[1], (size_t)list->n * sizeof *list->order, err);
    if (status)
        return status;
    list->pair = (struct gt_selected_pair *)(void *)subset->buffers[0].data;
    list->order = (uint32_t *)(void *)subset->buffers[1].data;
    for (int64_t k = 0; k < list->n; k++) {
        uint32_t a = number[2 * k], b = number[2 * k + 1];
        list->pair[k] = (struct gt_selected_pair){.row = a > b ? a : b, .column = a > b ? b : a, .turned = a > b};
    }
    return order_by_row(list, count(samples), samples->budget, err);
}

/* --- both -------------------------------------------------------------------------------- */

int pdist_subset_open(struct pdist_subset *subset, struct gt_cli *cli, struct pdist_input *in, struct gt_err *err)
{
    struct gt_budget *budget = &cli->engine.budget;
    struct gt_buf first = {.budget = budget}, second = {.budget = budget};
    struct gt_strs notes = {0};
    struct reading r = {.info = &in->row_source->info, .numbers = &first, .opts = &cli->select, .notes = &notes};
    if (!subset->pairs && !subset->rows && !subset->columns)
        return GT_OK;
    subset->buffers[0].budget = subset->buffers[1].budget = budget;
    r.index = (struct gt_sample_index){gt_names_of(r.info->ids, budget, err), r.info->plink_ids};
    int status = r.index.numbers ? GT_OK : GT_FAIL;
    if (!status && subset->pairs) {
        status = read_file(&r, "--pairs", subset->pairs, take_pair, err);
        status = status ? status : number_samples(&r, &second, err);
        status = status ? status : list_pairs(subset, &first, &second, err);
    } else if (!status && subset->other) {
        status = read_samples(&r, subset->rows ? "--rows" : "--cols", subset->rows ? subset->rows : subset->columns, err);
    } else if (!status) {
        status = read_samples(&r, "--rows", subset->rows, err);
        r.numbers = &second;
        status = status ? status : read_samples(&r, "--cols", subset->columns, err);
    }
    const uint32_t *a = (const uint32_t *)(const void *)first.data, *b = (const uint32_t *)(const void *)second.data;
    struct gt_samples_picked picked = {.rows = b, .n_rows = count(&second)};
    if (!subset->pairs)
        picked = (struct gt_samples_picked){a, subset->other ? NULL : b, count(&first), count(&second)};
    if (!status)
        status = gt_row_source_gather(&in->row_source, &cli->engine, in->row_source, &picked, err);
    if (!status && !subset->noted)
        gt_print_notes(cli, &notes);
    subset->noted = !status;
    gt_strs_release(&notes);
    gt_names_free(r.index.numbers);
    gt_buf_release(&first);
    gt_buf_release(&second);
    return status;
}

void pdist_subset_release(struct pdist_subset *subset)
{
    gt_buf_release(&subset->buffers[0]);
    gt_buf_release(&subset->buffers[1]);
}
