/* The INFO, FORMAT and call arrays of a VCF Zarr group, as a VCF would declare them. */
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "geno/vcz_read/zarr_reader.h"

/* Arrays of a variant that are no INFO field. */
static const char *const OWN[] = {"variant_contig",  "variant_position", "variant_length",  "variant_id",
                                  "variant_id_mask", "variant_allele",   "variant_quality", "variant_filter"};

static bool is_own(const char *path)
{
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
        if (strcmp(path, OWN[i]) == 0)
            return true;
    return gt_ends_with(path, "_fill") || gt_ends_with(path, "_mask") || strncmp(path, "call_genotype", 13) == 0;
}

static bool holds_values(const struct gt_array *array)
{
    const enum gt_type type = array->dtype.type;

    return type <= GT_U64 || type == GT_F16 || type == GT_F32 || type == GT_F64 || type == GT_STRING || type == GT_BYTES || type == GT_UCS4;
}

/* A name as a VCF can have it: the specification's characters, and what else stands between no others. */
static bool is_name(const char *name)
{
    return *name && !name[strcspn(name, " \t\r\n=;,:<>\"/")];
}

/* Has the array a row for each variant, and for calls an item for each sample? */
static bool suits(const struct zarr_reader *r, const struct gt_array *array, bool calls)
{
    const int axes = calls ? 2 : 1;

    return holds_values(array) && array->ndim >= axes && array->ndim <= axes + 1 && array->shape[0] == r->geno->shape[0] &&
           (!calls || array->shape[1] == r->base.info.n_samples) && (array->ndim == axes || array->shape[axes] > 0);
}

static int left_out(struct zarr_reader *r, const struct gt_array *array, struct gt_err *err)
{
    return gt_strs_addf(&r->base.warnings, err, "'%s': array '%s' is skipped: its name, shape or data type matches no VCF field",
                        r->base.info.name, array->path);
}

/* --- as declared --------------------------------------------------------------------- */

static int32_t number_of(const struct gt_array *array, bool calls)
{
    static const struct {
        const char *dim;
        int32_t number;
    } known[] = {{"alt_alleles", GT_VCF_PER_ALT}, {"alleles", GT_VCF_PER_ALLELE}, {"genotypes", GT_VCF_PER_GENOTYPE}};
    const char *dim = array->dim_names[array->ndim - 1];

    if (array->dtype.type == GT_BOOL && !calls)
        return 0;
    if (array->ndim == (calls ? 2 : 1))
        return 1;
    for (size_t i = 0; dim && i < sizeof known / sizeof *known; i++)
        if (strcmp(dim, known[i].dim) == 0)
            return known[i].number;
    return GT_VCF_ANY_NUMBER;
}

static enum gt_vcf_type type_of(const struct gt_array *array, bool calls)
{
    const struct gt_dtype *t = &array->dtype;

    if (t->type == GT_F16 || t->type == GT_F32 || t->type == GT_F64)
        return GT_VCF_FLOAT;
    if ((t->type == GT_BYTES && t->size == 1) || (t->type == GT_UCS4 && t->size == 4))
        return GT_VCF_CHARACTER;
    return gt_type_is_text(t->type) ? GT_VCF_STRING : t->type == GT_BOOL && !calls ? GT_VCF_FLAG : GT_VCF_INTEGER;
}

static int declare(struct zarr_reader *r, const struct gt_array *array, bool calls, const char *name, struct gt_err *err)
{
    const char *text = gt_json_text(array->attrs, "description");
    const struct gt_vcf_field field = {.format = calls, .type = type_of(array, calls), .number = number_of(array, calls)};

    return gt_vcf_fields_add(&r->base.info.fields, &field, name, text ? text : "", err);
}

/* --- finding them ---------------------------------------------------------------------- */

/* Takes the array over; that of the calls is the reader's own. */
static int add(struct zarr_reader *r, struct gt_array *array, enum gt_record_kind kind, bool literal, const char *name, struct gt_err *err)
{
    struct zr_field field = {.column.array = array, .kind = kind, .literal = literal, .name = gt_strdup(name, err)};
    int status = field.name ? gt_buf_append(&r->field_list, &field, sizeof field, err) : GT_FAIL;

    if (status) {
        if (kind != GT_RECORD_ALLELES)
            gt_array_free(array);
        free(field.name);
        return status;
    }
    r->n_fields++;
    return 0;
}

static bool same_shape(const struct gt_array *a, const struct gt_array *b)
{
    return a->ndim == b->ndim && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0;
}

/* The array that gt-pack writes next to integers where -1 or -2 is a value. */
static int add_literal(struct zarr_reader *r, struct gt_group *group, const struct gt_array *of, const char *path, struct gt_err *err)
{
    struct gt_str name = {0};
    struct gt_array *array = NULL;

    gt_str_addf(&name, "literal_%s", path);
    int status = gt_str_check(&name, err);
    status = status ? status : gt_group_array(group, name.s, &array, err);
    gt_str_release(&name);
    if (status)
        return status == GT_NOENT ? 0 : status;
    if (array->dtype.type == GT_BOOL && of->dtype.type >= GT_I8 && of->dtype.type <= GT_I64 && same_shape(array, of))
        return add(r, array, strncmp(path, "call_", 5) == 0 ? GT_RECORD_FORMAT : GT_RECORD_INFO, true, "", err);
    status = left_out(r, array, err);
    gt_array_free(array);
    return status;
}

