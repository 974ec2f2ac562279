/* gt-rechunk: rewrites a Zarr store, an array of one or a .npy file with other chunks. */
#include <stdio.h>
#include <string.h>

#include "arrays/matrix/npy_store.h"
#include "arrays/zarr/open.h"
#include "calc/rechunk/npy_from_array.h"
#include "calc/rechunk/store_job.h"
#include "cmd/common/cli.h"
#include "cmd/common/formats.h"
#include "cmd/common/outputs.h"
#include "cmd/common/ranks.h"
#include "cmd/common/report.h"
#include "cmd/common/resume.h"
#include "cmd/common/store_opts.h"
#include "cmd/rechunk/rechunk_dry_run.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "storage/archive/store_create.h"
#include "storage/input/input.h"

static const char *chunks, *shard, *slice, *pick, *order, *reduce, *dtype, *codec, *array_path;
static int64_t chunk_bytes = -1;
static bool transpose, no_update, skip_missing, drop_empty;
static int cast, layout = -1, zarr_format = -1, format = -1; /* indices into the choices */
static bool npy;

static const struct gt_opt options[] = {
    {'c', "chunks", GT_OPT_TEXT, &chunks, "SHAPE", NULL, "chunk shape: 1000,100,-1 or variants=1000,samples=-1 or auto"},
    {0, "chunk-bytes", GT_OPT_SIZE, &chunk_bytes, "SIZE", NULL, "size of chunks whose lengths are auto (default 16M)"},
    {0, "slice", GT_OPT_TEXT, &slice, "SLICES", NULL, "NumPy slices of the main array: ':,::10,1', or of axes: time=:10"},
    {0, "transpose", GT_OPT_FLAG, &transpose, NULL, NULL, "reverse the order of the axes"},
    {0, "reduce", GT_OPT_TEXT, &reduce, "OP:AXES", NULL, "sum, prod, mean, min, max, std, var, any, all, count over axes, or nansum, ..."},
    {0, "dtype", GT_OPT_TEXT, &dtype, "T", NULL, "convert to another data type, such as int8 or float32"},
    {0, "codec", GT_OPT_TEXT, &codec, "SPEC", NULL, "compression: zstd:1, gzip:6, lz4, blosc:..., none"},
    {0, "array", GT_OPT_TEXT, &array_path, "PATH", NULL, "copy only this array or group (default: the whole store)"},
    {'O', "output-format", GT_OPT_CHOICE, &format, NULL, "zarr|vcz|npy", "output format (default: by file name)"},
    {0, "zarr-format", GT_OPT_CHOICE, &zarr_format, NULL, "2|3", "Zarr format version (default: that of the input)"},
    {0, "shard", GT_OPT_TEXT, &shard, "SHAPE", NULL, "put chunks into shards of this shape (Zarr 3)"},
    {0, "layout", GT_OPT_CHOICE, &layout, NULL, "packed|plain|calls", "store genotypes in 2 bits, as int8 allele counts, or as calls"},
    {0, "pick", GT_OPT_TEXT, &pick, "AXIS:LIST", NULL, "take items of an axis: indices such as 10,1,5, or a file of indices or a mask"},
    {'I', "no-update", GT_OPT_FLAG, &no_update, NULL, NULL, "keep variant_AC, AN and AF when samples are selected"},
    {0, "order", GT_OPT_TEXT, &order, "AXES", NULL, "order of the axes: names or numbers"},
    {0, "skip-missing", GT_OPT_FLAG, &skip_missing, NULL, NULL, "with --reduce: ignore NaN, missing genotypes and fill values"},
    {0, "drop-empty", GT_OPT_FLAG, &drop_empty, NULL, NULL, "do not write chunks that hold only the fill value"},
    {0, "cast", GT_OPT_CHOICE, &cast, NULL, "safe|unsafe", "with --dtype: fail on values that do not fit (default), or wrap them"},
    {0},
};

enum { NPY = 2 }; /* of the formats */

