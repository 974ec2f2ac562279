#include "config.h"

#include "calc/pdist/metric_table.h"

#include <math.h>
#include <string.h>

#include "core/base/line_file.h"
#include "core/base/size.h"

/* The six counts from which the numbers of all combinations follow, see gt_metric_table_values. */
static const struct gt_metric_way way = {
    {GT_COUNT_N, GT_COUNT_DIFFER, GT_COUNT_OPPOSITE, GT_COUNT_HET_BOTH, GT_COUNT_NONZERO, GT_COUNT_BOTH}, NULL};

struct reading {
    struct gt_metric_table *table;
    const char *path;
    int rows;
    bool transform;
};

static int read_transform(struct reading *r, const char *name, int64_t number, struct gt_err *err)
{
    static const char *const names[] = {"none", "sqrt", "mean", "1-mean"};
    for (size_t k = 0; k < sizeof names / sizeof *names && name && !r->transform; k++)
        if (strcmp(name, names[k]) == 0) {
            r->table->transform = (enum gt_metric_transform)k;
            r->transform = true;
            return GT_OK;
        }
    return gt_fail(err, GT_INPUT, "'%s', line %lld: give one line 'transform none', 'sqrt', 'mean' or '1-mean'", r->path,
                   (long long)number);
}

static int read_row(struct reading *r, char *const words[], int n, int64_t number, struct gt_err *err)
{
    if (n != 3 || r->rows == 3)
        return gt_fail(err, GT_INPUT, "'%s', line %lld: a table has 3 lines of 3 numbers", r->path, (long long)number);
    for (int y = 0; y < 3; y++)
        if (gt_parse_double(words[y], &r->table->value[r->rows][y], NULL))
            return gt_fail(err, GT_INPUT, "'%s', line %lld: '%s' is not a number", r->path, (long long)number, words[y]);
    r->rows++;
    return GT_OK;
}

static int take_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct reading *r = ctx;
    char *words[4] = {NULL}, *save;
    int n = 0;
    text[strcspn(text, "#")] = '\0';
    for (char *word = strtok_r(text, " \t,", &save); word && n < 4; word = strtok_r(NULL, " \t,", &save))
        words[n++] = word;
    if (n == 0)
        return GT_OK;
    return strcmp(words[0], "transform") == 0 ? read_transform(r, n == 2 ? words[1] : NULL, number, err)
                                              : read_row(r, words, n, number, err);
}

static int check_symmetry(const struct reading *r, struct gt_err *err)
{
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < x; y++)
            if (r->table->value[x][y] != r->table->value[y][x])
                return gt_fail(err, GT_INPUT, "'%s' is not symmetric: %d and %d give %g, %d and %d give %g", r->path, x, y,
                               r->table->value[x][y], y, x, r->table->value[y][x]);
    return GT_OK;
}

int gt_metric_table_read(struct gt_metric_table *table, const char *name, const char *path, struct gt_err *err)
{
    struct reading r = {.table = table, .path = path};
    *table = (struct gt_metric_table){.metric = {.name = name, .formula = "", .source = path, .genotypes = way}};
    int status = gt_lines_read(path, take_line, &r, err);
    if (!status && r.rows < 3)
        status = gt_fail(err, GT_INPUT, "'%s': a table has 3 lines of 3 numbers, for allele counts 0, 1 and 2", path);
    status = status ? status : check_symmetry(&r, err);
    if (table->transform == GT_TRANSFORM_NONE || table->transform == GT_TRANSFORM_SQRT)
        table->metric.traits |= GT_METRIC_SUM;
    if (table->transform == GT_TRANSFORM_1_MEAN)
        table->metric.traits |= GT_METRIC_SIMILARITY;
    return status;
}

void gt_metric_table_values(const struct gt_metric_table *table, const double *const c[], double sites, double *restrict out)
{
    const double(*value)[3] = table->value;
    for (int k = 0; k < GT_METRIC_LANES; k++) {
        const double n = c[0][k], differ = c[1][k], n02 = c[2][k], n11 = c[3][k], nonzero = c[4][k], both = c[5][k];
        const double n00 = n - nonzero, n01 = nonzero - both - n02, n12 = differ - n01 - n02, n22 = both - n11 - n12;
        out[k] = value[0][0] * n00 + value[0][1] * n01 + value[0][2] * n02 + value[1][1] * n11 + value[1][2] * n12 + value[2][2] * n22;
        if (sites > 0)
            out[k] *= sites / n;
    }
    for (int k = 0; k < GT_METRIC_LANES && table->transform != GT_TRANSFORM_NONE; k++)
        out[k] = table->transform == GT_TRANSFORM_SQRT   ? sqrt(out[k])
                 : table->transform == GT_TRANSFORM_MEAN ? out[k] / c[0][k]
                                                         : 1 - out[k] / c[0][k];
}