static int add_field(struct zarr_reader *r, struct gt_group *group, const char *path, struct gt_err *err)
{
    const bool calls = strncmp(path, "call_", 5) == 0;
    const char *name = path + (calls ? 5 : 8);
    struct gt_array *array = NULL;
    int status = gt_group_array(group, path, &array, err);

    if (status)
        return status == GT_NOENT ? 0 : status;
    if (!suits(r, array, calls) || !is_name(name) || (calls && strcmp(name, "GT") == 0)) {
        status = left_out(r, array, err);
        gt_array_free(array);
        return status;
    }
    status = declare(r, array, calls, name, err);
    if (!status)
        status = add(r, array, calls ? GT_RECORD_FORMAT : GT_RECORD_INFO, false, name, err);
    else
        gt_array_free(array);
    return status ? status : add_literal(r, group, array, path, err);
}

/* Alleles are read through the cache of the reader's own genotypes. */
static int add_calls(struct zarr_reader *r, struct gt_group *group, struct gt_err *err)
{
    const struct gt_vcf_field field = {.format = true, .type = GT_VCF_STRING, .number = 1};
    struct gt_array *phased = NULL;
    int status = r->layout == ZR_CALLS ? gt_vcf_fields_add(&r->base.info.fields, &field, "GT", "Genotype", err) : 0;

    if (status || r->layout != ZR_CALLS)
        return status;
    status = add(r, r->geno, GT_RECORD_ALLELES, false, "GT", err);
    if (status || !group)
        return status;
    status = gt_group_array(group, "call_genotype_phased", &phased, err);
    if (status)
        return status == GT_NOENT ? 0 : status;
    if (phased->dtype.type <= GT_U64 && phased->ndim == 2 && suits(r, phased, true))
        return add(r, phased, GT_RECORD_PHASED, false, "", err);
    status = left_out(r, phased, err);
    gt_array_free(phased);
    return status;
}

struct place {
    const char *path;
    int64_t at;
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : strcmp(x->path, y->path);
}

/* Consolidated metadata have arrays in the order that they were made in, which is that of the
 * header of the VCF; else they come by name. */
static int number_places(const struct gt_group *group, struct place *places, size_t n, struct gt_err *err)
{
    struct gt_names *names = group->consolidated ? gt_names_new(NULL, err) : NULL;
    int64_t number = 0;
    int status = group->consolidated && !names ? GT_FAIL : 0;

    if (!names)
        return status;
    json_object_object_foreach(group->consolidated, key, doc)
    {
        const char *slash = strrchr(key, '/');
        const bool v2 = slash && strcmp(slash, "/.zarray") == 0;
        (void)doc;
        status = status ? status : gt_names_add(names, key, v2 ? (size_t)(slash - key) : strlen(key), number++, NULL, err);
    }
    for (size_t i = 0; i < n; i++)
        places[i].at = gt_names_find(names, places[i].path, strlen(places[i].path));
    gt_names_free(names);
    return status;
}

static int add_fields(struct zarr_reader *r, struct gt_group *group, const struct gt_node *nodes, size_t n_nodes, struct gt_err *err)
{
    struct place *places = gt_alloc(n_nodes + 1, sizeof *places, err);
    size_t n = 0;
    int status = places ? 0 : GT_FAIL;

    for (size_t i = 0; i < n_nodes && !status; i++) {
        const char *path = nodes[i].path;
        if (nodes[i].is_array && !strchr(path, '/') && !is_own(path) &&
            (strncmp(path, "variant_", 8) == 0 || strncmp(path, "call_", 5) == 0))
            places[n++].path = path;
    }
    if (!status)
        status = number_places(group, places, n, err);
    if (!status)
        qsort(places, n, sizeof *places, by_place);
    for (size_t i = 0; i < n && !status; i++)
        status = add_field(r, group, places[i].path, err);
    free(places);
    return status;
}

int zr_open_fields(struct zarr_reader *r, struct gt_err *err)
{
    struct gt_group *group = NULL;
    struct gt_node *nodes = NULL;
    size_t n = 0;
    int status = 0;

    if (!r->columns || r->provisional || r->slice >= 0 || (r->layout != ZR_CALLS && r->layout != ZR_SITES)) {
        r->columns = false;
        return 0;
    }
    if (r->group_path)
        status = gt_group_open(&group, r->store, r->group_path, err);
    if (!status)
        status = add_calls(r, group, err);
    if (!status && group && r->site[ZR_CONTIG].array) {
        status = gt_group_nodes(group, &nodes, &n, err);
        if (!status)
            status = add_fields(r, group, nodes, n, err);
        gt_nodes_free(nodes, n);
    }
    gt_group_free(group);
    r->base.info.has |= GT_HAS_COLUMNS;
    r->base.info.record_bytes = zr_record_bytes(r, r->base.info.n_samples);
    return status;
}

void zr_close_fields(struct zarr_reader *r)
{
    for (size_t i = 0; i < r->n_fields; i++) {
        struct zr_field *field = zr_fields(r) + i;
        if (field->kind != GT_RECORD_ALLELES)
            gt_array_free(field->column.array);
        gt_strs_release(&field->column.fill);
        gt_buf_release(&field->take);
        gt_buf_release(&field->take_from);
        free(field->name);
    }
    gt_buf_release(&r->field_list);
    free(r->record_columns.list ? (void *)(uintptr_t)r->record_columns.list : NULL);
    r->n_fields = 0;
}
