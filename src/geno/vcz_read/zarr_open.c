/* What a store has: which array the genotypes are, its samples, contigs, filters
 * and site arrays. */
#include <stdlib.h>
#include <string.h>

#include "arrays/zarr/open.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/geno_arrays.h"
#include "geno/model/packed.h"
#include "geno/vcz_read/zarr_reader.h"
#include "storage/archive/tar_store.h"

#define MAX_COLUMNS (GT_MAX_ALLELES + 1) /* second axis of a site array */

static const char *const GENOTYPES[] = {GT_PACKED_ARRAY, "call_genotype", "calldata/GT", GT_DOSAGE_ARRAY, NULL};

/* Names of the site arrays: VCF Zarr, scikit-allel. */
static const char *const SITES[ZR_SITE_ARRAYS][2] = {
    [ZR_CONTIG] = {"variant_contig", NULL},
    [ZR_CHROM] = {NULL, "variants/CHROM"},
    [ZR_POS] = {"variant_position", "variants/POS"},
    [ZR_LENGTH] = {"variant_length", NULL},
    [ZR_ID] = {"variant_id", "variants/ID"},
    [ZR_ALLELE] = {"variant_allele", NULL},
    [ZR_REF] = {NULL, "variants/REF"},
    [ZR_ALT] = {NULL, "variants/ALT"},
    [ZR_QUAL] = {"variant_quality", "variants/QUAL"},
    [ZR_FILTER] = {"variant_filter", "variants/FILTER_PASS"},
    [ZR_MULTI] = {GT_MULTIALLELIC_ARRAY, NULL},
    [ZR_PHASED] = {"call_genotype_phased", NULL},
};

static bool holds_text(const struct gt_array *array)
{
    return array->dtype.type == GT_STRING || array->dtype.type == GT_BYTES || array->dtype.type == GT_UCS4;
}

static bool holds_integers(const struct gt_array *array)
{
    return array->dtype.type <= GT_U64;
}

/* Last part of a path. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The path without its last part; false when it has one part only, or none. */
static bool cut_last(char *path)
{
    char *slash = strrchr(path, '/');

    if (!*path)
        return false;
    *(slash ? slash : path) = 0;
    return true;
}

/* --- the genotype array -------------------------------------------------------- */

/* Complete VCF Zarr as it is written here has all its chunks, and v2's fill value null, so that nothing would stand for one that was
 * lost.  (bio2zarr left out chunks of zeros with that fill value.) */
static void mark_ours(const struct zarr_reader *r, const struct gt_group *group, struct gt_array *array)
{
    const char *source = gt_json_text(group->attrs, "source");
    if (source && strncmp(source, "gt-utils ", 9) == 0)
        array->whole |= array->fill_null && !r->store->stream;
}

/* VCF Zarr without genotypes: records alone. */
static int find_sites(struct zarr_reader *r, struct gt_group *group, struct gt_err *err)
{
    if (!gt_json_get(group->attrs, "vcf_zarr_version"))
        return GT_NOENT;
    int status = gt_group_array(group, "variant_position", &r->geno, err);
    if (!status && r->geno->ndim != 1)
        status = gt_fail(err, GT_INPUT, "'%s': array '%s' has the wrong shape or data type", r->base.info.name, r->geno->path);
    return status;
}

static int find_in_group(struct zarr_reader *r, struct gt_group *group, const char *path, struct gt_err *err)
{
    int status = GT_NOENT;

    for (int i = 0; GENOTYPES[i] && status == GT_NOENT; i++)
        status = gt_group_array(group, GENOTYPES[i], &r->geno, err);
    if (status == GT_NOENT && r->columns && (status = find_sites(r, group, err)) == GT_OK)
        r->layout = ZR_SITES;
    if (!status)
        mark_ours(r, group, r->geno);
    return status == GT_NOENT ? zr_no_genotypes(r, group, path, GENOTYPES, err) : status;
}

