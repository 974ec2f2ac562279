#include "cmd/rechunk/rechunk_dry_run.h"

#include <stdio.h>
#include <string.h>

#include "cmd/common/report.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "storage/archive/store_create.h"
#include "storage/codec/shard.h"

/* Rates that machines of today come near to, bytes a second: of a thread that decodes or encodes, with LZ4 or without codec and
 * with others, moving the items too, and of all of them where they copy files. */
static const double QUICK = 2.5e9, DECODING = 800e6, ENCODING = 300e6, COPYING = 1.5e9;

static bool is_quick(const struct gt_array *array)
{
    const struct gt_shard *shard = gt_codec_shard(array->codecs);
    const char *codec = gt_codec_describe(shard ? shard->inner : array->codecs);
    return strncmp(codec, "none", 4) == 0 || strncmp(codec, "lz4", 3) == 0 || strncmp(codec, "blosc:lz4:", 10) == 0;
}

/* Of one thread, to decode and encode that many bytes. */
static double coding_seconds(const struct gt_rechunk_job *job, int64_t in, int64_t out)
{
    return (double)in / (is_quick(job->source) ? QUICK : DECODING) + (double)out / (is_quick(job->array) ? QUICK : ENCODING);
}

static int64_t items_of(int ndim, const int64_t *shape)
{
    int64_t items = 1;
    for (int i = 0; i < ndim; i++)
        items = gt_bytes_mul(items, shape[i]);
    return items;
}

/* Texts take more than this; how much more nobody knows. */
static int64_t size_of(const struct gt_rechunk_end *end)
{
    return end->item ? (int64_t)end->item : 4;
}

static void add_job(struct rechunk_totals *t, const struct gt_rechunk_job *job, int threads)
{
    const int64_t items = items_of(job->to.ndim, job->to.shape), in = gt_bytes_mul(items, size_of(&job->from)),
                  out = gt_bytes_mul(items, size_of(&job->to));
    t->units = gt_bytes_add(t->units, job->units);
    t->decodes = gt_bytes_add(t->decodes, job->decodes);
    t->mixed = t->mixed || job->way == GT_RECHUNK_GATHER;
    t->chunks = gt_bytes_add(t->chunks, job->chunks);
    t->read = gt_bytes_add(t->read, in);
    t->written = gt_bytes_add(t->written, out);
    t->spilled = gt_bytes_add(t->spilled, job->spilled);
    t->peak = job->peak > t->peak ? job->peak : t->peak;
    t->minimum = job->minimum > t->minimum ? job->minimum : t->minimum;
    if (job->way == GT_RECHUNK_COPY)
        t->seconds += (double)in / COPYING;
    else
        t->seconds += coding_seconds(job, in, out) / threads + 2 * (double)job->spilled / QUICK;
}

struct rechunk_totals rechunk_totals(const struct gt_rechunk_store *store)
{
    struct rechunk_totals t = {0};
    for (size_t i = 0; i < store->n_jobs; i++)
        add_job(&t, &store->job[i], store->engine->limits.threads * store->engine->comm.size);
    return t;
}

/* --- print --------------------------------------------------------------------------------- */

static const char *way_of(const struct gt_rechunk_job *job)
{
    switch (job->way) {
    case GT_RECHUNK_COPY:
        return "copied as they are stored";
    case GT_RECHUNK_SPILL:
        return "two passes, through a file";
    default:
        return "one pass";
    }
}

static void print_shape(int ndim, const int64_t *shape)
{
    char a[GT_NUM_LEN];
    for (int i = 0; i < ndim; i++)
        printf("%s%s", i ? " x " : "", gt_format_count(a, shape[i]));
    if (!ndim)
        printf("1");
}

/* Sides of chunks in items: of packed genotypes each byte has four. */
static void count_items(const struct gt_rechunk_end *end, const int64_t *sides, int64_t *items)
{
    for (int i = 0; i < end->ndim; i++)
        items[i] = sides[i] * (end->form == GT_ITEMS_PACKED && i == 1 ? 4 : 1);
}

static void print_end(const struct gt_rechunk_end *end, const struct gt_array *array)
{
    const struct gt_dtype dtype = {.type = end->type, .size = end->item};
    const struct gt_shard *shard = gt_codec_shard(array->codecs);
    int64_t chunk[GT_MAX_DIMS], whole[GT_MAX_DIMS];
    char name[GT_DTYPE_NAME];
    count_items(end, array->unit, chunk);
    count_items(end, array->chunk, whole);
    print_shape(end->ndim, end->shape);
    printf(" %s%s in chunks of ",
           end->form == GT_ITEMS_PACKED  ? "packed "
           : end->form == GT_ITEMS_CALLS ? "dosages, as calls, "
                                         : "",
           gt_dtype_name_v3(&dtype, name));
    print_shape(end->ndim, chunk);
    if (shard) {
        printf(" in shards of ");
        print_shape(end->ndim, whole);
    }
    printf(", %s\n", gt_codec_describe(shard ? shard->inner : array->codecs));
}

static void print_job(const struct gt_rechunk_job *job)
{
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN];
    printf("array          %s: ", *job->source->path ? job->source->path : "(root)");
    print_end(&job->from, job->source);
    printf("            -> %s: ", *job->array->path ? job->array->path : "(root)");
    print_end(&job->to, job->array);
    printf("               %s read, %s written: %s\n", gt_format_things(a, job->units, "chunk"), gt_format_things(b, job->chunks, "chunk"),
           way_of(job));
}

static void print_decodes(const struct rechunk_totals *t)
{
    char a[GT_NUM_LEN];
    printf("decodes        every chunk of the input once");
    if (t->decodes > t->units)
        printf(", except %s: at most %s, of %s", t->mixed ? "items that --pick reorders" : "strings of variable length",
               gt_format_count(a, t->decodes), gt_format_count((char[GT_NUM_LEN]){0}, t->units));
    printf("\n");
}

void rechunk_print_plan(const struct gt_cli *cli, const struct gt_rechunk_store *store, const struct gt_store *source, bool npy)
{
    const struct rechunk_totals t = rechunk_totals(store);
    char a[GT_NUM_LEN];
    printf("input          %s (%s)\n", source->name, source->ops->kind);
    if (npy)
        printf("output         %s, NumPy array\n", gt_is_stdout(cli->output) ? "standard output" : cli->output);
    else
        printf("output         %s, Zarr %d\n", gt_is_stdout(cli->output) ? "standard output (tar stream)" : cli->output,
               store->zarr_format);
    for (size_t i = 0; i < store->n_jobs; i++)
        print_job(&store->job[i]);
    printf("passes         %s\n", t.spilled ? "2: one over the input, one over what was spilled" : "1");
    print_decodes(&t);
    printf("read           %s, decoded\n", gt_format_size(a, t.read));
    printf("written        %s, before it is encoded\n", gt_format_size(a, t.written));
    printf("spilled        %s%s%s\n", gt_format_size(a, t.spilled), t.spilled ? " to one file in " : "",
           t.spilled ? cli->engine.tmpdir : "");
    if (!npy && gt_store_is_directory(cli->output))
        printf("chunk files    %s\n", gt_format_count(a, t.chunks));
    if (cli->comm.size > 1)
        printf("ranks          %d: each reads what its part of the chunks of an array is made of\n", cli->comm.size);
    gt_print_memory(cli);
    printf("time           about %.3g s\n", t.seconds);
    printf("threads        %d\n", cli->engine.limits.threads);
}
