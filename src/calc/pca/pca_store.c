#include "calc/pca/pca_store.h"

#include <math.h>
#include <string.h>

#include "arrays/zarr/open.h"
#include "arrays/zarr/put.h"
#include "calc/pca/variant_match.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/model/ploidy.h"
#include "storage/archive/store_create.h"

/* By enum gt_svd_scale. */
static const char *const scale_name[] = {"binomial", "patterson", "center", "standard", "none"};

enum { VERSION = 1, SCALES = sizeof scale_name / sizeof *scale_name };

/* --- writing ------------------------------------------------------------------------------ */

struct axis {
    const char *name;
    int64_t n;
};

static int put_numbers(struct gt_put *put, const char *path, enum gt_type type, struct axis axis, int64_t columns, const void *values,
                       struct gt_err *err)
{
    struct gt_array_spec spec = {.path = path,
                                 .type = type,
                                 .ndim = columns ? 2 : 1,
                                 .shape = {axis.n, columns},
                                 .dim_names = {axis.name, columns ? "components" : NULL}};
    return gt_put_values(put, &spec, values, err);
}

static int put_texts(struct gt_put *put, const char *path, struct axis axis, int64_t columns, const struct gt_strs *texts,
                     struct gt_err *err)
{
    struct gt_array_spec spec = {
        .path = path, .ndim = columns ? 2 : 1, .shape = {axis.n, columns}, .dim_names = {axis.name, columns ? "alleles" : NULL}};
    return gt_put_texts(put, &spec, texts, err);
}

static int put_samples(struct gt_put *put, const struct gt_svd_stored *what, struct gt_err *err)
{
    const int64_t n = (int64_t)what->ids->n, k = what->k;
    const struct axis samples = {"samples", n};
    struct gt_buf rows = {.budget = put->budget};
    int status = put_texts(put, "sample_id", samples, 0, what->ids, err);
    if (!status && what->fit)
        status = put_numbers(put, "sample_fit", GT_BOOL, samples, 0, what->fit, err);
    if (!status)
        status = gt_buf_resize(&rows, (size_t)(n * k) * sizeof(double), err);
    for (int64_t i = 0; i < n * k && !status; i++)
        gt_buf_f64(&rows)[i] = what->vectors[i % k * n + i / k];
    if (!status)
        status = put_numbers(put, "sample_component", GT_F64, samples, k, rows.data, err);
    gt_buf_release(&rows);
    return status;
}

static int put_values(struct gt_put *put, const struct gt_svd_stored *what, struct gt_err *err)
{
    const struct axis components = {"components", what->k};
    struct gt_buf values = {.budget = put->budget};
    int status = gt_buf_resize(&values, (size_t)what->k * sizeof(double), err);
    for (int64_t c = 0; c < what->k && !status; c++)
        gt_buf_f64(&values)[c] = sqrt(what->values[c]);
    if (!status)
        status = put_numbers(put, "singular_value", GT_F64, components, 0, values.data, err);
    for (int64_t c = 0; c < what->k && !status; c++)
        gt_buf_f64(&values)[c] = what->values[c] / (double)what->variants;
    if (!status)
        status = put_numbers(put, "eigenvalue", GT_F64, components, 0, values.data, err);
    gt_buf_release(&values);
    return status;
}

static int put_scales(struct gt_put *put, const struct gt_svd_model *model, struct gt_err *err)
{
    struct gt_buf scales = {.budget = put->budget};
    int status = gt_buf_resize(&scales, (size_t)model->n * sizeof(double), err);
    for (int64_t v = 0; v < model->n && !status; v++)
        gt_buf_f64(&scales)[v] = 1 / sqrt(gt_buf_f64(&model->weights)[v]);
    if (!status)
        status = put_numbers(put, "variant_scale", GT_F64, (struct axis){"variants", model->n}, 0, scales.data, err);
    gt_buf_release(&scales);
    return status;
}

static int put_variants(struct gt_put *put, const struct gt_svd_model *model, struct gt_err *err)
{
    const struct axis variants = {"variants", model->n}, contigs = {"contigs", (int64_t)model->contigs.n};
    int status = put_texts(put, "contig_id", contigs, 0, &model->contigs, err);
    if (!status)
        status = put_numbers(put, "variant_contig", GT_I32, variants, 0, model->contig.data, err);
    if (!status)
        status = put_numbers(put, "variant_position", GT_I64, variants, 0, model->position.data, err);
    if (!status)
        status = put_texts(put, "variant_id", variants, 0, &model->ids, err);
    if (!status)
        status = put_texts(put, "variant_allele", variants, 2, &model->alleles, err);
    if (!status)
        status = put_numbers(put, "variant_mean", GT_F64, variants, 0, model->means.data, err);
    if (!status)
        status = put_scales(put, model, err);
    return status ? status : put_numbers(put, "variant_component", GT_F64, variants, model->k, model->loadings.data, err);
}

