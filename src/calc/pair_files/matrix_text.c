/* Matrices and lists of pairs as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pair_files/pair_writers_internal.h"
#include "core/base/mem.h"
#include "storage/bgzf/bgzf.h"
#include "storage/text/text_file.h"

struct table;

/* How a format looks. */
struct style {
    bool pairs; /* a line a pair, not a row */
    bool ids_beside;
    void (*head)(struct gt_str *text, const struct table *table); /* NULL: none */
    /* Row `row`; cells: of each plane, from column 0 on.  Returns the end of what was written. */
    char *(*row)(char *at, const struct table *table, int64_t row, const double *const cells[]);
};

struct table {
    struct gt_sink base;
    const struct style *style;
    const char *value;
    struct gt_pairs_limits limits;
    int64_t n;
    struct gt_strs ids, column_ids; /* column_ids: none where they are the same */
    bool families;                  /* ids are "FID<tab>IID" */
    size_t longest;                 /* bytes of the longest id */
    bool packed;                    /* rows are compressed where they are formatted */
    struct gt_id_file beside;
    struct gt_outfile file;
};

/* --- formats ------------------------------------------------------------------------- */

static char *put_id(char *at, const struct table *table, int64_t i)
{
    const char *id = gt_strs_get(&table->ids, (size_t)i);
    size_t len = strlen(id);
    memcpy(at, id, len);
    return at + len;
}

/* "FID<tab>IID<tab>" */
static char *put_family(char *at, const struct table *table, int64_t i)
{
    if (!table->families) {
        memcpy(at, "0\t", 2);
        at += 2;
    }
    at = put_id(at, table, i);
    *at++ = '\t';
    return at;
}

/* n numbers with tabs between. */
static char *put_row(char *at, const double *values, int64_t n, char *(*number)(char *, double))
{
    for (int64_t j = 0; j < n; j++) {
        if (j)
            *at++ = '\t';
        at = number(at, values[j]);
    }
    *at++ = '\n';
    return at;
}

static void tsv_head(struct gt_str *text, const struct table *table)
{
    gt_str_add(text, "id");
    const struct gt_strs *ids = table->column_ids.n ? &table->column_ids : &table->ids;
    for (size_t i = 0; i < ids->n; i++) {
        gt_str_addn(text, "\t", 1);
        gt_str_add(text, gt_strs_get(ids, i));
    }
    gt_str_addn(text, "\n", 1);
}

static char *tsv_row(char *at, const struct table *table, int64_t row, const double *const cells[])
{
    at = put_id(at, table, row);
    *at++ = '\t';
    return put_row(at, cells[0], table->n, gt_decimal_double);
}

static char *triangle_row(char *at, const struct table *table, int64_t row, const double *const cells[])
{
    (void)table;
    return row ? put_row(at, cells[0], row, gt_decimal_double) : at;
}

static char *plink_triangle(char *at, const struct table *table, int64_t row, const double *const cells[])
{
    (void)table;
    return row ? put_row(at, cells[0], row, gt_decimal_plink) : at;
}

static char *plink_diagonal(char *at, const struct table *table, int64_t row, const double *const cells[])
{
    (void)table;
    return put_row(at, cells[0], row + 1, gt_decimal_plink);
}

static char *plink_square(char *at, const struct table *table, int64_t row, const double *const cells[])
{
    (void)row;
    return put_row(at, cells[0], table->n, gt_decimal_plink);
}

static char *plink_square0(char *at, const struct table *table, int64_t row, const double *const cells[])
{
    at = put_row(at, cells[0], row + 1, gt_decimal_plink) - 1;
    for (int64_t j = row + 1; j < table->n; j++) {
        memcpy(at, "\t0", 2);
        at += 2;
    }
    *at++ = '\n';
    return at;
}

static void pairs_head(struct gt_str *text, const struct table *table)
{
    gt_list_head(text, table->value);
}

static char *put_pair(char *at, const struct table *table, const char *const ids[2], const double *const cells[], int64_t j)
{
    if (table->limits.given && !gt_pairs_within(&table->limits, cells[0][j]))
        return at;
    for (int k = 0; k < 2; k++) {
        size_t len = strlen(ids[k]);
        memcpy(at, ids[k], len);
        at[len] = '\t';
        at += len + 1;
    }
    return gt_list_numbers(at, cells[0][j], cells[1][j]);
}

