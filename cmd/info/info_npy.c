/* A NumPy .npy: what it is, or its first rows. */
#include "cmd/info/info.h"

#include "core/base/json.h"

static struct json_object *npy_json(const struct gt_matrix_info *info)
{
    struct json_object *obj = json_object_new_object(), *shape = json_object_new_array();
    char type[GT_DTYPE_NAME];
    struct gt_dtype dtype = gt_dtype_of(info->stored);
    bool ok = shape;
    for (int i = 0; i < info->ndim && ok; i++)
        ok = gt_json_add(shape, json_object_new_int64(info->shape[i]));
    ok = gt_json_set(obj, "shape", shape) && ok;
    ok = ok && gt_json_set_text(obj, "name", info->name) && gt_json_set_text(obj, "kind", info->kind) &&
         gt_json_set_text(obj, "dtype", gt_dtype_name_v3(&dtype, type));
    return gt_json_if_complete(obj, ok);
}

static void npy_text(const struct gt_matrix_info *info, struct gt_str *out)
{
    char type[GT_DTYPE_NAME];
    struct gt_dtype dtype = gt_dtype_of(info->stored);
    gt_str_addf(out, "%s: NumPy array of %s (", info->name, gt_dtype_name_v3(&dtype, type));
    for (int i = 0; i < info->ndim; i++)
        gt_str_addf(out, "%s%lld", i ? ", " : "", (long long)info->shape[i]);
    gt_str_add(out, ")\n");
}

static int show(const struct gt_cli *cli, struct gt_matrix *matrix, int64_t head, struct gt_outfile *out, struct gt_err *err)
{
    struct gt_str text = {0};
    int status;
    if (cli->dry_run)
        gt_str_add(&text, head >= 0 ? "the header and the values shown are read\n" : "the header is read\n");
    else if (head >= 0)
        return info_head_numbers(cli, matrix, head, out, err);
    else if (cli->json)
        return info_write_json(out, npy_json(gt_matrix_info(matrix)), err);
    else
        npy_text(gt_matrix_info(matrix), &text);
    status = gt_text_put(out, &text, 0, err);
    gt_str_release(&text);
    return !status && cli->dry_run && head >= 0 ? info_head_numbers(cli, matrix, head, out, err) : status;
}

int info_npy(struct gt_cli *cli, struct gt_input *input, const char *array, int64_t head, struct gt_outfile *out, struct gt_err *err)
{
    const struct gt_matrix_opts opts = {.array = array};
    struct gt_matrix *matrix = NULL;
    int status = gt_matrix_open(&matrix, &cli->engine, input, &opts, err);
    status = status ? status : show(cli, matrix, head, out, err);
    gt_matrix_free(matrix);
    return status;
}