static int put_end(struct gt_put *put, const struct gt_svd_stored *what, struct gt_err *err)
{
    struct json_object *attrs = json_object_new_object(), *own = json_object_new_object();
    bool ok = gt_json_set_int(own, "version", VERSION) && gt_json_set_text(own, "scale", scale_name[what->scale]) &&
              (what->ploidy != GT_HAPLOID || gt_json_set_int(own, GT_PLOIDY_ATTR, what->ploidy)) &&
              gt_json_set_int(own, "variants", what->variants) && gt_json_set_shared(attrs, "gt_svd", own);
    int status = ok ? gt_attrs_add_history(attrs, what->history, err) : gt_no_memory(err);
    if (!status)
        status = gt_put_end(put, attrs, err);
    json_object_put(own);
    json_object_put(attrs);
    return status;
}

int gt_svd_store_write(const char *path, bool replace, const char *plan, const struct gt_svd_stored *what, struct gt_budget *budget,
                       struct gt_err *err)
{
    struct gt_store *store = NULL;
    struct gt_put put = {0};
    int status = gt_store_create(&store, path, replace, plan, err);
    gt_put_begin(&put, store, budget);
    if (!status)
        status = put_samples(&put, what, err);
    if (!status)
        status = put_values(&put, what, err);
    if (!status && what->model)
        status = put_variants(&put, what->model, err);
    if (!status)
        status = put_end(&put, what, err);
    gt_put_release(&put);
    if (!status)
        status = gt_store_finish(store, err);
    gt_store_free(store);
    return status;
}

/* --- reading ------------------------------------------------------------------------------ */

static int no_model(const struct gt_group *group, const char *what, struct gt_err *err)
{
    gt_fail(err, GT_INPUT, "'%s' is not a model: %s", group->store->name, what);
    gt_hint(err, "make a model with gt-svd --loadings");
    return GT_INPUT;
}

static int open_array(struct gt_group *group, const char *name, int ndim, int64_t n, struct gt_array **array, struct gt_err *err)
{
    int status = gt_group_array(group, name, array, err);
    if (status == GT_NOENT)
        return no_model(group, name, err);
    if (!status && ((*array)->ndim != ndim || (n >= 0 && (*array)->shape[0] != n)))
        status = no_model(group, name, err);
    return status;
}

/* n rows; columns 0: of one dimension. */
static int read_numbers(struct gt_group *group, const char *name, enum gt_type type, int64_t n, int64_t columns, struct gt_buf *into,
                        struct gt_err *err)
{
    const int ndim = columns ? 2 : 1;
    struct gt_array *array = NULL;
    int status = open_array(group, name, ndim, n, &array, err);
    if (!status && (array->dtype.type != type || array->dtype.big_endian || (ndim == 2 && array->shape[1] != columns)))
        status = no_model(group, name, err);
    if (!status)
        status = gt_array_read_all(array, into, err);
    gt_array_free(array);
    return status;
}

static int read_texts(struct gt_group *group, const char *name, int ndim, int64_t n, struct gt_strs *into, struct gt_err *err)
{
    struct gt_array *array = NULL;
    int status = open_array(group, name, ndim, n, &array, err);
    if (!status && (array->dtype.type != GT_STRING || (ndim == 2 && array->shape[1] != 2)))
        status = no_model(group, name, err);
    if (!status)
        status = gt_array_read_strings(array, into->budget, into, err);
    gt_array_free(array);
    return status;
}

static int read_attrs(struct gt_svd_model *model, const struct gt_group *group, struct gt_err *err)
{
    struct json_object *own = gt_json_get(group->attrs, "gt_svd");
    const char *scale = gt_json_text(own, "scale");
    int64_t version = 0, ploidy = GT_DIPLOID;
    size_t i = 0;
    if (!own || !gt_json_i64(gt_json_get(own, "version"), &version) || !gt_json_i64(gt_json_get(own, "variants"), &model->variants))
        return no_model(group, "gt_svd is not among its attributes", err);
    if (version != VERSION)
        return gt_fail(err, GT_INPUT, "'%s' is a model of version %lld; this program reads version %d", group->store->name,
                       (long long)version, VERSION);
    while (i < SCALES && scale && strcmp(scale, scale_name[i]) != 0)
        i++;
    if (!scale || i == SCALES)
        return no_model(group, "its scale is unknown", err);
    model->scale = (enum gt_svd_scale)i;
    gt_json_i64(gt_json_get(own, GT_PLOIDY_ATTR), &ploidy);
    model->ploidy = ploidy == GT_HAPLOID ? GT_HAPLOID : GT_DIPLOID;
    return GT_OK;
}

/* Numbers that projections stand on. */
static int check(const struct gt_svd_model *model, const struct gt_group *group, struct gt_err *err)
{
    bool ok = model->variants >= model->n;
    for (int64_t c = 0; c < model->k; c++)
        ok = ok && isfinite(gt_buf_f64(&model->values)[c]) && gt_buf_f64(&model->values)[c] >= 0;
    for (int64_t v = 0; v < model->n; v++) {
        const int32_t contig = ((const int32_t *)(const void *)model->contig.data)[v];
        const double mean = gt_buf_f64(&model->means)[v], weight = gt_buf_f64(&model->weights)[v];
        ok = ok && contig >= -1 && contig < (int64_t)model->contigs.n && mean >= 0 && mean <= model->ploidy && weight > 0 &&
             isfinite(weight);
    }
    for (int64_t i = 0; i < model->n * model->k; i++)
        ok = ok && fabs(gt_buf_f64(&model->loadings)[i]) <= 1.001;
    return ok ? GT_OK : no_model(group, "some of its values cannot come from a decomposition", err);
}