/* The earlier sample first. */
static char *pairs_row(char *at, const struct table *table, int64_t row, const double *const cells[])
{
    for (int64_t j = 0; j < row; j++) {
        const char *const ids[] = {gt_strs_get(&table->ids, (size_t)j), gt_strs_get(&table->ids, (size_t)row)};
        at = put_pair(at, table, ids, cells, j);
    }
    return at;
}

static char *rectangle_row(char *at, const struct table *table, int64_t row, const double *const cells[])
{
    for (int64_t j = 0; j < table->n; j++) {
        const char *const ids[] = {gt_strs_get(&table->ids, (size_t)row), gt_strs_get(&table->column_ids, (size_t)j)};
        at = put_pair(at, table, ids, cells, j);
    }
    return at;
}

static void kin0_head(struct gt_str *text, const struct table *table)
{
    (void)table;
    gt_str_add(text, "#FID1\tIID1\tFID2\tIID2\tNSNP\tHETHET\tIBS0\tKINSHIP\n");
}

/* Sites, shares of sites, kinship. */
static char *kin0_row(char *at, const struct table *table, int64_t row, const double *const cells[])
{
    for (int64_t j = 0; j < row; j++) {
        if (table->limits.given && !gt_pairs_within(&table->limits, cells[3][j]))
            continue;
        const double n = cells[0][j];
        const double of_pair[] = {cells[1][j] / n, cells[2][j] / n, cells[3][j]};
        at = put_family(at, table, row);
        at = put_family(at, table, j);
        at = gt_decimal_double(at, n);
        *at++ = '\t';
        at = put_row(at, of_pair, 3, gt_decimal_plink);
    }
    return at;
}

static void phylip_head(struct gt_str *text, const struct table *table)
{
    gt_str_addf(text, "%lld\n", (long long)table->n);
}

/* Two blanks end a name for all readers, also those that take the first ten bytes. */
static char *phylip_row(char *at, const struct table *table, int64_t row, const double *const cells[])
{
    char *from = at;
    at = put_id(at, table, row);
    do
        *at++ = ' ';
    while (at - from < 11);
    for (int64_t j = 0; j < table->n; j++) {
        *at++ = ' ';
        at = gt_decimal_double(at, cells[0][j]);
    }
    *at++ = '\n';
    return at;
}

static const struct style *style_of(const struct gt_pairs_opts *opts)
{
    static const struct style tsv = {false, false, tsv_head, tsv_row}, triangle = {false, true, NULL, triangle_row},
                              pairs = {true, false, pairs_head, pairs_row}, rectangle = {true, false, pairs_head, rectangle_row},
                              phylip = {false, false, phylip_head, phylip_row}, kin0 = {true, false, kin0_head, kin0_row},
                              plink[] = {{false, true, NULL, plink_triangle},
                                         {false, true, NULL, plink_square0},
                                         {false, true, NULL, plink_square}},
                              diagonal = {false, true, NULL, plink_diagonal};
    switch (opts->format) {
    case GT_PAIRS_TRIANGLE:
        return &triangle;
    case GT_PAIRS_LIST:
        return opts->rectangle ? &rectangle : &pairs;
    case GT_PAIRS_PHYLIP:
        return &phylip;
    case GT_PAIRS_KIN0:
        return &kin0;
    case GT_PAIRS_PLINK:
        return opts->diagonal && opts->shape == GT_PLINK_TRIANGLE ? &diagonal : &plink[opts->shape];
    default:
        return &tsv;
    }
}

/* --- the sink ------------------------------------------------------------------------ */

static int take_ids(struct table *table, const struct gt_strs *ids, struct gt_strs *to, struct gt_err *err)
{
    int status = table->families ? GT_OK : gt_check_ids(ids, err);
    table->n = (int64_t)ids->n;
    to->budget = ids->budget;
    if (!status)
        status = gt_strs_copy(to, ids, err);
    for (size_t i = 0; i < ids->n && !status; i++) {
        const char *id = gt_strs_get(ids, i);
        table->longest = strlen(id) > table->longest ? strlen(id) : table->longest;
    }
    return status;
}

int gt_phylip_check_ids(const struct gt_strs *ids, struct gt_err *err)
{
    for (size_t i = 0; i < ids->n; i++)
        if (strpbrk(gt_strs_get(ids, i), " ()[]:;,"))
            return gt_fail(err, GT_INPUT, "sample id '%s' cannot be written as PHYLIP: it has a blank or one of ()[]:;,",
                           gt_strs_get(ids, i));
    return GT_OK;
}

