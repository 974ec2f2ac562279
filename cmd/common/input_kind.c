#include "config.h"

#include "cmd/common/input_kind.h"

#include <string.h>

#include "arrays/zarr/group.h"
#include "arrays/zarr/open.h"
#include "geno/model/geno_arrays.h"
#include "geno/model/packed.h"

static bool is_packed(const struct gt_array *array)
{
    const char *slash = strrchr(array->path, '/');
    return gt_packed_is_ours(array) || strcmp(slash ? slash + 1 : array->path, GT_PACKED_ARRAY) == 0;
}

static int refuse_packed(const char *path, struct gt_err *err)
{
    gt_fail(err, GT_USAGE, "--as array: '%s' holds four genotypes in each byte", path);
    gt_hint(err, "gt-rechunk --layout plain --dtype int8 writes one number for each genotype");
    return GT_USAGE;
}

/* Could it be read either way?  Names of genotype arrays say what they are. */
static bool is_unclear(const struct plain *plain, const struct gt_array *array)
{
    if (!plain->is)
        return !is_packed(array) && !gt_array_is_genotypes_by_name(array);
    return array->dtype.type <= GT_U64 && (array->ndim == 2 || array->ndim == 3) && plain->samples_axis < 0;
}

static int look_at_array(struct plain *plain, struct gt_engine *engine, const struct gt_array *array, const char *path, int as,
                         struct gt_err *err)
{
    plain->is = as < 0 ? !gt_array_has_genotypes(array) : as == PLAIN_AS_ARRAY;
    plain->samples_axis = as < 0 ? gt_array_samples_axis(array) : -1;
    plain->unclear = as < 0 && is_unclear(plain, array);
    if (as == PLAIN_AS_ARRAY && is_packed(array))
        return refuse_packed(path, err);
    if (!plain->is || plain->samples_axis < 0)
        return GT_OK;
    int status = gt_array_sample_ids(array, &engine->budget, &plain->ids, err);
    if (status || (int64_t)plain->ids.n != array->shape[plain->samples_axis])
        gt_strs_clear(&plain->ids);
    return status == GT_NOENT ? GT_OK : status;
}

static int refuse_group(const char *path, struct gt_err *err)
{
    gt_fail(err, GT_USAGE, "--as array: '%s' is a group of arrays", path);
    gt_hint(err, "name one of its arrays with --array; gt-info lists them");
    return GT_USAGE;
}

/* A group is looked through by the reader of genotypes. */
static int look_into_store(struct plain *plain, struct gt_engine *engine, const char *path, const char *at, int as, struct gt_err *err)
{
    struct gt_input input = {0};
    struct gt_store *store = NULL;
    struct gt_array *array = NULL;
    struct gt_group *group = NULL;
    struct gt_str inner = {0};
    int status = gt_input_open(&input, path, err);
    if (!status)
        status = gt_zarr_path(&inner, &input, at, err);
    if (!status)
        status = gt_zarr_open_store(&store, engine, &input, true, err);
    if (!status)
        status = gt_array_open(&array, store, inner.s, err);
    if (!status)
        status = look_at_array(plain, engine, array, path, as, err);
    else if (status == GT_NOENT && as == PLAIN_AS_ARRAY && (status = gt_group_open(&group, store, inner.s, err)) == GT_OK)
        status = refuse_group(path, err);
    gt_group_free(group);
    gt_array_free(array);
    gt_store_free(store);
    gt_str_release(&inner);
    gt_input_release(&input);
    return status == GT_NOENT ? GT_OK : status;
}

static int refuse_kind(const struct gt_input *input, int as, struct gt_err *err)
{
    return gt_fail(err, GT_USAGE, "--as %s; '%s' is %s",
                   as == PLAIN_AS_ARRAY ? "array needs a Zarr array or a .npy file" : "genotypes needs a Zarr array", input->name,
                   gt_input_kind_name(input->kind));
}

