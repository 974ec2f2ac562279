/* Plain arrays: .npy of every version, order, type and endianness and Zarr arrays of any
 * chunks against plain indexing; slices, transposition, ranges, casts; headers that lie. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/matrix/matrix.h"
#include "core/base/cleanup.h"
#include "test/support/random.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

enum { MAX_DIMS = 4 };

/* --- arrays --------------------------------------------------------------------------- */

static const struct {
    enum gt_type type;
    const char *code;
    int size;
} types[] = {{GT_BOOL, "b1", 1}, {GT_I8, "i1", 1},  {GT_I16, "i2", 2}, {GT_I32, "i4", 4}, {GT_I64, "i8", 8}, {GT_U8, "u1", 1},
             {GT_U16, "u2", 2},  {GT_U32, "u4", 4}, {GT_U64, "u8", 8}, {GT_F16, "f2", 2}, {GT_F32, "f4", 4}, {GT_F64, "f8", 8}};
enum { TYPES = sizeof types / sizeof *types };

struct plain {
    int type, ndim, shape[MAX_DIMS], chunk[MAX_DIMS];
    bool fortran, big;
    uint8_t *data; /* C order, little endian */
    int items;
};

static void choose(struct plain *a)
{
    *a = (struct plain){
        .type = random_below(TYPES), .ndim = random_below(MAX_DIMS + 1), .fortran = random_below(2), .big = random_below(2), .items = 1};
    for (int i = 0; i < a->ndim; i++) {
        a->shape[i] = random_below(12) ? 1 + random_below(i < 2 ? 40 : 6) : 0;
        a->chunk[i] = 1 + random_below(a->shape[i] + 3);
        a->items *= a->shape[i];
    }
    int size = types[a->type].size;
    a->data = malloc((size_t)(a->items * size) + 1);
    for (int i = 0; i < a->items * size; i++)
        a->data[i] = (uint8_t)random_below(256);
    for (int i = 0; i < a->items && types[a->type].type == GT_BOOL; i++)
        a->data[i] &= 1;
}

/* Item number i of the array in C order, as it is put into a file. */
static void put_item(const struct plain *a, FILE *f, int i)
{
    int size = types[a->type].size;
    for (int b = 0; b < size; b++)
        fputc(a->data[i * size + (a->big ? size - 1 - b : b)], f);
}

static void put_shape(FILE *f, const struct plain *a, const int *of)
{
    for (int i = 0; i < a->ndim; i++)
        fprintf(f, "%s%d", i ? ", " : "", of[i]);
}

static void write_npy(const struct plain *a, const char *path, int version)
{
    char head[400], shape[100] = "";
    for (int i = 0; i < a->ndim; i++)
        sprintf(shape + strlen(shape), "%d,%s", a->shape[i], random_below(2) ? " " : "");
    int n = snprintf(head, sizeof head, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%s), }",
                     types[a->type].size == 1 ? '|'
                     : a->big                 ? '>'
                                              : '<',
                     types[a->type].code, a->fortran ? "True" : "False", shape);
    while ((n + (version == 1 ? 10 : 12)) % 64 != 63)
        head[n++] = ' ';
    head[n++] = '\n';
    FILE *f = fopen(path, "w");
    fprintf(f, "\x93NUMPY%c%c%c%c", version, 0, n & 255, n >> 8);
    if (version > 1)
        fprintf(f, "%c%c", 0, 0);
    fwrite(head, 1, (size_t)n, f);
    for (int k = 0; k < a->items; k++) {
        int i = k;
        if (a->fortran) { /* number k in Fortran order -> C order */
            int left = k, at[MAX_DIMS] = {0};
            for (int d = 0; d < a->ndim; d++) {
                at[d] = left % a->shape[d];
                left /= a->shape[d];
            }
            i = 0;
            for (int d = 0; d < a->ndim; d++)
                i = i * a->shape[d] + at[d];
        }
        put_item(a, f, i);
    }
    fclose(f);
}

