#include "config.h"

#include "geno/select/site_mask.h"

#include <string.h>

#include "arrays/zarr/array.h"
#include "arrays/zarr/group.h"
#include "arrays/zarr/open.h"
#include "core/base/size.h"

/* The array at PATH below `inner`; GT_NOENT. */
static int open_at(struct gt_array **array, struct gt_store *store, const char *inner, const char *contig, const char *path,
                   struct gt_err *err)
{
    struct gt_str at = {0};
    gt_str_addf(&at, "%s%s%s%s%s", inner, *inner ? "/" : "", contig, *contig ? "/" : "", path);
    int status = gt_str_check(&at, err);
    if (!status)
        status = gt_array_open(array, store, at.s, err);
    gt_str_release(&at);
    return status;
}

/* *of_contig: it is that of the input's contig. */
static int find_array(struct gt_array **array, struct gt_store *store, const char *inner, const struct gt_geno_info *info, const char *name,
                      bool *of_contig, struct gt_err *err)
{
    static const char filter[] = "variants/filter_pass";
    const char *contig = info->contigs.n == 1 ? gt_strs_get(&info->contigs, 0) : "";
    int status = *inner ? gt_array_open(array, store, inner, err) : GT_NOENT;
    *of_contig = false;
    if (status == GT_NOENT && *contig) {
        status = open_at(array, store, inner, contig, filter, err);
        *of_contig = status == GT_OK;
    }
    if (status == GT_NOENT)
        status = open_at(array, store, inner, "", filter, err);
    if (status != GT_NOENT)
        return status;
    gt_fail(err, GT_INPUT, "--mask: '%s' is not an array, and has no %s%s%s", name, contig, *contig ? "/" : "", filter);
    gt_hint(err, "list its arrays with gt-info %s", name);
    return GT_INPUT;
}

static int check_array(const struct gt_array *array, const struct gt_geno_info *info, bool alone, const char *name, struct gt_err *err)
{
    char n[GT_THINGS_LEN], other[GT_NUM_LEN];
    if (array->ndim != 1 || (array->dtype.type > GT_U64))
        return gt_fail(err, GT_INPUT, "--mask: array '%s' of '%s' is not a list of booleans", array->path, name);
    if (!alone) {
        gt_fail(err, GT_USAGE, "--mask: array '%s' of '%s' indexes the variants of one input", array->path, name);
        gt_hint(err, "for several inputs, give a group with an array for each contig: CONTIG/variants/filter_pass");
        return GT_USAGE;
    }
    if (array->shape[0] == info->n_variants)
        return GT_OK;
    return gt_fail(err, GT_INPUT, "'%s' has %s and array '%s' of --mask '%s' has %s", info->name,
                   gt_format_things(n, info->n_variants, "variant"), array->path, name, gt_format_count(other, array->shape[0]));
}

static void add_bits(const struct gt_array *array, const struct gt_buf *raw, int64_t first, struct gt_buf *bits)
{
    const size_t size = array->dtype.size;
    const int64_t left = array->shape[0] - first, n = left < array->chunk[0] ? left : array->chunk[0];
    for (int64_t i = 0; i < n; i++)
        if (gt_dtype_load_int(array->dtype.type, size, raw->data + (size_t)i * size))
            bits->data[(first + i) / 8] |= (uint8_t)(1 << (first + i) % 8);
}

static int read_bits(struct gt_array *array, struct gt_budget *budget, struct gt_buf *bits, struct gt_err *err)
{
    struct gt_buf stored = {.budget = budget}, raw = stored, scratch[2] = {stored, stored};
    int status = gt_buf_resize(bits, (size_t)(array->shape[0] + 7) / 8 + 1, err); /* never empty */
    if (!status)
        memset(bits->data, 0, bits->len);
    for (int64_t c = 0; !status && c < gt_ceil_div(array->shape[0], array->chunk[0]); c++) {
        status = gt_array_fetch(array, &c, &stored, err);
        if (status <= 0)
            status = gt_array_decode(array, &c, status ? NULL : &stored, &raw, scratch, err);
        if (!status)
            add_bits(array, &raw, c * array->chunk[0], bits);
    }
    gt_buf_release(&stored);
    gt_buf_release(&raw);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
    return status;
}

int gt_mask_read(struct gt_geno_info *info, int inputs, struct gt_engine *engine, const char *path, struct gt_err *err)
{
    struct gt_store *store = NULL;
    struct gt_array *array = NULL;
    struct gt_str inner = {0};
    bool of_contig;
    if (info->n_variants < 0) {
        gt_fail(err, GT_USAGE, "--mask selects variants by index, and the number of variants of '%s' (%s) is not known", info->name,
                info->kind);
        gt_hint(err, "make a store first: gt-pack");
        return GT_USAGE;
    }
    int status = gt_zarr_open_second(&store, &inner, engine, "--mask", path, err);
    if (!status)
        status = find_array(&array, store, inner.s ? inner.s : "", info, path, &of_contig, err);
    if (!status)
        status = check_array(array, info, inputs == 1 || of_contig, path, err);
    info->mask.budget = &engine->budget;
    if (!status)
        status = read_bits(array, &engine->budget, &info->mask, err);
    gt_array_free(array);
    gt_store_free(store);
    gt_str_release(&inner);
    return status;
}