static int parse_dtype(int *type, struct gt_err *err)
{
    enum gt_type number;
    *type = -1;
    if (!dtype)
        return 0;
    if (strcmp(dtype, "bool") == 0)
        number = GT_BOOL;
    else if (strcmp(dtype, "float16") == 0 || strcmp(dtype, "f2") == 0)
        number = GT_F16;
    else if (gt_type_parse(dtype, &number, err))
        return GT_USAGE;
    *type = (int)number;
    return 0;
}

/* Files of --pick are inputs, too. */
static int register_index_files(struct gt_err *err)
{
    int status = 0;
    for (const char *p = pick, *next; p && !status; p = next) {
        struct gt_index_list_arg part;
        status = gt_index_list_arg(&part, p, &next, err);
        if (!status && part.path)
            status = gt_input_register(part.path, err);
        gt_index_list_arg_release(&part);
    }
    return status;
}

/* Nothing is in chunks there. */
static int check_npy(const struct gt_cli *cli, struct gt_err *err)
{
    static const char *const of_stores[] = {"chunks", "chunk-bytes", "shard", "codec", "zarr-format", "drop-empty", "resume", "verify"};
    for (size_t i = 0; i < sizeof of_stores / sizeof *of_stores; i++)
        if (gt_given(cli, of_stores[i]))
            return gt_fail(err, GT_USAGE, "--%s needs a store as output, but '%s' is a NumPy array", of_stores[i], cli->output);
    return layout == 0 || layout == 2 ? gt_fail(err, GT_USAGE, "--layout %s needs a store as output, but '%s' is a NumPy array",
                                                layout ? "calls" : "packed", cli->output)
                                      : 0;
}

static int check(struct gt_cli *cli, struct gt_err *err)
{
    int chosen, type, status = parse_dtype(&type, err);
    if (!status && cast && !dtype)
        status = gt_fail(err, GT_USAGE, "--cast needs --dtype");
    if (!status && skip_missing && !reduce)
        status = gt_fail(err, GT_USAGE, "--skip-missing needs --reduce");
    if (!status && gt_given(cli, "chunk-bytes") && (chunk_bytes < 1 || (chunks && !strstr(chunks, "auto"))))
        status = chunk_bytes < 1 ? gt_fail(err, GT_USAGE, "--chunk-bytes: a chunk has at least one byte")
                                 : gt_fail(err, GT_USAGE, "--chunk-bytes needs lengths that are auto, as in -c time=auto");
    if (!status && transpose && order)
        status = gt_fail(err, GT_USAGE, "--transpose cannot be combined with --order");
    status = status ? status : register_index_files(err);
    status = status ? status : gt_format_choose("gt-rechunk", cli->output, "zarr|vcz|npy", format, &chosen, err);
    npy = !status && chosen == NPY;
    status = status || !npy ? status : check_npy(cli, err);
    status = status ? status : gt_check_version(cli, !npy, "a store as output", err);
    status = status ? status : gt_ranks_need_directory(cli, npy ? "a NumPy array" : NULL, err);
    return status ? status : gt_output_add("-o", cli->output, npy ? "npy" : "store", err);
}

/* --- what was done --------------------------------------------------------------------- */

static int print_json(const struct gt_cli *cli, const struct gt_rechunk_store *store, struct gt_err *err)
{
    const struct rechunk_totals t = rechunk_totals(store);
    struct json_object *o = json_object_new_object();
    bool ok = gt_json_set_int(o, "arrays", (int64_t)store->n_jobs) && gt_json_set_int(o, "chunks_read", t.units) &&
              gt_json_set_int(o, "chunks_written", t.chunks) && gt_json_set_int(o, "bytes_read", store->bytes_read) &&
              gt_json_set_int(o, "bytes_written", store->bytes_written) && gt_json_set_int(o, "bytes_spilled", t.spilled) &&
              gt_json_set_int(o, "chunks_kept", store->chunks_kept) && gt_json_set_int(o, "bytes_kept", store->bytes_kept) &&
              gt_json_set_real(o, "seconds", gt_elapsed(cli)) && gt_json_set_int(o, "threads", cli->engine.limits.threads) &&
              gt_json_set_int(o, "ranks", cli->comm.size);
    return gt_print_summary(cli, gt_json_if_complete(o, ok), err);
}