/* `path` is the array itself; the sites are in the group it stands in. */
static int find_array(struct zarr_reader *r, const char *path, struct gt_err *err)
{
    struct gt_group *group = NULL;
    char *parent = gt_strdup(path, err);
    size_t n = strlen(path);
    int status = parent ? gt_array_open(&r->geno, r->store, path, err) : GT_FAIL;

    if (status == GT_NOENT)
        status = gt_zarr_fail_absent(r->store, path, err);
    if (!status && cut_last(parent)) {
        if (n >= 11 && strcmp(path + n - 11, "calldata/GT") == 0)
            cut_last(parent);
        status = gt_group_open(&group, r->store, parent, err);
        if (!status)
            mark_ours(r, group, r->geno);
        if (!status && !(r->group_path = gt_strdup(parent, err)))
            status = GT_FAIL;
        gt_group_free(group);
    }
    free(parent);
    return status == GT_NOENT ? GT_OK : status;
}

static int bad_array(const struct zarr_reader *r, struct gt_err *err, const char *why)
{
    return gt_fail(err, GT_INPUT, "'%s': array '%s' %s", r->base.info.name, r->geno->path, why);
}

static int classify_packed(struct zarr_reader *r, struct json_object *packed, struct gt_err *err)
{
    const struct gt_array *a = r->geno;
    int64_t bits = 2, missing = 3;

    r->layout = ZR_PACKED;
    r->whole = gt_packed_is_ours(a);
    r->geno->whole = true;
    if (a->dtype.type != GT_U8 || a->ndim != 2)
        return bad_array(r, err, "is not a uint8 matrix, which packed genotypes need");
    if ((gt_json_get(packed, "bits") && (!gt_json_i64(gt_json_get(packed, "bits"), &bits) || bits != 2)) ||
        (gt_json_get(packed, "missing") && (!gt_json_i64(gt_json_get(packed, "missing"), &missing) || missing != 3)))
        return bad_array(r, err, "is packed in a way that is not supported (gt_packed must have bits 2 and missing 3)");
    if (gt_json_get(packed, "samples") &&
        (!gt_json_i64(gt_json_get(packed, "samples"), &r->base.info.n_samples) || r->base.info.n_samples < 0))
        return bad_array(r, err, "has no usable number of samples in gt_packed");
    if (r->slice >= 0)
        return gt_fail(err, GT_USAGE, "'%s': packed allele counts have no ploidy axis to slice", r->base.info.name);
    return GT_OK;
}

static int classify(struct zarr_reader *r, struct gt_err *err)
{
    const struct gt_array *a = r->geno;
    struct json_object *packed = gt_json_get(a->attrs, GT_PACKED_ATTR);
    const char *name = base_name(a->path);

    r->base.info.n_samples = -1;
    if (r->layout == ZR_SITES)
        return GT_OK;
    if (packed || strcmp(name, GT_PACKED_ARRAY) == 0)
        return classify_packed(r, packed, err);
    if (gt_array_is_turned(a)) {
        bad_array(r, err, "has samples first; genotypes need variants first");
        gt_hint(err, "transpose it with gt-rechunk --transpose, or name it to read it as a plain array");
        return GT_INPUT;
    }
    if (!holds_integers(a))
        return bad_array(r, err, "does not hold integers, which genotypes need");
    if (a->ndim != 2 && a->ndim != 3)
        return bad_array(r, err, "is neither (variants, samples) nor (variants, samples, ploidy)");
    r->layout = a->ndim == 3 || strcmp(name, "call_genotype") == 0 || strcmp(name, "GT") == 0 ? ZR_CALLS : ZR_DOSAGES;
    r->base.info.n_samples = a->shape[1];
    if (a->ndim == 3 && (a->shape[2] < 1 || a->shape[2] > 1024))
        return bad_array(r, err, "has no usable ploidy axis");
    r->ploidy = a->ndim == 3 ? (int)a->shape[2] : 1;
    if (r->slice >= 0 && a->ndim != 3)
        return gt_fail(err, GT_USAGE, "'%s': array '%s' has no ploidy axis to slice", r->base.info.name, a->path);
    if (r->slice >= r->ploidy)
        return gt_fail(err, GT_USAGE, "'%s': slice %d of the ploidy axis of '%s', which has %d", r->base.info.name, r->slice, a->path,
                       r->ploidy);
    return GT_OK;
}

int zr_fail_incomplete(const struct zarr_reader *r, const char *name, struct gt_err *err)
{
    gt_fail(err, GT_INPUT, "'%s' has no array '%s'", r->base.info.name, name);
    gt_hint(err, "the store is incomplete; was it copied in part?");
    return GT_INPUT;
}

