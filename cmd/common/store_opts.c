#include "cmd/common/store_opts.h"

#include <stdio.h>
#include <string.h>

#include "core/base/size.h"

static int parse_axis(const char *option, const char *item, size_t n, int64_t chunk[2], const char *text, struct gt_err *err)
{
    static const char *const names[2] = {"variants=", "samples="};
    char number[32];
    for (int axis = 0; axis < 2; axis++) {
        size_t m = strlen(names[axis]);
        if (n <= m || n - m >= sizeof number || memcmp(item, names[axis], m) != 0)
            continue;
        memcpy(number, item + m, n - m);
        number[n - m] = '\0';
        if (axis == 1 && strcmp(number, "-1") == 0) {
            chunk[axis] = -1;
            return GT_OK;
        }
        if (!gt_parse_count(number, &chunk[axis], NULL) && chunk[axis] >= 1 && chunk[axis] <= UINT32_MAX)
            return GT_OK;
        return gt_fail(err, GT_USAGE, "%s '%s': '%s' is not a length", option, text, number);
    }
    return gt_fail(err, GT_USAGE, "%s '%s': not variants=N,samples=M", option, text);
}

static int parse_axes(const char *option, const char *text, int64_t length[2], struct gt_err *err)
{
    int status = GT_OK;
    for (const char *p = text; p && !status; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        status = parse_axis(option, p, strcspn(p, ","), length, text, err);
    return status;
}

int gt_chunks_parse(const char *text, int64_t chunk[2], struct gt_err *err)
{
    return parse_axes("--chunks", text, chunk, err);
}

int gt_shard_parse(const char *text, int zarr_format, int64_t shard[2], struct gt_err *err)
{
    int status = parse_axes("--shard", text, shard, err);
    if (!status && text && zarr_format != 3) {
        status = gt_fail(err, GT_USAGE, "--shard: Zarr %d has no shards", zarr_format);
        gt_hint(err, "add --zarr-format 3");
    }
    return status;
}

void gt_print_chunks(const int64_t chunk[2], const int64_t inner[2])
{
    const int64_t *in = inner[0] ? inner : chunk;
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    printf("chunks         %s variants x %s samples\n", gt_format_count(a, in[0]), gt_format_count(b, in[1]));
    if (inner[0])
        printf("shards         %s variants x %s samples\n", gt_format_count(a, chunk[0]), gt_format_count(b, chunk[1]));
}

int gt_type_parse(const char *text, enum gt_type *type, struct gt_err *err)
{
    static const struct {
        const char *name, *numpy;
        enum gt_type type;
    } types[] = {{"int8", "i1", GT_I8},     {"int16", "i2", GT_I16},  {"int32", "i4", GT_I32},  {"int64", "i8", GT_I64},
                 {"uint8", "u1", GT_U8},    {"uint16", "u2", GT_U16}, {"uint32", "u4", GT_U32}, {"uint64", "u8", GT_U64},
                 {"float32", "f4", GT_F32}, {"float64", "f8", GT_F64}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(text, types[i].name) == 0 || strcmp(text, types[i].numpy) == 0) {
            *type = types[i].type;
            return 0;
        }
    gt_fail(err, GT_USAGE, "--dtype '%s': no such type", text);
    gt_hint(err, "int8 to int64, uint8 to uint64, float32, float64");
    return GT_USAGE;
}
