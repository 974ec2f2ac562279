/* The small tables of a store: samples, contigs, filters, header lines. */
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/packed.h"
#include "geno/samples/pedigree.h"
#include "geno/vcz_read/zarr_reader.h"
#include "storage/codec/vlen.h"

#define UNKNOWN_CONTIG "unknown" /* of sites that are on no contig that we know of */
#define MAX_UNNAMED (1 << 24)    /* samples that get names from us */

/* A list of texts in the group of the sites, or (above) in that of the calls and the groups above it.  GT_NOENT when there is
 * none, and there may be none. */
static int read_texts(struct zarr_reader *r, const char *const *names, bool above, struct gt_strs *list, struct gt_err *err)
{
    const char *from = above ? r->group_path : zr_sites_path(r);
    char *path = gt_strdup(from ? from : "", err);
    int status = path ? GT_NOENT : GT_FAIL;

    for (bool more = from != NULL; more && status == GT_NOENT;) {
        struct gt_group *group = NULL;
        struct gt_array *array = NULL;
        char *slash = strrchr(path, '/');
        status = gt_group_open(&group, above ? r->store : zr_sites_store(r), path, err);
        for (int i = 0; !status && names[i] && !array; i++) {
            int found = gt_group_array(group, names[i], &array, err);
            status = found > 0 ? found : GT_OK;
        }
        if (array)
            array->whole = r->whole;
        if (!status)
            status = array ? gt_array_read_strings(array, &r->base.engine->budget, list, err) : GT_NOENT;
        gt_array_free(array);
        gt_group_free(group);
        more = above && *path;
        *(slash ? slash : path) = 0;
    }
    free(path);
    return status == GT_NOENT && r->complete ? zr_fail_incomplete(r, names[0], err) : status;
}

/* A chunk of ids that is not there reads as "". */
static int check_ids(const struct zarr_reader *r, struct gt_err *err)
{
    const struct gt_strs *samples = &r->base.info.samples;
    struct gt_names *seen = gt_names_new(samples->budget, err);
    int status = seen ? GT_OK : GT_FAIL;

    for (size_t i = 0; i < samples->n && !status; i++) {
        const char *id = gt_strs_get(samples, i);
        int64_t before = -1;
        if ((status = gt_names_add(seen, id, strlen(id), (int64_t)i, &before, err)) != GT_OK)
            break;
        if (!*id)
            status = gt_fail(err, GT_INPUT, "'%s': sample %zu has an empty id", r->base.info.name, i + 1);
        else if (before >= 0)
            status = gt_fail(err, GT_INPUT, "'%s': samples %lld and %zu have the same id, '%s'", r->base.info.name, (long long)before + 1,
                             i + 1, id);
    }
    gt_names_free(seen);
    return status;
}

/* There is no table of samples: S0, S1, ... */
static int number_samples(struct zarr_reader *r, struct gt_err *err)
{
    struct gt_geno_info *info = &r->base.info;
    int status = GT_OK;

    if (r->layout == ZR_SITES) {
        info->n_samples = 0;
        return GT_OK;
    }
    if (info->n_samples < 0)
        return gt_fail(err, GT_INPUT, "'%s': array '%s' does not give its number of samples, and there is no sample_id", info->name,
                       r->geno->path);
    if (info->n_samples > MAX_UNNAMED)
        return gt_fail(err, GT_INPUT, "'%s': array '%s' has %lld samples, and there is no sample_id", info->name, r->geno->path,
                       (long long)info->n_samples);
    for (int64_t i = 0; i < info->n_samples && !status; i++) {
        char id[32];
        status = gt_strs_add(&info->samples, id, (size_t)snprintf(id, sizeof id, "S%lld", (long long)i), err);
    }
    return status;
}

/* Do the table of samples and the genotypes agree? */
static int check_samples(const struct zarr_reader *r, struct gt_err *err)
{
    const struct gt_geno_info *info = &r->base.info;
    int64_t n = info->n_samples;
    char a[GT_THINGS_LEN], b[GT_NUM_LEN];

    if ((int64_t)info->samples.n != n)
        return gt_fail(err, GT_INPUT, "'%s': sample_id has %s and %s has %s", info->name,
                       gt_format_things(a, (int64_t)info->samples.n, "sample"), r->layout == ZR_PACKED ? "gt_packed" : r->geno->path,
                       gt_format_count(b, n));
    if (n == 0)
        return r->columns ? GT_OK : gt_fail(err, GT_INPUT, "'%s' has no samples", info->name);
    if (r->layout == ZR_PACKED && r->geno->shape[1] != (n + 3) / 4)
        return gt_fail(err, GT_INPUT, "'%s': array '%s' has %lld bytes per variant, which does not fit %s", info->name, r->geno->path,
                       (long long)r->geno->shape[1], gt_format_things(a, n, "sample"));
    return GT_OK;
}