static void put_chunk(const struct plain *a, const char *path, const int *chunk)
{
    FILE *f = fopen(path, "w");
    int n = 1, at[MAX_DIMS];
    for (int d = 0; d < a->ndim; d++)
        n *= a->chunk[d];
    for (int k = 0; k < n; k++) {
        int left = k, i = 0;
        bool inside = true;
        for (int step = 0; step < a->ndim; step++) {
            int d = a->fortran ? step : a->ndim - 1 - step;
            at[d] = chunk[d] * a->chunk[d] + left % a->chunk[d];
            left /= a->chunk[d];
            inside &= at[d] < a->shape[d];
        }
        for (int d = 0; d < a->ndim; d++)
            i = i * a->shape[d] + at[d];
        if (inside)
            put_item(a, f, i);
        for (int b = 0; !inside && b < types[a->type].size; b++)
            fputc(0, f);
    }
    fclose(f);
}

static void put_group(const char *store, const char *name)
{
    char path[500];
    snprintf(path, sizeof path, "%s%s", store, name);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s%s/.zgroup", store, name);
    scratch_write(path, "{\"zarr_format\": 2}", 18);
}

/* A store with the array "a/b". */
static void write_zarr(const struct plain *a, const char *store)
{
    char path[500], key[100];
    int chunk[MAX_DIMS] = {0}, axis;
    gt_remove_tree(store);
    put_group(store, "");
    put_group(store, "/a");
    snprintf(path, sizeof path, "%s/a/b", store);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/a/b/.zarray", store);
    FILE *f = fopen(path, "w");
    fprintf(f,
            "{\"zarr_format\": 2, \"dtype\": \"%c%s\", \"order\": \"%c\", \"fill_value\": 0, \"compressor\": null, \"filters\": null, "
            "\"shape\": [",
            types[a->type].size == 1 ? '|'
            : a->big                 ? '>'
                                     : '<',
            types[a->type].code, a->fortran ? 'F' : 'C');
    put_shape(f, a, a->shape);
    fputs("], \"chunks\": [", f);
    put_shape(f, a, a->chunk);
    fputs("]}", f);
    fclose(f);
    if (!a->items)
        return;
    do {
        key[0] = '\0';
        for (int d = 0; d < a->ndim; d++)
            sprintf(key + strlen(key), "%s%d", d ? "." : "", chunk[d]);
        snprintf(path, sizeof path, "%s/a/b/%s", store, a->ndim ? key : "0");
        put_chunk(a, path, chunk);
        for (axis = a->ndim - 1; axis >= 0 && ++chunk[axis] * a->chunk[axis] >= a->shape[axis]; axis--)
            chunk[axis] = 0;
    } while (axis >= 0);
}

/* --- views ------------------------------------------------------------------------------ */

struct view {
    char slice[200];
    int ndim, axis[MAX_DIMS], start[MAX_DIMS], step[MAX_DIMS], count[MAX_DIMS];
    bool sliced, transposed;
    int rows, columns;
};

static void choose_view(const struct plain *a, struct view *v)
{
    *v = (struct view){.sliced = a->ndim > 0 && random_below(3), .transposed = random_below(2), .rows = 1, .columns = 1};
    for (int d = 0; d < a->ndim; d++) {
        int n = a->shape[d], from = random_below(n + 2), to = random_below(n + 2);
        bool index = v->sliced && n && random_below(4) == 0;
        v->start[d] = v->sliced ? (index ? random_below(n) : from < n ? from : n) : 0;
        v->step[d] = v->sliced && !index ? 1 + random_below(4) : 1;
        int stop = index ? v->start[d] + 1 : v->sliced && to < n ? to : n;
        v->count[d] = stop > v->start[d] ? (stop - v->start[d] - 1) / v->step[d] + 1 : 0;
        sprintf(v->slice + strlen(v->slice), d ? "," : "");
        if (index)
            sprintf(v->slice + strlen(v->slice), "%d", random_below(2) ? v->start[d] : v->start[d] - n);
        else
            sprintf(v->slice + strlen(v->slice), "%d:%d:%d", from, to, v->step[d]);
        if (!index)
            v->axis[v->ndim++] = d;
    }
    for (int i = 0; v->transposed && i < v->ndim / 2; i++) {
        int axis = v->axis[i];
        v->axis[i] = v->axis[v->ndim - 1 - i];
        v->axis[v->ndim - 1 - i] = axis;
    }
    for (int i = 0; i < v->ndim; i++)
        *(i ? &v->columns : &v->rows) *= v->count[v->axis[i]];
}