static void say_summary(struct gt_cli *cli, const struct gt_rechunk_store *store)
{
    const struct rechunk_totals t = rechunk_totals(store);
    char a[GT_THINGS_LEN], b[GT_NUM_LEN], c[GT_NUM_LEN], d[GT_NUM_LEN];
    gt_note(cli, "%s: %s read, %s written%s%s, %.2f s", gt_format_things(a, (int64_t)store->n_jobs, "array"),
            gt_format_size(b, store->bytes_read), gt_format_size(c, store->bytes_written), t.spilled ? ", spilled " : "",
            t.spilled ? gt_format_size(d, t.spilled) : "", gt_elapsed(cli));
    gt_print_notes(cli, &store->notes);
    if (store->chunks_kept)
        gt_note(cli, "%s of an earlier run kept, %s", gt_format_things(a, store->chunks_kept, "chunk"),
                gt_format_size(b, store->bytes_kept));
    if (store->opts.layout == GT_LAYOUT_CALLS && !store->group)
        gt_note(cli, "a single array does not show which variants are multiallelic: all are written as biallelic");
    if (store->dropped_counts)
        gt_warn(cli, "variant_AC, variant_AN and variant_AF are dropped: they count all samples (-I keeps them)");
    if (store->undropped)
        gt_warn(cli, "'%s': --drop-empty has no effect: the output has no fill value (in Zarr 3 every array has one)", store->undropped);
    if (store->missing_reduced)
        gt_warn(cli, "'%s': --reduce takes missing values as numbers (--skip-missing leaves them out)", store->missing_reduced);
    if (store->dropped_index)
        gt_note(cli, "region_index dropped: it describes the old chunks");
}

/* --- all of it ---------------------------------------------------------------------------- */

static int write_npy(struct gt_cli *cli, struct gt_rechunk_store *store, struct gt_err *err)
{
    struct gt_store *out;
    int status =
        gt_npy_store_create(&out, cli->output, store->job[0].array, gt_rechunk_name(store->job[0].source), cli->engine.tmpdir, err);
    status = status ? status : gt_rechunk_store_run(store, out, true, err);
    status = status ? status : gt_store_finish(out, err);
    gt_store_free(out);
    return status;
}

/* *there: under --resume it was finished before. */
static int write_store(struct gt_cli *cli, struct gt_rechunk_store *store, bool *there, struct gt_err *err)
{
    struct gt_store *out;
    int status = gt_resume_create(cli, &out, err);
    if (status || !out) {
        *there = !status;
        return status;
    }
    status = gt_rechunk_store_run(store, out, gt_store_is_stream(cli->output), err);
    return gt_resume_finish(cli, out, status, err);
}

static int rechunk(struct gt_cli *cli, struct gt_store *source, const char *path, struct gt_err *err)
{
    struct gt_rechunk_opts opts = {.chunks = chunk_bytes > 0 && !chunks ? "auto" : chunks,
                                   .chunk_bytes = chunk_bytes > 0 ? chunk_bytes : INT64_C(16) << 20,
                                   .shard = shard,
                                   .slice = slice,
                                   .pick = pick,
                                   .select = &cli->select,
                                   .selected_by = cli->selected_by,
                                   .transpose = transpose,
                                   .order = order,
                                   .reduce = reduce,
                                   .skip_missing = skip_missing,
                                   .drop_empty = drop_empty,
                                   .wrap = cast == 1,
                                   .no_update = no_update,
                                   .codec = codec,
                                   .zarr_format = zarr_format < 0 ? 0 : zarr_format + 2,
                                   .npy = npy,
                                   .layout = (enum gt_rechunk_layout)(layout + 1),
                                   .history = cli->history};
    struct gt_rechunk_store store = {0};
    int status = parse_dtype(&opts.type, err);
    status = status ? status : gt_rechunk_store_open(&store, &cli->engine, source, path, &opts, err);
    if (!status && cli->dry_run) {
        rechunk_print_plan(cli, &store, source, npy);
        gt_print_notes(cli, &store.notes);
        status = cli->resume ? gt_resume_print(cli, rechunk_totals(&store).chunks, err) : 0;
    } else if (!status) {
        bool there = false;
        status = npy ? write_npy(cli, &store, err) : write_store(cli, &store, &there, err);
        if (!status && !there)
            say_summary(cli, &store);
        if (!status && cli->json)
            status = print_json(cli, &store, err);
    }
    gt_rechunk_store_release(&store);
    return status;
}