/* One of the arrays of geno/samples/pedigree.h, where it is one of texts. */
static int read_column(struct zarr_reader *r, struct gt_group *group, const char *name, struct gt_strs *texts, struct gt_err *err)
{
    struct gt_array *array = NULL;
    int status = gt_group_array(group, name, &array, err);

    if (!status && array->ndim == 1 && array->dtype.type == GT_STRING) {
        array->whole = r->whole;
        status = gt_array_read_strings(array, &r->base.engine->budget, texts, err);
    }
    gt_array_free(array);
    return status > 0 ? status : 0;
}

static int read_pedigree(struct zarr_reader *r, struct gt_err *err)
{
    struct gt_strs texts[GT_FAM_COLUMNS] = {0};
    struct gt_group *group = NULL;
    int status = r->group_path ? gt_group_open(&group, r->store, r->group_path, err) : 0;

    for (int c = 0; c < GT_FAM_COLUMNS; c++)
        texts[c].budget = r->base.info.samples.budget;
    for (int c = 0; c < GT_FAM_COLUMNS && group && !status; c++)
        status = read_column(r, group, gt_fam_arrays[c], &texts[c], err);
    if (!status)
        status = gt_fam_take(&r->base.info, texts, err);
    for (int c = 0; c < GT_FAM_COLUMNS; c++)
        gt_strs_release(&texts[c]);
    gt_group_free(group);
    return status;
}

static int read_samples(struct zarr_reader *r, struct gt_err *err)
{
    static const char *const names[] = {"sample_id", "samples", NULL};
    struct gt_geno_info *info = &r->base.info;
    int status = read_texts(r, names, true, &info->samples, err);
    const bool numbered = status == GT_NOENT;

    if (numbered)
        status = number_samples(r, err);
    if (status)
        return status;
    if (info->n_samples < 0)
        info->n_samples = (int64_t)info->samples.n;
    status = check_samples(r, err);
    if (!status && !numbered) /* numbers differ */
        status = check_ids(r, err);
    return status ? status : read_pedigree(r, err);
}

static int read_lengths(struct zarr_reader *r, struct gt_group *group, struct gt_err *err)
{
    struct gt_geno_info *info = &r->base.info;
    struct gt_array *array = NULL;
    struct gt_buf raw = {.budget = &r->base.engine->budget};
    int status = gt_group_array(group, "contig_length", &array, err);
    int64_t *length;

    if (!status)
        array->whole = r->whole;
    if (!status && (array->dtype.type > GT_U64 || array->ndim != 1))
        status = gt_fail(err, GT_INPUT, "'%s': contig_length is not a list of integers", info->name);
    if (!status)
        status = gt_array_read_all(array, &raw, err);
    if (status <= 0)
        status = status ? GT_NOENT : gt_buf_resize(&info->contig_lengths, info->contigs.n * sizeof *length, err);
    for (size_t i = 0; !status && i < info->contigs.n; i++) {
        size_t size = array->dtype.size;
        int64_t value = 0;
        length = (int64_t *)info->contig_lengths.data;
        if (i < (size_t)array->shape[0])
            value = gt_dtype_load_int(array->dtype.type, size, raw.data + i * size);
        length[i] = value > 0 ? value : 0;
    }
    gt_array_free(array);
    gt_buf_release(&raw);
    return status == GT_NOENT ? GT_OK : status;
}

/* Contigs of a store without contig_id: sites name them, or all are on one that
 * has the group's name ("2R/calldata/GT"). */
static int default_contig(struct zarr_reader *r, struct gt_err *err)
{
    struct gt_geno_info *info = &r->base.info;
    const char *path = r->group_path && *r->group_path ? r->group_path : zr_sites_path(r), *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path && *path ? path : UNKNOWN_CONTIG;

    if (r->site[ZR_CHROM].array)
        info->open_contigs = true;
    else if (info->contigs.n == 0 && !r->provisional)
        return gt_strs_add(&info->contigs, name, strlen(name), err);
    return GT_OK;
}

static int read_contigs(struct zarr_reader *r, struct gt_group *group, struct gt_err *err)
{
    static const char *const names[] = {"contig_id", NULL};
    struct gt_geno_info *info = &r->base.info;
    int status = read_texts(r, names, false, &info->contigs, err);

    if (status > 0)
        return status;
    info->open_contigs = r->provisional;
    status = default_contig(r, err);
    r->n_known = info->contigs.n;
    for (size_t i = 0; i < r->n_known && !status; i++) {
        const char *name = gt_strs_get(&info->contigs, i);
        status = gt_names_add(r->known, name, strlen(name), (int64_t)i, NULL, err);
        if (!status)
            status = gt_names_add(r->numbers, name, strlen(name), (int64_t)i, NULL, err);
    }
    return status || !group ? status : read_lengths(r, group, err);
}