/* Item (row, column) of the view, by plain indexing. */
static const uint8_t *item_at(const struct plain *a, const struct view *v, int row, int column)
{
    int at[MAX_DIMS], i = 0;
    for (int d = 0; d < a->ndim; d++)
        at[d] = v->start[d];
    for (int k = v->ndim - 1; k > 0; k--) {
        int d = v->axis[k];
        at[d] += column % v->count[d] * v->step[d];
        column /= v->count[d];
    }
    if (v->ndim)
        at[v->axis[0]] += row * v->step[v->axis[0]];
    for (int d = 0; d < a->ndim; d++)
        i = i * a->shape[d] + at[d];
    return a->data + i * types[a->type].size;
}

static double half(unsigned h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double d = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return h >> 15 ? -d : d;
}

static double number(enum gt_type type, int size, const uint8_t *p)
{
    uint64_t u = 0;
    float f;
    double d;
    memcpy(&u, p, (size_t)size);
    memcpy(&f, p, size < 4 ? 0 : 4);
    memcpy(&d, p, size < 8 ? 0 : 8);
    switch (type) {
    case GT_F16:
        return half((unsigned)u);
    case GT_F32:
        return (double)f;
    case GT_F64:
        return d;
    case GT_I8:
        return (int8_t)u;
    case GT_I16:
        return (int16_t)u;
    case GT_I32:
        return (int32_t)u;
    case GT_I64:
        return (double)(int64_t)u;
    default:
        return (double)u;
    }
}

static bool same_item(const struct plain *a, const uint8_t *want, const struct gt_matrix_info *info, const uint8_t *got,
                      bool negative_missing)
{
    enum gt_type type = types[a->type].type;
    double d = number(type, types[a->type].size, want), x;
    float f;
    if (info->type == type && !negative_missing)
        return memcmp(want, got, (size_t)types[a->type].size) == 0;
    if (negative_missing && type >= GT_I8 && type <= GT_I64 && d < 0)
        d = NAN;
    if (info->type == GT_F32) {
        memcpy(&f, got, 4);
        return type == GT_I64 || type == GT_U64 || type == GT_F64 ? f == (float)d || (isnan(f) && isnan(d))
                                                                  : (double)f == (double)(float)d || (isnan(f) && isnan(d));
    }
    memcpy(&x, got, 8);
    return x == d || (isnan(x) && isnan(d));
}

/* --- trials ----------------------------------------------------------------------------- */

static bool pass_agrees(const struct plain *a, const struct view *v, struct gt_matrix *m, int from, int to, bool negative_missing)
{
    const struct gt_matrix_info *info = gt_matrix_info(m);
    const struct gt_matrix_block *block;
    struct gt_err err = {0};
    int64_t at = from;
    int size = (int)gt_dtype_of(info->type).size, status;
    bool good = true;
    while (good && (status = gt_matrix_next(m, &block, &err)) == 0) {
        good = block->first == at && block->n == (to - at < info->block_rows ? to - at : info->block_rows);
        for (int64_t r = 0; good && r < block->n; r++)
            for (int c = 0; good && c < v->columns; c++)
                good =
                    same_item(a, item_at(a, v, (int)(at + r), c), info, block->values.data + (r * v->columns + c) * size, negative_missing);
        at += block->n;
        gt_matrix_done(m, block);
    }
    if (!good || status != GT_END || at != to)
        diag("row %lld: %s", (long long)at, err.msg);
    return good && status == GT_END && at == to;
}