static int table_begin(struct gt_sink *base, const struct gt_sink_subject *subject, struct gt_err *err)
{
    struct table *table = (struct table *)base;
    struct gt_str text = {0};
    table->families = table->style->row == kin0_row && subject->plink_ids;
    int status = take_ids(table, table->families ? subject->plink_ids : subject->rows, &table->ids, err);
    if (!status && subject->columns != subject->rows)
        status = take_ids(table, subject->columns, &table->column_ids, err);
    table->base.cell_bytes = gt_sink_cell_bytes(&table->base.wants, (int64_t)table->longest);
    if (!status)
        status = gt_id_file_write(&table->beside, subject, err);
    if (!status && subject->head && table->style->head) {
        table->style->head(&text, table);
        status = gt_text_put(&table->file, &text, 0, err);
    }
    if (!status)
        status = gt_text_flush(&table->file, err);
    gt_str_release(&text);
    return status;
}

/* The most that a row takes. */
static size_t row_bytes(const struct table *table)
{
    return (size_t)(table->n * table->base.cell_bytes) + table->longest + 16;
}

static int format_text(struct table *table, const struct gt_tile *tile, struct gt_buf *bytes, struct gt_err *err)
{
    int status = gt_buf_reserve(bytes, (size_t)tile->rows * row_bytes(table), err);
    if (status)
        return status;
    char *at = (char *)bytes->data;
    for (int64_t i = 0; i < tile->rows; i++) {
        const double *cells[GT_SINK_PLANES];
        for (int k = 0; table->base.wants.planes[k]; k++)
            cells[k] = tile->planes[k] + i * tile->columns;
        at = table->style->row(at, table, tile->row + i, cells);
    }
    bytes->len = (size_t)(at - (char *)bytes->data);
    return GT_OK;
}

static int check_numbers(const struct table *table, const struct gt_tile *tile, struct gt_err *err)
{
    for (int64_t k = 0; k < tile->rows * tile->columns; k++) {
        const int64_t i = tile->row + k / tile->columns, j = tile->column + k % tile->columns;
        if (!isfinite(tile->planes[0][k]))
            return gt_fail(err, GT_INPUT, "'%s' and '%s' have no finite distance, which PHYLIP's format cannot hold",
                           gt_strs_get(&table->ids, (size_t)i), gt_strs_get(&table->ids, (size_t)j));
    }
    return GT_OK;
}

static int table_format(struct gt_sink *base, const struct gt_tile *tile, struct gt_buf *bytes, struct gt_err *err)
{
    struct table *table = (struct table *)base;
    struct gt_buf text = {.budget = bytes->budget};
    int status = table->style->row == phylip_row ? check_numbers(table, tile, err) : GT_OK;
    if (status)
        return status;
    if (!table->packed)
        return format_text(table, tile, bytes, err);
    status = format_text(table, tile, &text, err);
    bytes->len = 0;
    if (!status)
        status = gt_bgzf_compress(text.data, text.len, GT_TEXT_LEVEL, bytes, err);
    gt_buf_release(&text);
    return status;
}

static int table_write(struct gt_sink *base, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    (void)tile;
    return gt_outfile_put(&((struct table *)base)->file, bytes->data, bytes->len, err);
}

static int table_finish(struct gt_sink *base, struct gt_err *err)
{
    struct table *table = (struct table *)base;
    return gt_outfile_commit_all((struct gt_outfile *[]){&table->beside.file, &table->file}, 2, err);
}

static void table_free(struct gt_sink *base)
{
    struct table *table = (struct table *)base;
    gt_outfile_abort(&table->file);
    gt_id_file_free(&table->beside);
    gt_strs_release(&table->ids);
    gt_strs_release(&table->column_ids);
    free(table);
}

int gt_table_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err)
{
    static const struct gt_sink_ops ops = {table_begin, table_format, table_write, table_finish, table_free};
    struct table *table = gt_alloc(1, sizeof *table, err);
    if (!table)
        return GT_FAIL;
    table->base.ops = &ops;
    table->style = style_of(opts);
    table->value = opts->value;
    table->limits = opts->limits;
    table->packed = gt_text_is_packed(path);
    int status = gt_text_open(&table->file, path, NULL, err);
    if (!status && table->style->ids_beside)
        status = gt_id_file_plan(&table->beside, opts, path, err);
    if (status)
        table_free(&table->base);
    else
        *out = &table->base;
    return status;
}