int zr_read_more(struct zarr_reader *r, const char *name, size_t have, struct gt_strs *list, struct gt_err *err)
{
    struct gt_group *group = NULL;
    struct gt_array *array = NULL;
    struct gt_buf stored = {.budget = &r->base.engine->budget}, raw = stored, scratch[2] = {stored, stored};
    int status = gt_group_open(&group, r->store, r->group_path, err);

    if (!status)
        status = gt_group_array(group, name, &array, err);
    if (!status &&
        (array->ndim != 1 || array->dtype.type != GT_STRING || (have % (size_t)array->chunk[0] && (size_t)array->shape[0] > have)))
        status = gt_fail(err, GT_INPUT, "'%s': %s has grown in a way that is not supported", r->base.info.name, name);
    if (!status)
        array->whole = r->whole;
    for (int64_t c = status ? 0 : (int64_t)have / array->chunk[0]; !status && c * array->chunk[0] < array->shape[0]; c++) {
        status = gt_array_fetch(array, &c, &stored, err);
        if (status <= 0)
            status = gt_array_decode(array, &c, status ? NULL : &stored, &raw, scratch, err);
        if (!status)
            status = gt_vlen_unpack(&raw, false, list, err);
    }
    /* the overhang of the last chunk stays on the list: no number names it */
    gt_array_free(array);
    gt_group_free(group);
    gt_buf_release(&stored);
    gt_buf_release(&raw);
    gt_buf_release(&scratch[0]);
    gt_buf_release(&scratch[1]);
    return status == GT_NOENT ? gt_fail(err, GT_INPUT, "'%s' has no %s at its end", r->base.info.name, name) : status;
}

static int filter_number(struct gt_strs *filters, const char *name, int32_t *number, struct gt_err *err)
{
    size_t k = 0;

    while (k < filters->n && strcmp(gt_strs_get(filters, k), name) != 0)
        k++;
    *number = (int32_t)k;
    return k < filters->n ? GT_OK : gt_strs_add(filters, name, strlen(name), err);
}

/* Descriptions, of those filters that the input began with; columns: as filter_id has them. */
static int read_filter_texts(struct zarr_reader *r, const struct gt_strs *columns, struct gt_err *err)
{
    static const char *const names[] = {"filter_description", NULL};
    struct gt_geno_info *info = &r->base.info;
    struct gt_strs texts = {.budget = info->filters.budget};
    const bool complete = r->complete;

    r->complete = false; /* an older store of ours may lack them */
    int status = read_texts(r, names, false, &texts, err);
    r->complete = complete;
    for (size_t f = 0; f < info->filters.n && !status && texts.n == columns->n; f++) {
        size_t i = 0;
        while (strcmp(gt_strs_get(columns, i), gt_strs_get(&info->filters, f)) != 0)
            i++;
        status = gt_strs_add(&info->filter_texts, gt_strs_get(&texts, i), strlen(gt_strs_get(&texts, i)), err);
    }
    gt_strs_release(&texts);
    return status == GT_NOENT ? GT_OK : status;
}

int zr_read_filters(struct zarr_reader *r, struct gt_err *err)
{
    static const char *const names[] = {"filter_id", NULL};
    struct gt_geno_info *info = &r->base.info;
    struct gt_strs columns = {.budget = info->filters.budget};
    size_t have = r->n_filter_map;
    int status = have ? zr_read_more(r, names[0], have, &columns, err) : read_texts(r, names, false, &columns, err);

    if (status == GT_NOENT) {
        bool pass = r->site[ZR_FILTER].array && r->site[ZR_FILTER].array->ndim == 1; /* variants/FILTER_PASS */
        status = pass ? gt_strs_add(&columns, "PASS", 4, err) : GT_OK;
    }
    if (!status)
        status = gt_resize(&r->filter_map, have + columns.n + 1, sizeof *r->filter_map, err);
    if (status) {
        gt_strs_release(&columns);
        return status;
    }
    r->n_filter_map = have + columns.n;
    for (size_t i = 0; i < columns.n; i++)
        r->filter_map[have + i] = -1;
    for (int pass = 0; pass < 2; pass++) /* PASS first, wherever it stands */
        for (size_t i = 0; i < columns.n && !status; i++)
            if ((strcmp(gt_strs_get(&columns, i), "PASS") == 0) == (pass == 0) && *gt_strs_get(&columns, i))
                status = filter_number(&info->filters, gt_strs_get(&columns, i), &r->filter_map[have + i], err);
    if (!status && !have && r->columns)
        status = read_filter_texts(r, &columns, err);
    gt_strs_release(&columns);
    return status;
}

