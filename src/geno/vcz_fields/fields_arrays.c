/* Which arrays there are for the fields of a header, and what is known of them in the end. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/vcz_fields/fields_internal.h"

static const struct fields_array fixed[FIELDS_FIXED] = {
    [FIELD_POSITION] = {.path = "variant_position", .description = "The reference position", .kind = GT_COLUMN_INT, .number = 1},
    [FIELD_LENGTH] = {.path = "variant_length",
                      .description = "The length of the variant measured in bases",
                      .kind = GT_COLUMN_INT,
                      .number = 1},
    [FIELD_QUALITY] = {.path = "variant_quality", .description = "Phred-scaled quality score", .kind = GT_COLUMN_FLOAT, .number = 1},
    [FIELD_ID] = {.path = "variant_id", .description = "List of unique identifiers where applicable", .kind = GT_COLUMN_TEXT, .number = 1},
    [FIELD_ID_MASK] = {.path = "variant_id_mask", .description = "", .kind = GT_COLUMN_BOOL, .number = 1},
    [FIELD_FILTER] = {.path = "variant_filter",
                      .description = "Filter status of the variant",
                      .kind = GT_COLUMN_BOOL,
                      .axis = AXIS_FILTERS},
    [FIELD_ALLELE] = {.path = "variant_allele",
                      .description = "List of the reference and alternate alleles",
                      .kind = GT_COLUMN_TEXT,
                      .axis = AXIS_ALLELES},
    [FIELD_GENOTYPE] = {.path = "call_genotype", .description = "", .kind = GT_COLUMN_INT, .axis = AXIS_PLOIDY, .calls = true},
    [FIELD_PHASED] = {.path = "call_genotype_phased", .description = "", .kind = GT_COLUMN_BOOL, .number = 1, .calls = true},
    [FIELD_MASK] = {.path = "call_genotype_mask", .description = "", .kind = GT_COLUMN_MASK, .axis = AXIS_PLOIDY, .calls = true},
    [FIELD_LOCAL] = {.path = "call_LA",
                     .axis_name = "local_alleles",
                     .description = "0-based indices into REF+ALT, indicating which alleles are relevant (local) for the current sample",
                     .kind = GT_COLUMN_INT,
                     .axis = AXIS_LOCAL,
                     .local = 2,
                     .calls = true},
};

/* --- --fields ------------------------------------------------------------------------- */

/* Is it an item of the list?  "INFO/DP", "FORMAT/DP", "INFO" and "FORMAT" (all of them), or "DP": both. */
static bool listed(const char *list, bool format, const char *name)
{
    const char *group = format ? "FORMAT" : "INFO";
    for (size_t n; *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        size_t g = strlen(group);
        const char *item = list;
        size_t left = n;
        if (n == g && memcmp(list, group, g) == 0)
            return true;
        if (n > g && memcmp(list, group, g) == 0 && list[g] == '/') {
            item += g + 1;
            left -= g + 1;
        }
        if (strlen(name) == left && memcmp(item, name, left) == 0)
            return true;
    }
    return false;
}

static bool is_wanted(const char *list, bool format, const char *name)
{
    if (!list || strcmp(list, "all") == 0)
        return true;
    return strcmp(list, "none") != 0 && listed(list, format, name);
}

static bool is_in_header(const struct gt_vcf_fields *fields, const char *item, size_t n)
{
    const bool format = n > 7 && memcmp(item, "FORMAT/", 7) == 0, info = n > 5 && memcmp(item, "INFO/", 5) == 0;
    const size_t skip = format ? 7 : info ? 5 : 0;
    for (size_t i = 0; i < gt_vcf_fields_n(fields); i++) {
        const char *name = gt_vcf_field_name(fields, i);
        if (strlen(name) == n - skip && memcmp(name, item + skip, n - skip) == 0 && (!skip || gt_vcf_field(fields, i)->format == format))
            return true;
    }
    return false;
}