static int check_kind(const struct gt_input *input, struct gt_err *err)
{
    if (input->kind == GT_KIND_NPY && array_path)
        return gt_fail(err, GT_USAGE, "--array needs a store, but '%s' is a NumPy array", input->name);
    if (input->kind == GT_KIND_ZARR_DIR || input->kind == GT_KIND_ZIP || input->kind == GT_KIND_TAR || input->kind == GT_KIND_NPY)
        return 0;
    gt_fail(err, GT_INPUT, "'%s' is neither a store nor a .npy file: it is %s", input->name, gt_input_kind_name(input->kind));
    gt_hint(err, "make a store with gt-pack");
    return GT_INPUT;
}

static int open_source(struct gt_cli *cli, struct gt_input *input, struct gt_store **source, struct gt_str *path, struct gt_err *err)
{
    if (input->kind == GT_KIND_NPY) {
        gt_str_add(path, "");
        int status = gt_str_check(path, err);
        return status ? status : gt_npy_store_open(source, &cli->engine, input, err);
    }
    int status = gt_zarr_path(path, input, array_path, err);
    return status ? status : gt_zarr_open_store(source, &cli->engine, input, true, err);
}

static int run(struct gt_cli *cli, struct gt_err *err)
{
    struct gt_input input = {0};
    struct gt_store *source = NULL;
    struct gt_str path = {0};
    if (cli->n_operands > 1)
        return gt_fail(err, GT_USAGE, "more than one input: '%s' and '%s'", cli->operands[0], cli->operands[1]);
    int status = gt_input_open(&input, cli->operands[0], err);
    status = status ? status : check_kind(&input, err);
    status = status ? status : open_source(cli, &input, &source, &path, err);
    status = status ? status : rechunk(cli, source, path.s, err);
    gt_store_free(source);
    gt_input_release(&input);
    gt_str_release(&path);
    return status;
}

static const struct gt_cmd command = {
    .name = "gt-rechunk",
    .summary = "rechunk, recompress, slice, transpose or reduce Zarr or .npy arrays",
    .synopsis = "[-c SHAPE] [--slice SLICES] [--transpose] [--dtype T] [--codec SPEC] [-o OUT] [IN]",
    .examples = "  gt-rechunk -c variants=1000,samples=-1 cohort.zarr -o rows.zarr\n"
                "  gt-rechunk --slice ':,:,1' --transpose x.zarr/calldata/GT -o g.zarr\n"
                "  gt-rechunk --codec blosc:zstd:5:shuffle --zarr-format 3 in.zarr -o out.zip\n"
                "  gt-rechunk -c 1000,-1 x.npy -o x.zarr\n"
                "  gt-rechunk --pick samples:keep.txt --reduce mean:variants x.zarr -o mean.npy\n",
    .options = options,
    .shared = GT_SHARED_RESOURCES | GT_SHARED_WATCH | GT_SHARED_OUTPUT | GT_SHARED_RESUME | GT_SHARED_PLACES,
    .check = check,
    .takes_input = true,
    .ranks = true,
    .run = run,
};

int main(int argc, char **argv)
{
    return gt_cli_main(argc, argv, &command);
}