/* The value of a key in the text up to `end`, if it is a short string. */
static bool find_text(const char *text, const char *end, const char *key, char value[16])
{
    const char *at = memmem(text, (size_t)(end - text), key, strlen(key));
    at = at ? memchr(at + strlen(key), '"', (size_t)(end - at) - strlen(key)) : NULL;
    const char *to = at ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
    if (!to || to - at > 16)
        return false;
    memcpy(value, at + 1, (size_t)(to - at - 1));
    value[to - at - 1] = '\0';
    return true;
}

/* The type of the array whose metadata begin the stream, as they name it; false: they are of something else.  A stream can be read once, so
 * that what was read ahead has to tell. */
static bool type_in_stream(const struct gt_input *input, char type[16])
{
    enum { BLOCK = 512 };
    static const char members[] = "\"consolidated_metadata\"";
    const char *name = (const char *)input->peek, *text = name + BLOCK, *end = name + input->peek_len;
    char node[16];
    name += strncmp(name, "./", 2) == 0 ? 2 : 0;
    if (input->peek_pos || input->peek_len <= BLOCK)
        return false;
    if (strcmp(name, ".zarray") == 0)
        return find_text(text, end, "\"dtype\":", type);
    return strcmp(name, "zarr.json") == 0 && !memmem(text, (size_t)(end - text), members, strlen(members)) &&
           !(find_text(text, end, "\"node_type\":", node) && strcmp(node, "array") != 0) && find_text(text, end, "\"data_type\":", type);
}

static bool begins(const char *type, const char *word)
{
    return strncmp(type, word, strlen(word)) == 0;
}

/* As gt_array_has_genotypes, but that names of axes are not known yet: integers of one byte are genotypes. */
static void look_at_stream(struct plain *plain, const struct gt_input *input)
{
    char type[16];
    if (!type_in_stream(input, type))
        return;
    const bool v2 = *type == '<' || *type == '>' || *type == '|';
    const char *number = v2 ? type + 1 : type;
    const bool integer = v2 ? *number == 'i' || *number == 'u' : begins(number, "int") || begins(number, "uint");
    const bool byte = integer && strcmp(number + strcspn(number, "0123456789"), v2 ? "1" : "8") == 0;
    plain->stream = integer ? !byte : v2 ? *number == 'f' || *number == 'b' : begins(number, "float") || begins(number, "bool");
    plain->unclear = byte;
}

int plain_look(struct plain *plain, struct gt_engine *engine, const struct gt_input *input, const char *path, const char *array, int as,
               struct gt_err *err)
{
    bool again = input->seekable && strcmp(input->path, "-") != 0; /* it can be opened once more */
    bool zarr = input->kind == GT_KIND_ZARR_DIR || input->kind == GT_KIND_ZIP || input->kind == GT_KIND_TAR;
    plain->is = input->kind == GT_KIND_NPY || (zarr && as == PLAIN_AS_ARRAY);
    plain->samples_axis = -1;
    if (as >= 0 && !zarr && plain->is != (as == PLAIN_AS_ARRAY))
        return refuse_kind(input, as, err);
    if (zarr && (again || input->kind != GT_KIND_TAR))
        return look_into_store(plain, engine, path, array, as, err);
    if (zarr && as < 0 && !array)
        look_at_stream(plain, input);
    plain->is = plain->is || plain->stream;
    return GT_OK;
}

void plain_say(const struct plain *plain, struct gt_cli *cli, const char *name)
{
    if (plain->unclear && plain->is)
        gt_note(cli, "reading '%s' as a plain array; --as genotypes reads it as variants x samples", name);
    else if (plain->unclear && plain->samples_axis < 0)
        gt_note(cli, "reading '%s' as genotypes; --as array reads it as a plain array", name);
    else if (plain->unclear)
        gt_note(cli, "reading '%s' as genotypes, since its second axis is named samples; --as array reads it as a plain array", name);
}

int plain_check_axes(const struct gt_matrix_info *info, struct gt_err *err)
{
    if (info->ndim == 2)
        return GT_OK;
    gt_fail(err, GT_USAGE, "'%s' has %d ax%s; a matrix with rows and columns is needed", info->name, info->ndim,
            info->ndim == 1 ? "is" : "es");
    if (info->ndim > 2)
        gt_hint(err, "an index in --slice removes an axis: --slice ':,:,0'");
    return GT_USAGE;
}