/* --- site arrays ----------------------------------------------------------------- */

static bool suits(const struct zarr_reader *r, const struct gt_array *array, int which)
{
    bool text = which == ZR_CHROM || which == ZR_ID || which == ZR_ALLELE || which == ZR_REF || which == ZR_ALT;
    bool wide = which == ZR_ALLELE || which == ZR_ALT || which == ZR_FILTER;

    if (which == ZR_PHASED)
        return array->ndim == 2 && array->shape[1] == r->base.info.n_samples && holds_integers(array);
    if (array->ndim < 1 || array->ndim > (wide ? 2 : 1) || (array->ndim == 2 && array->shape[1] > MAX_COLUMNS))
        return false;
    if (text)
        return holds_text(array);
    return holds_integers(array) ||
           ((which == ZR_QUAL || which == ZR_POS || which == ZR_LENGTH) && array->dtype.type >= GT_F16 && array->dtype.type <= GT_F64);
}

/* INFO fields may have its name: stores of calls have no mark, and those of dosages have one of bool. */
static bool is_mark(const struct zarr_reader *r, const struct gt_array *array)
{
    return r->layout == ZR_PACKED || (r->layout != ZR_CALLS && gt_packed_is_multiallelic_mark(array));
}

static int open_site(struct zarr_reader *r, struct gt_group *group, int which, struct gt_err *err)
{
    struct gt_array *array = NULL;
    char n[GT_THINGS_LEN], other[GT_NUM_LEN];
    int status = GT_NOENT;

    if (which == ZR_PHASED && !r->haplotypes && !r->phases)
        return GT_OK;
    for (int i = 0; i < 2 && status == GT_NOENT; i++)
        if (SITES[which][i])
            status = gt_group_array(group, SITES[which][i], &array, err);
    if (status)
        return status == GT_NOENT ? GT_OK : status;
    if (which == ZR_MULTI && !is_mark(r, array)) {
        gt_array_free(array);
        return GT_OK;
    }
    r->site[which].array = array;
    if (which == ZR_QUAL)
        r->any_nan = strcmp(base_name(array->path), "QUAL") == 0;
    mark_ours(r, group, array);
    status = r->whole ? gt_packed_mark_complete(array, err) : GT_OK;
    if (which == ZR_POS && !r->store->stream && array->unit[0] == array->chunk[0])
        array->whole = true; /* all its positions cannot be fill values */
    if (status)
        return status;
    if (!suits(r, array, which))
        return gt_fail(err, GT_INPUT, "'%s': array '%s' has the wrong shape or data type", r->base.info.name, array->path);
    if (!r->provisional && array->shape[0] != r->geno->shape[0])
        return gt_fail(err, GT_INPUT, "'%s': '%s' has %s and '%s' has %s", r->base.info.name, array->path,
                       gt_format_things(n, array->shape[0], "variant"), r->geno->path, gt_format_count(other, r->geno->shape[0]));
    return GT_OK;
}

static bool has_site(const struct zarr_reader *r, const char *name)
{
    for (int i = 0; i < ZR_SITE_ARRAYS; i++)
        if (SITES[i][0] && strcmp(SITES[i][0], name) == 0)
            return r->site[i].array;
    return false;
}

/* What gt-pack always writes. */
static int check_whole(struct zarr_reader *r, struct gt_group *group, struct gt_err *err)
{
    const char *name;

    r->complete = r->whole && gt_json_get(group->attrs, "vcf_zarr_version");
    for (int i = 0; r->complete && (name = gt_packed_site_array(i)); i++)
        if (!has_site(r, name))
            return zr_fail_incomplete(r, name, err);
    return GT_OK;
}

/* Of calls whose sites stand elsewhere. */
static int open_own_phases(struct zarr_reader *r, struct gt_err *err)
{
    struct gt_group *group = NULL;
    int status = gt_group_open(&group, r->store, r->group_path, err);

    if (!status)
        status = open_site(r, group, ZR_PHASED, err);
    gt_group_free(group);
    return status;
}