static void trial(struct gt_engine *engine, int number)
{
    struct plain a;
    struct view v;
    struct gt_matrix *m = NULL;
    struct gt_input input = {0};
    struct gt_err err = {0};
    bool zarr = number % 2;
    choose(&a);
    choose_view(&a, &v);
    if (zarr)
        write_zarr(&a, "m.zarr");
    else
        write_npy(&a, "m.npy", 1 + random_below(3));
    struct gt_matrix_opts opts = {.array = zarr ? "b" : NULL,
                                  .slice = v.sliced ? v.slice : NULL,
                                  .transpose = v.transposed,
                                  .cast = random_below(2),
                                  .type = random_below(2) ? GT_F64 : GT_F32,
                                  .block_rows = random_below(2) ? 0 : 1 + random_below(20),
                                  .memory = 1 << 20};
    opts.negative_missing = opts.cast && random_below(2);
    int status = gt_input_open(&input, zarr ? "m.zarr/a" : "m.npy", &err);
    status = status ? status : gt_matrix_open(&m, engine, &input, &opts, &err);
    bool good = !status && gt_matrix_info(m)->rows == v.rows && gt_matrix_info(m)->columns == v.columns &&
                gt_matrix_info(m)->ndim == v.ndim && pass_agrees(&a, &v, m, 0, v.rows, opts.negative_missing);
    if (good && !opts.block_rows) {
        int64_t most = 1 + random_below(30);
        good = gt_matrix_rewind(m, &err) == 0 && gt_matrix_reblock(m, most, &err) == 0 && gt_matrix_info(m)->block_rows <= most &&
               pass_agrees(&a, &v, m, 0, v.rows, opts.negative_missing);
    }
    if (good) {
        int from = random_below(v.rows + 1), to = from + random_below(v.rows - from + 1);
        good = gt_matrix_rewind(m, &err) == 0 && gt_matrix_range(m, from, to, &err) == 0 &&
               pass_agrees(&a, &v, m, from, to, opts.negative_missing) && gt_matrix_range(m, 0, v.rows + 1, NULL) == GT_USAGE;
    }
    ok(good, "trial %d: %s %s%s, %d axes%s%s%s%s: %s", number, zarr ? "zarr" : "npy", types[a.type].code, a.fortran ? " F" : "", a.ndim,
       v.sliced ? ", " : "", v.sliced ? v.slice : "", v.transposed ? ", transposed" : "", opts.cast ? ", cast" : "", err.msg);
    gt_matrix_free(m);
    gt_input_release(&input);
    free(a.data);
}

/* Larger than a piece: long runs, wide gaps, a prime number of items. */
static void test_large(struct gt_engine *engine)
{
    static const char *const slices[] = {":", "::7", "::100003", "3:", ":2000000:3"};
    enum { N = 2750159 };
    struct plain a = {.type = TYPES - 1, .ndim = 1, .shape = {N}, .items = N};
    a.data = malloc((size_t)N * 8);
    for (int i = 0; i < N; i++) {
        double d = i * 0.5;
        memcpy(a.data + 8 * (size_t)i, &d, 8);
    }
    write_npy(&a, "large.npy", 1);
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        struct gt_matrix_opts opts = {.slice = slices[i], .block_rows = i ? 0 : N};
        struct view v = {.ndim = 1, .start = {i == 3 ? 3 : 0}, .step = {i == 1 ? 7 : i == 2 ? 100003 : i == 4 ? 3 : 1}, .columns = 1};
        struct gt_input input = {0};
        struct gt_matrix *m = NULL;
        struct gt_err err = {0};
        v.rows = v.count[0] = ((i == 4 ? 2000000 : N) - v.start[0] - 1) / v.step[0] + 1;
        int status = gt_input_open(&input, "large.npy", &err);
        status = status ? status : gt_matrix_open(&m, engine, &input, &opts, &err);
        ok(status == 0 && pass_agrees(&a, &v, m, 0, v.rows, false), "%d items, %s: %s", N, slices[i], err.msg);
        gt_matrix_free(m);
    }
    free(a.data);
}