/* What is asked for must be there. */
static int check_wanted(const struct gt_fields *fields, struct gt_err *err)
{
    const char *list = fields->opts.wanted;
    if (!list || strcmp(list, "all") == 0 || strcmp(list, "none") == 0)
        return 0;
    for (size_t n; *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        if ((n == 4 && memcmp(list, "INFO", 4) == 0) || (n == 6 && memcmp(list, "FORMAT", 6) == 0))
            continue;
        if (!n || !is_in_header(&fields->info->fields, list, n))
            return gt_fail(err, GT_USAGE, "--fields '%.*s': the header of '%s' declares no such field", n < 100 ? (int)n : 100, list,
                           fields->info->name);
    }
    return 0;
}

/* --- the arrays ------------------------------------------------------------------------ */

static enum gt_column_kind kind_of(enum gt_vcf_type type)
{
    static const enum gt_column_kind kinds[] = {GT_COLUMN_INT, GT_COLUMN_FLOAT, GT_COLUMN_BOOL, GT_COLUMN_CHAR, GT_COLUMN_TEXT};
    return kinds[type];
}

static enum fields_axis axis_of(int32_t number)
{
    return number == GT_VCF_PER_ALT        ? AXIS_ALTS
           : number == GT_VCF_PER_ALLELE   ? AXIS_ALLELES
           : number == GT_VCF_PER_GENOTYPE ? AXIS_GENOTYPES
                                           : AXIS_NONE;
}

/* The name is one of an array that is something else, or none that a store can have. */
static int check_path(const struct gt_fields *fields, const char *path, bool format, const char *name, struct gt_err *err)
{
    bool taken = strcmp(path, "variant_contig") == 0;
    for (int i = 0; i < FIELDS_FIXED; i++)
        taken |= i != FIELD_LOCAL && strcmp(path, fixed[i].path) == 0; /* of that one fields_local.c knows */
    if (!taken && *name && !strchr(name, '/') && *name != '.')
        return 0;
    gt_fail(err, GT_INPUT, "'%s': %s/%.100s cannot be an array of VCF Zarr: %s", fields->info->name, format ? "FORMAT" : "INFO", name,
            taken ? "the specification uses that name for another array" : "its name is not a file name");
    gt_hint(err, "exclude it with --fields");
    return GT_INPUT;
}

/* htslib refuses records that have such a field, and VCF 4.3 headers that declare it. */
static int refuse_flag(const struct gt_fields *fields, const char *name, struct gt_err *err)
{
    gt_fail(err, GT_INPUT, "'%s': FORMAT/%.100s has Type=Flag, which FORMAT fields cannot have", fields->info->name, name);
    gt_hint(err, "--fields leaves it out; bcftools reheader gives it another type");
    return GT_INPUT;
}

static int add_array(struct gt_fields *fields, const struct gt_vcf_field *field, struct gt_err *err)
{
    const struct gt_strs *texts = &fields->info->fields.texts;
    const char *name = gt_strs_get(texts, field->name);
    struct fields_array *a = &fields->arrays[fields->n++];
    struct gt_str path = {0}, axis = {0};
    *a = (struct fields_array){.description = gt_strs_get(texts, field->description),
                               .kind = kind_of(field->type),
                               .type = field->type,
                               .axis = field->type == GT_VCF_FLAG ? AXIS_NONE : axis_of(field->number),
                               .number = field->number,
                               .calls = field->format,
                               .left_out = !is_wanted(fields->opts.wanted, field->format, name)};
    gt_str_addf(&path, "%s_%s", field->format ? "call" : "variant", name);
    gt_str_addf(&axis, "%s_%s_dim", field->format ? "FORMAT" : "INFO", name);
    int status = gt_str_take(&path, &a->path, err);
    status = gt_str_take(&axis, &a->axis_name, err) || status ? GT_FAIL : GT_OK;
    if (!status && !a->left_out && field->format && field->type == GT_VCF_FLAG)
        status = refuse_flag(fields, name, err);
    if (!status && !a->left_out)
        status = check_path(fields, a->path, field->format, name, err);
    struct gt_names *names = field->format ? fields->format_names : fields->info_names;
    return status ? status : gt_names_add(names, name, strlen(name), fields->n - 1, NULL, err);
}