/* vcf_meta_information: [key, value] pairs. */
static int read_header(struct zarr_reader *r, const struct gt_group *group, struct gt_err *err)
{
    struct json_object *lines = gt_json_get(group->attrs, "vcf_meta_information");
    size_t n = json_object_is_type(lines, json_type_array) ? json_object_array_length(lines) : 0;

    int status = GT_OK;

    for (size_t i = 0; i < n; i++) {
        struct json_object *pair = json_object_array_get_idx(lines, i);
        if (!json_object_is_type(pair, json_type_array) || json_object_array_length(pair) != 2)
            continue;
        for (size_t k = 0; k < 2 && !status; k++) {
            const char *text = json_object_get_string(json_object_array_get_idx(pair, k));
            status = gt_strs_add(&r->base.info.header, text ? text : "", text ? strlen(text) : 0, err);
        }
    }
    return status;
}

/* enum gt_has */
static unsigned what_it_has(const struct zarr_reader *r)
{
    const struct gt_geno_info *info = &r->base.info;
    const struct gt_array *alleles = r->site[ZR_ALLELE].array;
    bool named = info->contigs.n == 1 && strcmp(gt_strs_get(&info->contigs, 0), UNKNOWN_CONTIG) != 0;
    unsigned has = r->site[ZR_CONTIG].array || r->site[ZR_CHROM].array || named ? GT_HAS_CONTIGS : 0;

    has |= r->site[ZR_POS].array ? GT_HAS_POSITIONS : 0;
    has |= alleles || (r->site[ZR_REF].array && r->site[ZR_ALT].array) ? GT_HAS_ALLELES : 0;
    has |= r->site[ZR_ID].array ? GT_HAS_IDS : 0;
    has |= r->site[ZR_FILTER].array && info->filters.n ? GT_HAS_FILTERS : 0;
    has |= GT_HAS_GENOTYPES | (r->slice < 0 ? GT_HAS_DOSAGES : 0);
    if (r->layout != ZR_CALLS || r->slice >= 0)
        return has;
    return has | GT_HAS_CALLS | GT_HAS_ALTS | (r->ploidy > 1 ? GT_HAS_PAIRS : 0) | (r->ploidy > 2 ? GT_HAS_MORE : 0);
}

/* With REF, as wide as the arrays are; 0: there are none. */
static int64_t columns_of_alleles(const struct zarr_reader *r)
{
    const struct gt_array *alleles = r->site[ZR_ALLELE].array, *alts = r->site[ZR_ALT].array;
    const struct gt_array *of = alleles ? alleles : alts;
    return !of ? 0 : (of->ndim == 2 ? of->shape[1] : 1) + (alleles ? 0 : 1);
}

int zr_open_tables(struct zarr_reader *r, struct gt_err *err)
{
    static const char *const tables[] = {"sample_id",          "samples",     "contig_id", "contig_length", "filter_id",
                                         "filter_description", "region_index"};
    struct gt_group *group = NULL;
    int status = r->group_path ? gt_group_open(&group, r->store, r->group_path, err) : GT_OK;

    if (!status && group)
        status = gt_group_expect_values(group, tables, sizeof tables / sizeof *tables, err);
    if (!status)
        status = read_samples(r, err);
    if (!status)
        status = read_contigs(r, r->sites ? NULL : group, err);
    if (!status)
        status = zr_read_filters(r, err);
    if (!status && group)
        status = read_header(r, group, err);
    const bool provisional = group && json_object_get_boolean(gt_json_get(group->attrs, GT_PROVISIONAL_ATTR));
    gt_group_free(group);
    for (int i = 0; i < 2 && !status && r->provisional && r->group_path; i++) {
        struct gt_str path = {0};
        gt_str_addf(&path, "%s%s%s", r->group_path, *r->group_path ? "/" : "", i ? "filter_id" : "contig_id");
        status = gt_str_check(&path, err);
        r->late_path[i] = status ? NULL : path.s;
    }
    r->base.info.n_variants = r->base.info.n_variants_max = r->n_variants;
    r->base.info.has = what_it_has(r) | (provisional ? GT_HAS_PROVISIONAL : 0);
    r->base.info.two_alleles =
        !r->provisional && r->site[ZR_ALLELE].array && r->site[ZR_ALLELE].array->ndim == 2 && r->site[ZR_ALLELE].array->shape[1] <= 2;
    r->base.info.alleles = r->provisional ? 0 : columns_of_alleles(r);
    if (!status)
        zr_mean_alleles(r);
    return status;
}
