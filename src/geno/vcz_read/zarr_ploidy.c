/* The ploidy that a store shows, for geno/model/ploidy.h: by an attribute, by its ploidy axis, or by its first calls. */
#include "geno/vcz_read/zarr_ploidy.h"
#include "arrays/zarr/region.h"
#include "core/base/json.h"
#include "core/base/size.h"
#include "geno/model/packed.h"
#include "geno/model/ploidy.h"
#include "geno/samples/sex.h"
#include "geno/vcz_read/zarr_reader.h"
#include "kernels/kernels.h"

enum { ROWS = 64 }; /* variants that are looked at */

/* The first items of an array of numbers along each axis, at most one read unit of them. */
static int read_first(struct gt_array *array, int64_t rows, struct gt_budget *budget, struct gt_buf *to, int64_t count[GT_MAX_DIMS],
                      struct gt_err *err)
{
    const struct gt_cache_opts opts = {.budget = budget, .pad = GT_KERNEL_PAD};
    struct gt_buf scratch[2] = {{.budget = budget}, {.budget = budget}};
    struct gt_region region = {{0}, {0}, {0}};
    struct gt_cache *cache = NULL;
    int64_t stride[GT_MAX_DIMS];
    size_t bytes = array->dtype.size;
    for (int i = 0; i < array->ndim; i++) {
        const int64_t most = i == 0 ? rows : i == 2 ? array->shape[2] : array->unit[i];
        region.step[i] = 1;
        region.count[i] = count[i] = gt_min_i64(most, array->shape[i]);
        bytes *= (size_t)count[i];
    }
    gt_nd_strides(array->ndim, count, stride);
    int status = gt_buf_resize(to, bytes, err);
    status = status ? status : gt_cache_new(&cache, array, &opts, err);
    if (!status && bytes)
        status = gt_region_read(cache, &region, to->data, stride, scratch, err);
    gt_cache_free(cache);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
    return status;
}

static int calls_show(const int8_t *calls, int64_t n, int64_t ploidy)
{
    int shown = GT_PLOIDY_UNKNOWN;
    for (int64_t i = 0; i < n && shown != GT_DIPLOID; i++) {
        int alleles = 0, known = 0;
        for (int64_t p = 0; p < ploidy; p++) {
            alleles += calls[i * ploidy + p] != GT_ALLELE_NONE;
            known += calls[i * ploidy + p] >= 0;
        }
        shown = gt_ploidy_add(shown, gt_ploidy_shown(alleles, known));
    }
    return shown;
}

/* Is one of the first variants not on X, Y or MT, or has the group no other contig? */
static int counts_on(struct gt_store *store, const char *group, struct gt_budget *budget, bool *counts, struct gt_err *err)
{
    static const char *const names[] = {"variant_contig", "contig_id"};
    struct gt_array *array[2] = {NULL, NULL};
    struct gt_strs contigs = {.budget = budget};
    struct gt_buf raw = {.budget = budget};
    struct gt_str path = {0};
    int64_t count[GT_MAX_DIMS];
    bool others = false;
    int status = GT_OK;
    for (int i = 0; i < 2 && !status; i++) {
        gt_str_clear(&path);
        gt_str_addf(&path, "%s%s%s", group, *group ? "/" : "", names[i]);
        status = gt_str_check(&path, err);
        status = status ? status : gt_array_open(&array[i], store, path.s, err);
    }
    *counts = status != GT_OK || array[0]->ndim != 1 || array[0]->dtype.type > GT_U64;
    if (!*counts)
        status = gt_array_read_strings(array[1], budget, &contigs, err);
    for (size_t i = 0; i < contigs.n && !others; i++)
        others = gt_sexes_chrom_class_named(gt_strs_get(&contigs, i)) == GT_CHROM_AUTOSOME;
    *counts |= !others;
    if (!*counts && !status)
        status = read_first(array[0], gt_min_i64(ROWS, array[0]->unit[0]), budget, &raw, count, err);
    for (int64_t i = 0; !*counts && !status && i < count[0]; i++) {
        const int64_t contig = gt_dtype_load_int(array[0]->dtype.type, array[0]->dtype.size, raw.data + (size_t)i * array[0]->dtype.size);
        *counts = contig >= 0 && (size_t)contig < contigs.n &&
                  gt_sexes_chrom_class_named(gt_strs_get(&contigs, (size_t)contig)) == GT_CHROM_AUTOSOME;
    }
    gt_array_free(array[0]);
    gt_array_free(array[1]);
    gt_strs_release(&contigs);
    gt_buf_release(&raw);
    gt_str_release(&path);
    return status == GT_NOENT ? GT_OK : status;
}

int gt_calls_ploidy(struct gt_array *calls, struct gt_store *sites, const char *group, struct gt_budget *budget, int *ploidy,
                    struct gt_err *err)
{
    const int64_t axis = calls->ndim == 3 ? calls->shape[2] : 1;
    struct gt_buf raw = {.budget = budget};
    int64_t count[GT_MAX_DIMS];
    bool counts = true;
    int status = GT_OK;
    *ploidy = axis == 1 ? GT_HAPLOID : axis > 2 ? GT_DIPLOID : GT_PLOIDY_UNKNOWN;
    if (*ploidy || calls->dtype.type != GT_I8 || calls->store->stream || !calls->shape[0] || !calls->shape[1])
        return GT_OK;
    status = read_first(calls, gt_min_i64(ROWS, calls->unit[0]), budget, &raw, count, err);
    if (!status)
        *ploidy = calls_show((const int8_t *)raw.data, count[0] * count[1], axis);
    if (!status && *ploidy == GT_HAPLOID && group)
        status = counts_on(sites, group, budget, &counts, err);
    *ploidy = counts ? *ploidy : GT_PLOIDY_UNKNOWN;
    gt_buf_release(&raw);
    return status;
}

int zr_show_ploidy(struct zarr_reader *r, struct gt_err *err)
{
    struct gt_geno_info *info = &r->base.info;
    if (r->layout == ZR_PACKED || r->layout == ZR_DOSAGES)
        info->ploidy = gt_packed_ploidy(r->geno);
    if (r->layout != ZR_CALLS || r->slice >= 0 || r->provisional)
        return GT_OK;
    return gt_calls_ploidy(r->geno, zr_sites_store(r), zr_sites_path(r), &r->base.engine->budget, &info->ploidy, err);
}