int fields_make(struct gt_fields *fields, struct gt_err *err)
{
    const struct gt_vcf_fields *header = &fields->info->fields;
    const size_t n = gt_vcf_fields_n(header);
    bool gt = false;
    fields->info_names = gt_names_new(&fields->engine->budget, err);
    fields->format_names = gt_names_new(&fields->engine->budget, err);
    fields->arrays = gt_alloc(2 * n + FIELDS_FIXED, sizeof *fields->arrays, err); /* and those of fields_literal.c */
    if (!fields->info_names || !fields->format_names || !fields->arrays)
        return GT_FAIL;
    memcpy(fields->arrays, fixed, sizeof fixed);
    fields->n = FIELDS_FIXED;
    int status = check_wanted(fields, err);
    for (size_t i = 0; i < n && !status; i++) {
        const struct gt_vcf_field *field = gt_vcf_field(header, i);
        const bool is_gt = field->format && strcmp(gt_vcf_field_name(header, i), "GT") == 0;
        gt |= is_gt && is_wanted(fields->opts.wanted, true, "GT");
        status = is_gt ? gt_names_add(fields->format_names, "GT", 2, FIELD_GENOTYPE, NULL, err) : add_array(fields, field, err);
    }
    for (int i = FIELD_GENOTYPE; i <= FIELD_MASK; i++)
        fields->arrays[i].left_out = !gt;
    fields->arrays[FIELD_LOCAL].left_out = true;
    status = status ? status : fields_make_local(fields, err);
    status = status ? status : fields_make_literals(fields, err);
    fields_find_counted(fields);
    for (int i = 0; i < fields->n; i++)
        fields->arrays[i].codec =
            fields->arrays[i].kind == GT_COLUMN_TEXT ? "zstd:1"
            : fields->arrays[i].kind == GT_COLUMN_BOOL || fields->arrays[i].kind == GT_COLUMN_MASK || i == FIELD_GENOTYPE
                ? "blosc:zstd:1:bitshuffle:256K"
                : "blosc:zstd:1:shuffle:256K";
    return status;
}

/* --- how wide ------------------------------------------------------------------------------ */

/* a + b - 1 over b: calls of b alleles out of a. */
static int64_t genotypes(int64_t alleles, int64_t ploidy)
{
    double n = 1;
    for (int64_t i = 1; i <= ploidy && n < 1e9; i++)
        n = n * (double)(alleles + i - 1) / (double)i;
    return n < 1e9 ? (int64_t)(n + 0.5) : INT32_MAX;
}

static int64_t axis_length(const struct gt_fields *fields, const struct fields_seen *seen, enum fields_axis axis, int64_t filters)
{
    const int64_t alleles = seen->alleles > 2 ? seen->alleles : 2, ploidy = fields->opts.ploidy > seen->ploidy ? fields->opts.ploidy
                                                                            : seen->ploidy > 1                 ? seen->ploidy
                                                                                                               : 1;
    int64_t most = 1;
    switch (axis) {
    case AXIS_ALLELES:
        return alleles;
    case AXIS_ALTS:
        return alleles - 1;
    case AXIS_PLOIDY:
        return ploidy;
    case AXIS_FILTERS:
        return filters;
    case AXIS_GENOTYPES:
        if (!fields->arrays[FIELD_GENOTYPE].left_out)
            return genotypes(alleles, ploidy);
        for (int i = 0; i < fields->n; i++)
            if (fields->arrays[i].axis == AXIS_GENOTYPES && seen->form[i].k > most)
                most = seen->form[i].k;
        return most;
    default:
        return 0;
    }
}

/* Local alleles have an axis even where nobody has two. */
bool fields_has_axis(const struct fields_array *array, int64_t k)
{
    return array->axis != AXIS_NONE || k > 1 || strcmp(array->path, "call_LAA") == 0;
}