/* Blocks as long as chunks, that begin where chunks do or inside them. */
static void test_whole_chunks(struct gt_engine *engine)
{
    enum { ROWS = 60, COLUMNS = 7, CHUNK = 10 };
    static const struct {
        const char *slice;
        int start, step, rows;
    } cases[] = {{":", 0, 1, 60}, {"10:50", 10, 1, 40}, {"3:", 3, 1, 57}, {":45", 0, 1, 45}, {"::2", 0, 2, 30}};
    struct plain a = {.type = TYPES - 1, .ndim = 2, .shape = {ROWS, COLUMNS}, .chunk = {CHUNK, COLUMNS}, .items = ROWS * COLUMNS};
    double values[ROWS * COLUMNS];
    for (int i = 0; i < a.items; i++)
        values[i] = i + 0.25;
    a.data = (uint8_t *)values;
    write_zarr(&a, "whole.zarr");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gt_matrix_opts opts = {.array = "b", .slice = cases[i].slice, .block_rows = CHUNK};
        struct view v = {.ndim = 2,
                         .axis = {0, 1},
                         .start = {cases[i].start},
                         .step = {cases[i].step, 1},
                         .count = {cases[i].rows, COLUMNS},
                         .rows = cases[i].rows,
                         .columns = COLUMNS};
        struct gt_input input = {0};
        struct gt_matrix *m = NULL;
        struct gt_err err = {0};
        int status = gt_input_open(&input, "whole.zarr/a", &err);
        status = status ? status : gt_matrix_open(&m, engine, &input, &opts, &err);
        bool good = !status && pass_agrees(&a, &v, m, 0, v.rows, false);
        for (int from = 0; good && from < 12; from += 5)
            good =
                !gt_matrix_rewind(m, &err) && !gt_matrix_range(m, from, from + 18, &err) && pass_agrees(&a, &v, m, from, from + 18, false);
        ok(good, "blocks as long as chunks, rows %s: %s", cases[i].slice, err.msg);
        gt_matrix_free(m);
        gt_input_release(&input);
    }
}

/* --- what is refused --------------------------------------------------------------------- */

static void refused(struct gt_engine *engine, const char *head, size_t n, int values, int want, const char *text)
{
    struct gt_input input = {0};
    struct gt_matrix_opts opts = {.memory = 1 << 20};
    struct gt_matrix *m = NULL;
    struct gt_err err = {0};
    FILE *f = fopen("h.npy", "w");
    fprintf(f, "\x93NUMPY%c%c%c%c", 1, 0, (int)(n & 255), (int)(n >> 8));
    fwrite(head, 1, n, f);
    for (int i = 0; i < values; i++)
        fputc(i, f);
    fclose(f);
    int status = gt_input_open(&input, "h.npy", &err);
    status = status ? status : gt_matrix_open(&m, engine, &input, &opts, &err);
    ok(status == want && (!want || strstr(err.msg, text)), "%.60s: %s", head, err.msg);
    gt_matrix_free(m);
    gt_input_release(&input);
}

#define HEAD(text, values, want, say) refused(engine, text, strlen(text), values, want, say)