/* Of a variant: its id and alleles, unless they are long, with where they stand. */
enum { TEXT_BYTES = 64 };

/* GT_NOFIT if the model and its variant index do not fit in memory; the memory of samples is not known yet. */
static int check_memory(const struct gt_engine *engine, int64_t n, int64_t k, struct gt_err *err)
{
    const int64_t each = gt_bytes_add(gt_bytes_mul(k + 3, (int64_t)sizeof(double)), TEXT_BYTES);
    const int64_t need = gt_bytes_add(gt_bytes_mul(n, each), gt_svd_match_bytes(n));
    const int64_t room = engine->budget.limit - atomic_load(&engine->budget.used);
    char variants[GT_NUM_LEN], takes[GT_NUM_LEN], memory[GT_NUM_LEN], left[GT_NUM_LEN];
    if (need <= room)
        return GT_OK;
    gt_fail(err, GT_NOFIT, "the model's %s variants take %s, but with a memory limit of %s only %s is left for data",
            gt_format_count(variants, n), gt_format_size(takes, need), gt_format_size(memory, engine->limits.memory),
            gt_format_size(left, room > 0 ? room : 0));
    gt_hint(err, "use --memory %lldM or more", (long long)gt_memory_plan_ceiling(engine, need));
    return GT_NOFIT;
}

/* Variants and components. */
static int read_shape(struct gt_group *group, int64_t *n, int64_t *k, struct gt_err *err)
{
    struct gt_array *array = NULL;
    int status = open_array(group, "variant_component", 2, -1, &array, err);
    *n = status ? 0 : array->shape[0];
    *k = status ? 0 : array->shape[1];
    gt_array_free(array);
    return status;
}

static int read_group(struct gt_svd_model *model, struct gt_group *group, const struct gt_engine *engine, struct gt_err *err)
{
    int64_t k, n;
    int status = read_attrs(model, group, err);
    if (!status)
        status = read_shape(group, &n, &k, err);
    if (!status)
        status = check_memory(engine, n, k, err);
    if (!status)
        status = read_numbers(group, "singular_value", GT_F64, k, 0, &model->values, err);
    if (!status)
        status = read_numbers(group, "variant_mean", GT_F64, n, 0, &model->means, err);
    if (!status)
        status = read_numbers(group, "variant_scale", GT_F64, n, 0, &model->weights, err);
    if (!status)
        status = read_numbers(group, "variant_component", GT_F64, n, k, &model->loadings, err);
    if (!status)
        status = read_numbers(group, "variant_contig", GT_I32, n, 0, &model->contig, err);
    if (!status)
        status = read_numbers(group, "variant_position", GT_I64, n, 0, &model->position, err);
    if (!status)
        status = read_texts(group, "contig_id", 1, -1, &model->contigs, err);
    if (!status)
        status = read_texts(group, "variant_id", 1, n, &model->ids, err);
    if (!status)
        status = read_texts(group, "variant_allele", 2, n, &model->alleles, err);
    model->k = status ? 0 : k;
    model->n = status ? 0 : n;
    for (int64_t c = 0; c < model->k; c++)
        gt_buf_f64(&model->values)[c] *= gt_buf_f64(&model->values)[c];
    for (int64_t v = 0; v < model->n; v++)
        gt_buf_f64(&model->weights)[v] = 1 / (gt_buf_f64(&model->weights)[v] * gt_buf_f64(&model->weights)[v]);
    return status ? status : check(model, group, err);
}

int gt_svd_store_read(struct gt_svd_model *model, struct gt_engine *engine, struct gt_input *input, struct gt_err *err)
{
    const bool zarr = input->kind == GT_KIND_ZARR_DIR || input->kind == GT_KIND_ZIP || input->kind == GT_KIND_TAR;
    struct gt_store *store = NULL;
    struct gt_group *group = NULL;
    struct gt_str inner = {0};
    int status = zarr ? GT_OK : gt_fail(err, GT_INPUT, "'%s' is %s, not a model", input->name, gt_input_kind_name(input->kind));
    if (!status)
        status = gt_zarr_path(&inner, input, NULL, err);
    if (!status)
        status = gt_zarr_open_store(&store, engine, input, true, err);
    if (!status)
        status = gt_group_open(&group, store, inner.s, err);
    if (status == GT_NOENT)
        status = gt_zarr_fail_absent(store, inner.s, err);
    if (!status)
        status = read_group(model, group, engine, err);
    gt_group_free(group);
    gt_store_free(store);
    gt_str_release(&inner);
    return status;
}