struct gt_column_shape fields_shape(const struct gt_fields *fields, const struct fields_seen *seen, int array, int64_t filters, bool *axis)
{
    const struct fields_array *a = &fields->arrays[array];
    struct gt_column_shape form = seen->form[array];
    if (a->literal_of) {
        form = fields_shape(fields, seen, a->literal_of, filters, axis);
        return (struct gt_column_shape){1, form.k};
    }
    int64_t k = axis_length(fields, seen, a->axis, filters);
    if (a->local) {
        *axis = true;
        return (struct gt_column_shape){form.size, a->local};
    }
    if (a->axis == AXIS_NONE)
        k = a->type == GT_VCF_FLAG && a->kind == GT_COLUMN_BOOL ? 1 : a->number > form.k ? a->number : form.k;
    form.k = k > form.k ? k : form.k;
    form.size = a->kind == GT_COLUMN_CHAR ? 4 : form.size;
    *axis = fields_has_axis(a, form.k);
    /* nobody's calls have two alleles: all count as phased */
    if (array == FIELD_PHASED && axis_length(fields, seen, AXIS_PLOIDY, 0) == 1)
        form.size = 0;
    return form;
}

/* Where there are more values than alleles or genotypes can have it is an axis of its own. */
static const char *axis_name(const struct gt_fields *fields, const struct fields_array *a, int64_t k)
{
    static const char *const names[] = {NULL, "alleles", "alt_alleles", "genotypes", "ploidy", "filters"};
    return a->axis == AXIS_NONE || a->axis == AXIS_LOCAL || (a->axis_name && k != axis_length(fields, &fields->seen, a->axis, 0))
               ? a->axis_name
               : names[a->axis];
}

static enum gt_type type_of(const struct fields_array *a, int size)
{
    switch (a->kind) {
    case GT_COLUMN_INT:
        return size == 1 ? GT_I8 : size == 2 ? GT_I16 : size == 4 ? GT_I32 : GT_I64;
    case GT_COLUMN_FLOAT:
        return GT_F32;
    case GT_COLUMN_CHAR:
        return GT_UCS4;
    case GT_COLUMN_TEXT:
        return GT_STRING;
    default:
        return GT_BOOL;
    }
}

/* Of chunks in shards. */
static int64_t inner_height(const struct gt_fields *fields, int64_t height)
{
    return gt_min_i64(height, fields->opts.inner_variants);
}

int64_t fields_height(const struct gt_fields *fields, int64_t n)
{
    const int64_t inner = n > 0 ? inner_height(fields, n) : 0;
    return inner ? gt_ceil_div(n, inner) * inner : n;
}

int fields_array_new(const struct gt_fields *fields, struct gt_store *store, int array, struct gt_column_shape form, bool axis,
                     int64_t variants, struct gt_array **out, struct gt_err *err)
{
    const struct fields_array *a = &fields->arrays[array];
    struct gt_array_spec spec = {.path = a->path,
                                 .type = type_of(a, form.size),
                                 .item_size = 4,
                                 .codec = fields->opts.codec ? fields->opts.codec : a->codec,
                                 .ndim = 1,
                                 .shape = {variants},
                                 .chunk = {fields->height},
                                 .dim_names = {"variants"}};
    if (a->calls) {
        spec.shape[spec.ndim] = fields->n_samples;
        spec.chunk[spec.ndim] = fields->opts.chunk_samples;
        spec.dim_names[spec.ndim++] = "samples";
    }
    if (axis) {
        spec.shape[spec.ndim] = spec.chunk[spec.ndim] = form.k;
        spec.dim_names[spec.ndim++] = store ? axis_name(fields, a, form.k) : "values";
    }
    if (fields->opts.inner_variants) {
        memcpy(spec.inner, spec.chunk, sizeof spec.inner);
        spec.inner[0] = inner_height(fields, fields->height);
        if (a->calls)
            spec.inner[1] = fields->opts.inner_samples;
    }
    struct json_object *attrs = json_object_new_object();
    if (!gt_json_set_text(attrs, "description", a->own_description ? a->own_description : a->description))
        return json_object_put(attrs), gt_no_memory(err);
    spec.attrs = attrs;
    int status = gt_array_new(out, store, &spec, fields->opts.zarr_format, err);
    json_object_put(attrs);
    return status;
}