static void test_headers(struct gt_engine *engine)
{
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }", 8, 0, "");
    HEAD("{\"shape\":(2L,),\"fortran_order\":True,\"descr\":\"=i4\"}\n", 8, 0, "");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (), }", 4, 0, "");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }", 7, GT_INPUT, "truncated");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }", 9, GT_INPUT, "too long");
    HEAD("{'descr': '<c16', 'fortran_order': False, 'shape': (2,), }", 32, GT_INPUT, "'<c16'");
    HEAD("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", 32, GT_INPUT, "'|O'");
    HEAD("{'descr': '<U3', 'fortran_order': False, 'shape': (2,), }", 24, GT_INPUT, "'<U3'");
    HEAD("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2,), }", 8, GT_INPUT, "structured");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 8, GT_INPUT, "too large");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (9223372036854775807,), }", 8, GT_INPUT, "too large");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 8, GT_INPUT, "not a size");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (-2,), }", 8, GT_INPUT, "not a size");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': 2, }", 8, GT_INPUT, "not a tuple");
    HEAD("{'descr': '<i4', 'fortran_order': 0, 'shape': (2,), }", 8, GT_INPUT, "neither True nor False");
    HEAD("{'descr': '<i4', 'shape': (2,), }", 8, GT_INPUT, "is missing");
    HEAD("{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (2,), }", 8, GT_INPUT, "twice");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), 'x': 1}", 8, GT_INPUT, "unknown key");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), } x", 8, GT_INPUT, "after the dict");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (2", 8, GT_INPUT, "not closed");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (2,)", 8, GT_INPUT, "not closed");
    HEAD("{'descr': '<i4", 8, GT_INPUT, "not a data type");
    HEAD("", 0, GT_INPUT, "truncated");
    HEAD("[]", 8, GT_INPUT, "no dict");
    HEAD("{'descr': '<i4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }", 4,
         GT_INPUT, "32 axes");
    HEAD("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 200000), }", 1600000, GT_NOFIT, "200,000 values needs 1.5 MiB");
}

static void test_opened(struct gt_engine *engine, const char *path, const struct gt_matrix_opts *opts, int want, const char *text)
{
    struct gt_input input = {0};
    struct gt_matrix *m = NULL;
    struct gt_err err = {0};
    int status = gt_input_open(&input, path, &err);
    status = status ? status : gt_matrix_open(&m, engine, &input, opts, &err);
    ok(status == want && strstr(err.msg, text), "%s: %s", path, err.msg);
    gt_matrix_free(m);
    gt_input_release(&input);
}

int main(void)
{
    struct gt_limits limits;
    struct gt_engine engine;
    struct gt_err err = {0};
    scratch_open();
    if (gt_limits_get(&limits, 3, 2, (int64_t)4 << 30, &err) || gt_engine_init(&engine, &limits, NULL, &err))
        printf("Bail out! %s\n", err.msg);
    for (int i = 0; i < 1000; i++)
        trial(&engine, i);
    test_large(&engine);
    test_whole_chunks(&engine);
    test_headers(&engine);
    struct plain a = {.type = 1, .ndim = 2, .shape = {3, 4}, .chunk = {2, 2}, .items = 12, .data = (uint8_t *)strdup("abcdefghijklmnop")};
    write_zarr(&a, "g.zarr");
    test_opened(&engine, "g.zarr", &(struct gt_matrix_opts){.array = "a"}, GT_INPUT, "'a' is a group");
    test_opened(&engine, "g.zarr/a/c", &(struct gt_matrix_opts){.array = NULL}, GT_INPUT, "no Zarr array");
    test_opened(&engine, "g.zarr/a/b", &(struct gt_matrix_opts){.slice = "5"}, GT_USAGE, "index 5 is outside the 1. axis of 3");
    test_opened(&engine, "g.zarr/a/b", &(struct gt_matrix_opts){.slice = ":,:,:"}, GT_USAGE, "at most 2 axes");
    test_opened(&engine, "g.zarr/a/b", &(struct gt_matrix_opts){.slice = "::-1"}, GT_USAGE, "negative step");
    free(a.data);
    gt_engine_release(&engine);
    scratch_close();
    return done_testing();
}