static int open_sites(struct zarr_reader *r, struct gt_err *err)
{
    struct gt_group *group = NULL;
    int status;

    for (int i = 0; i < ZR_SITE_ARRAYS; i++) {
        gt_array_free(r->site[i].array);
        r->site[i].array = NULL;
    }
    if (!zr_sites_path(r))
        return GT_OK;
    status = gt_group_open(&group, zr_sites_store(r), zr_sites_path(r), err);
    for (int i = 0; i < ZR_SITE_ARRAYS && !status; i++)
        status = i == ZR_PHASED && r->sites ? GT_OK : open_site(r, group, i, err);
    if (!status)
        status = check_whole(r, group, err);
    gt_group_free(group);
    return status || !r->sites || !r->group_path ? status : open_own_phases(r, err);
}

static int check_provisional(struct zarr_reader *r, struct gt_err *err)
{
    struct gt_group *root = NULL;
    int status = gt_group_open(&root, r->store, "", err);

    r->provisional = !status && gt_group_provisional(root);
    gt_group_free(root);
    if (r->provisional && !r->store->stream) {
        gt_fail(err, GT_INPUT, "'%s' is unfinished: it has only the provisional metadata of a stream", r->base.info.name);
        gt_hint(err, "the command that wrote it did not finish; run it again");
        return GT_INPUT;
    }
    return status == GT_NOENT ? GT_OK : status;
}

int zr_open_layout(struct zarr_reader *r, const char *path, const char *sites, struct gt_err *err)
{
    struct gt_group *group = NULL;
    int status = check_provisional(r, err);

    if (!status)
        status = gt_group_open(&group, r->store, path, err);
    if (!status) {
        r->group_path = gt_strdup(path, err);
        status = r->group_path ? find_in_group(r, group, path, err) : GT_FAIL;
    } else if (status == GT_NOENT) {
        status = find_array(r, path, err);
    }
    gt_group_free(group);
    if (!status)
        status = classify(r, err);
    if (!status && sites)
        status = zr_open_sites_store(r, sites, err);
    if (status)
        return status;
    r->array_path = gt_strdup(r->geno->path, err);
    if (!r->array_path)
        return GT_FAIL;
    r->n_variants = r->provisional ? -1 : r->geno->shape[0];
    return open_sites(r, err);
}

/* --- the end of a stream ------------------------------------------------------------ */

static int same_array(const struct zarr_reader *r, const struct gt_array *last, struct gt_err *err)
{
    bool same = last->ndim == r->geno->ndim && last->dtype.type == r->geno->dtype.type;

    for (int i = 0; same && i < last->ndim; i++)
        same = last->chunk[i] == r->geno->chunk[i] && (i == 0 || last->shape[i] == r->geno->shape[i]);
    return same ? GT_OK : bad_array(r, err, "at the end of the stream differs from the one at its beginning");
}

int zr_finish_stream(struct zarr_reader *r, struct gt_err *err)
{
    struct gt_array *last = NULL;
    struct gt_group *root = NULL;
    int status = gt_tar_drain(r->store, err);

    if (status || !r->provisional)
        return status;
    status = gt_group_open(&root, r->store, "", err);
    if (!status && gt_group_provisional(root))
        status =
            gt_fail(err, GT_INPUT, "'%s' ended without its final metadata: the command that wrote it did not finish", r->base.info.name);
    if (!status)
        status = gt_group_array(root, r->array_path, &last, err);
    if (!status)
        status = same_array(r, last, err);
    if (!status) {
        r->n_variants = r->base.info.n_variants = r->base.info.n_variants_max = last->shape[0];
        r->provisional = false;
    }
    gt_array_free(last);
    gt_group_free(root);
    return status == GT_NOENT ? gt_fail(err, GT_INPUT, "'%s' has no array '%s' in its final metadata", r->base.info.name, r->array_path)
                              : status;
}

int zr_reopen_sites(struct zarr_reader *r, struct gt_err *err)
{
    struct gt_array *last = NULL;
    int status = gt_array_open(&last, r->store, r->array_path, err);

    if (status)
        return status == GT_NOENT ? bad_array(r, err, "has gone") : status;
    last->whole = r->geno->whole;
    gt_array_free(r->geno);
    r->geno = last;
    return open_sites(r, err);
}
