/* gt_pack_run from a made-up reader to a store in memory, read back by the Zarr
 * layer and compared item by item. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "arrays/zarr/group.h"
#include "calc/convert/pack.h"
#include "geno/model/reader.h"
#include "storage/store/memory_store.h"
#include "test/support/tap.h"

struct shape {
    int64_t samples, variants, chunk_variants, chunk_samples, block;
    int wide_from;     /* from this variant on some sites have more alleles */
    int contigs_known; /* in the header; the data have 3 */
    int format;
    bool stream, announced;
};

static uint32_t hash(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u) * 0xc2b2ae3d27d4eb4fu;

    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x >> 32);
}

/* --- what the data are ----------------------------------------------------- */
static int dosage(int64_t v, int64_t s)
{
    return (int)(hash((uint64_t)v, (uint64_t)s) & 3);
}
static int n_alleles(const struct shape *shape, int64_t v)
{
    return v >= shape->wide_from ? 2 + (int)(hash((uint64_t)v, 77) % 4) : 2;
}
static void allele(const struct shape *shape, int64_t v, int a, char text[16])
{
    text[0] = '\0';
    if (a < n_alleles(shape, v))
        snprintf(text, 16, "%c%.*s", "ACGT"[(v + a) & 3], a, "TTTTTTTT");
}
static int contig(const struct shape *shape, int64_t v)
{
    return (int)(3 * v / (shape->variants + 1));
}
static bool has_filter(const struct shape *shape, int64_t v, int f)
{
    return f == (int)(hash((uint64_t)v, 5) % 3) || (f == 3 && v >= shape->wide_from && v % 7 == 0);
}
static void id(int64_t v, char text[24])
{
    snprintf(text, 24, v % 3 ? "rs%lld" : ".", (long long)v);
}

/* --- a reader of them -------------------------------------------------------- */
struct fake {
    struct gt_reader base;
    const struct shape *shape;
    int64_t at;
};

static int fake_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    (void)stage, (void)start, (void)err;
    return 0;
}

static void add_name(struct gt_strs *list, const char *name)
{
    gt_strs_add(list, name, strlen(name), NULL);
}

static void add_contig(struct gt_geno_info *info)
{
    char name[8];

    snprintf(name, sizeof name, "c%d", (int)info->contigs.n);
    add_name(&info->contigs, name);
}

static int fake_site(struct fake *fake, struct gt_block *block, int64_t v, struct gt_err *err)
{
    struct gt_site site = {.contig = contig(fake->shape, v),
                           .n_alleles = n_alleles(fake->shape, v),
                           .position = 100 + 3 * v,
                           .length = 1 + v % 5,
                           .first_allele = (uint32_t)block->alleles.n,
                           .filter_from = (uint32_t)(block->filters.len / sizeof(int32_t)),
                           .multiallelic = n_alleles(fake->shape, v) > 2};
    uint32_t quality = v % 4 ? 0x42280000u + (uint32_t)v : 0x7F800001u;
    char text[24];

    memcpy(&site.quality, &quality, 4);
    for (int a = 0; a < site.n_alleles; a++) {
        allele(fake->shape, v, a, text);
        gt_strs_add(&block->alleles, text, strlen(text), NULL);
    }
    id(v, text);
    site.id = (uint32_t)block->ids.n;
    gt_strs_add(&block->ids, text, strlen(text), NULL);
    for (int32_t f = 0; f < 4; f++)
        if (has_filter(fake->shape, v, f)) {
            if (gt_buf_append(&block->filters, &f, sizeof f, err))
                return GT_FAIL;
            site.filter_n++;
        }
    while ((int64_t)fake->base.info.contigs.n <= site.contig)
        add_contig(&fake->base.info);
    if (has_filter(fake->shape, v, 3) && fake->base.info.filters.n < 4)
        add_name(&fake->base.info.filters, "q3");
    return gt_buf_append(&block->sites, &site, sizeof site, err);
}

static int fake_next(struct gt_stage *stage, struct gt_block **out, struct gt_err *err)
{
    struct fake *fake = (struct fake *)stage;
    const struct shape *shape = fake->shape;
    struct gt_block *block;

    if (fake->at == shape->variants)
        return GT_END;
    block = calloc(1, sizeof *block);
    *out = block;
    gt_block_init(block, NULL);
    block->owner = stage;
    block->first = fake->at;
    block->n = 1 + hash((uint64_t)fake->at, 9) % shape->block;
    if (block->n > shape->variants - fake->at)
        block->n = shape->variants - fake->at;
    block->stride = (size_t)(shape->samples + 3) / 4;
    if (gt_buf_resize(&block->rows, (size_t)block->n * block->stride + 64, err))
        return GT_FAIL;
    memset(block->rows.data, 0, block->rows.len);
    for (int64_t v = 0; v < block->n; v++, fake->at++) {
        for (int64_t s = 0; s < shape->samples; s++)
            block->rows.data[(size_t)v * block->stride + (size_t)s / 4] |= (uint8_t)(dosage(fake->at, s) << 2 * (s % 4));
        if (fake_site(fake, block, fake->at, err))
            return GT_FAIL;
    }
    return 0;
}

static void fake_release(struct gt_stage *stage, struct gt_block *block)
{
    (void)stage;
    gt_block_release(block);
    free(block);
}
static void fake_stop(struct gt_stage *stage)
{
    (void)stage;
}
static void fake_close(struct gt_stage *stage)
{
    gt_reader_base_release((struct gt_reader *)stage);
    free(stage);
}

static void fake_needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    (void)stage, (void)fields;
    *needs = (struct gt_stage_needs){0};
}

static const struct gt_stage_ops fake_ops = {fake_needs, fake_start, fake_next, fake_release, fake_stop, fake_close, NULL};

static struct gt_reader *fake_new(struct gt_engine *engine, const struct shape *shape)
{
    struct fake *fake = calloc(1, sizeof *fake);
    struct gt_geno_info *info = &fake->base.info;
    char name[24];

    gt_reader_init(&fake->base, &fake_ops, engine, false);
    fake->shape = shape;
    info->n_samples = shape->samples;
    info->n_variants = info->n_variants_max = shape->announced ? shape->variants : -1;
    for (int64_t s = 0; s < shape->samples; s++) {
        snprintf(name, sizeof name, "S%lld", (long long)s);
        add_name(&info->samples, name);
    }
    for (int c = 0; c < shape->contigs_known; c++) {
        int64_t length = c ? 0 : 1000000;
        add_contig(info);
        gt_buf_append(&info->contig_lengths, &length, sizeof length, NULL);
    }
    add_name(&info->filters, "PASS");
    add_name(&info->filters, "q1");
    add_name(&info->filters, "q2");
    info->kind = strdup("made up");
    info->name = strdup("made up");
    return &fake->base;
}

/* --- a look at what was written ---------------------------------------------- */
static struct gt_array *open_array(struct gt_group *group, const char *name)
{
    struct gt_array *array = NULL;
    struct gt_err err = {0};

    if (gt_group_array(group, name, &array, &err))
        diag("%s: %s", name, err.msg);
    return array;
}

/* The item size of `name`, or 0; *raw is its content. */
static size_t load(struct gt_group *group, const char *name, int64_t n0, int64_t n1, struct gt_buf *raw)
{
    struct gt_array *array = open_array(group, name);
    struct gt_err err = {0};
    size_t size = 0;

    if (array && array->shape[0] == n0 && (array->ndim == 1 || array->shape[1] == n1) && !gt_array_read_all(array, raw, &err))
        size = array->dtype.size;
    else if (array)
        diag("%s: shape %lld x %lld, %s", name, (long long)array->shape[0], (long long)array->shape[1], err.msg);
    gt_array_free(array);
    return size;
}

static bool dosage_right(struct gt_group *group, const struct shape *shape)
{
    struct gt_buf raw = {0};
    int64_t row = (shape->samples + 3) / 4;
    bool right = load(group, "packed_dosage", shape->variants, row, &raw) == 1;

    for (int64_t v = 0; v < shape->variants && right; v++)
        for (int64_t s = 0; s < row * 4 && right; s++)
            right = (raw.data[v * row + s / 4] >> 2 * (s % 4) & 3) == (s < shape->samples ? dosage(v, s) : 0);
    gt_buf_release(&raw);
    return right;
}

static int64_t number(const struct gt_buf *raw, size_t size, int64_t i)
{
    int64_t x = 0;

    memcpy(&x, raw->data + (size_t)i * size, size);
    return x;
}

static bool numbers_right(struct gt_group *group, const struct shape *shape, const char *name)
{
    struct gt_buf raw = {0};
    size_t size = load(group, name, shape->variants, 0, &raw);
    bool right = size > 0;

    for (int64_t v = 0; v < shape->variants && right; v++) {
        int64_t x = number(&raw, size, v);
        right = x == (!strcmp(name, "variant_position")       ? 100 + 3 * v
                      : !strcmp(name, "variant_length")       ? 1 + v % 5
                      : !strcmp(name, "variant_contig")       ? contig(shape, v)
                      : !strcmp(name, "variant_id_mask")      ? v % 3 == 0
                      : !strcmp(name, "variant_multiallelic") ? n_alleles(shape, v) > 2
                      : v % 4                                 ? 0x42280000 + v
                                                              : 0x7F800001);
    }
    gt_buf_release(&raw);
    return right;
}

static bool filters_right(struct gt_group *group, const struct shape *shape, int64_t width)
{
    struct gt_buf raw = {0};
    bool right = load(group, "variant_filter", shape->variants, width, &raw) == 1;

    for (int64_t v = 0; v < shape->variants && right; v++)
        for (int f = 0; f < width && right; f++)
            right = raw.data[v * width + f] == has_filter(shape, v, f);
    gt_buf_release(&raw);
    return right;
}

static bool texts_right(struct gt_group *group, const struct shape *shape)
{
    struct gt_array *ids = open_array(group, "variant_id"), *alleles = open_array(group, "variant_allele");
    struct gt_strs id_list = {0}, allele_list = {0};
    struct gt_err err = {0};
    bool right =
        ids && alleles && !gt_array_read_strings(ids, NULL, &id_list, &err) && !gt_array_read_strings(alleles, NULL, &allele_list, &err);
    int64_t width = alleles ? alleles->shape[1] : 0;
    char text[24];

    right = right && (int64_t)id_list.n == shape->variants && (int64_t)allele_list.n == shape->variants * width;
    for (int64_t v = 0; v < shape->variants && right; v++) {
        id(v, text);
        right = !strcmp(gt_strs_get(&id_list, (size_t)v), text) && width >= n_alleles(shape, v);
        for (int a = 0; a < width && right; a++) {
            allele(shape, v, a, text);
            right = !strcmp(gt_strs_get(&allele_list, (size_t)(v * width + a)), text);
        }
    }
    if (!right)
        diag("texts: %s", err.msg);
    gt_strs_release(&id_list);
    gt_strs_release(&allele_list);
    gt_array_free(ids);
    gt_array_free(alleles);
    return right;
}

static int64_t table_rows(struct gt_group *group, const char *name)
{
    struct gt_array *array = open_array(group, name);
    struct gt_strs list = {0};
    struct gt_err err = {0};
    int64_t n = array && !gt_array_read_strings(array, NULL, &list, &err) ? (int64_t)list.n : -1;

    for (int64_t i = 0; i < n; i++)
        if (!gt_strs_get(&list, (size_t)i)[0])
            n = -1;
    gt_strs_release(&list);
    gt_array_free(array);
    return n;
}

static bool check_store(struct gt_store *store, const struct shape *shape)
{
    static const char *const numbers[] = {"variant_position", "variant_length",       "variant_contig",
                                          "variant_id_mask",  "variant_multiallelic", "variant_quality"};
    struct gt_group *group = NULL;
    struct gt_err err = {0};
    int64_t contigs = shape->contigs_known, filters = 3;
    bool right = !gt_group_open(&group, store, "", &err);

    if (!right) {
        diag("%s", err.msg);
        return false;
    }
    for (int64_t v = 0; v < shape->variants; v++) {
        contigs = contig(shape, v) >= contigs ? contig(shape, v) + 1 : contigs;
        filters = has_filter(shape, v, 3) ? 4 : filters;
    }
    right = dosage_right(group, shape) && filters_right(group, shape, filters) && texts_right(group, shape);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!numbers_right(group, shape, numbers[i])) {
            diag("%s differs", numbers[i]);
            right = false;
        }
    right = right && table_rows(group, "sample_id") == shape->samples && table_rows(group, "contig_id") == contigs &&
            table_rows(group, "filter_id") == filters;
    right = right && !json_object_object_get(group->attrs, "gt_stream") && json_object_object_get(group->attrs, "vcf_zarr_version");
    gt_group_free(group);
    return right;
}

/* Reads every array of a store that is being written to: metadata comes first. */
struct spy {
    struct gt_store base;
    struct gt_store *inner;
    int64_t puts, chunk_before_meta, again;
};

static bool is_meta(const char *key)
{
    const char *name = strrchr(key, '/') ? strrchr(key, '/') + 1 : key;

    return name[0] == '.' || !strcmp(name, "zarr.json");
}

static int spy_put(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err)
{
    struct spy *spy = (struct spy *)store;

    if (!spy->puts++ && !is_meta(key))
        spy->chunk_before_meta++;
    if (!is_meta(key) && !gt_store_has(spy->inner, key, err))
        spy->again++;
    return gt_store_put(spy->inner, key, data, n, err);
}

static bool try_shape(struct gt_engine *engine, const struct shape *shape)
{
    static const struct gt_store_ops spy_ops = {.kind = "spy", .put = spy_put};
    const char *const none[] = {"made up"};
    const struct gt_select_opts all = GT_SELECT_ALL;
    const struct gt_source_opts opts = {.paths = none, .n_paths = 1, .select = &all, .fields = GT_SITE_ALL};
    const struct gt_pack_opts pack = {.chunk_variants = shape->chunk_variants,
                                      .chunk_samples = shape->chunk_samples,
                                      .zarr_format = shape->format,
                                      .stream = shape->stream,
                                      .history = "test"};
    struct spy spy = {.base = {.ops = &spy_ops, .name = (char *)"spy"}};
    struct gt_pack_stats stats;
    struct gt_source *source = NULL;
    struct gt_err err = {0};
    bool right = !gt_store_new_memory(&spy.inner, NULL, &err) &&
                 !gt_source_from_reader(&source, engine, fake_new(engine, shape), &opts, &err) &&
                 !gt_pack_run(engine, source, &spy.base, &pack, &stats, &err);

    if (!right)
        diag("%s", err.msg);
    right = right && stats.variants == shape->variants && stats.samples == shape->samples && check_store(spy.inner, shape);
    if (spy.again || (shape->stream && spy.chunk_before_meta)) {
        diag("%lld chunks put again, %lld before metadata", (long long)spy.again, (long long)spy.chunk_before_meta);
        right = false;
    }
    gt_source_free(source);
    gt_store_free(spy.inner);
    return right;
}

static void describe(const struct shape *shape, bool right)
{
    ok(right, "%lld x %lld, chunks %lld x %lld, wide from %d, %d contigs known, v%d%s%s", (long long)shape->variants,
       (long long)shape->samples, (long long)shape->chunk_variants, (long long)shape->chunk_samples, shape->wide_from, shape->contigs_known,
       shape->format, shape->stream ? ", stream" : "", shape->announced ? ", announced" : "");
}

static void test_refusals(struct gt_engine *engine)
{
    struct gt_geno_info info = {.n_samples = 1 << 20, .n_variants = -1, .n_variants_max = -1, .name = (char *)"x"};
    struct gt_pack_plan plan;
    struct gt_err err = {0};

    ok(gt_pack_plan_make(&plan, engine, &info, &(struct gt_pack_opts){0}, &err) == GT_NOFIT && err.hint[0], "a row group too large: %s",
       err.msg);
    gt_err_clear(&err);
    ok(gt_pack_plan_make(&plan, engine, &info, &(struct gt_pack_opts){.chunk_samples = 6}, &err) == GT_USAGE, "%s", err.msg);
    gt_err_clear(&err);
    ok(gt_pack_plan_make(&plan, engine, &info, &(struct gt_pack_opts){.chunk_samples = -1, .chunk_variants = 1 << 20}, &err) == GT_USAGE,
       "%s", err.msg);
    gt_err_clear(&err);
    info.n_variants = 50;
    ok(!gt_pack_plan_make(&plan, engine, &info, &(struct gt_pack_opts){0}, &err) && plan.shape.chunk_variants == 50 && plan.row_groups == 1,
       "50 variants of 2^20 samples fit: chunks of %lld (%s)", (long long)plan.shape.chunk_variants, err.msg);
    gt_err_clear(&err);
    info.n_variants = -1;
    info.n_variants_max = 3;
    ok(!gt_pack_plan_make(&plan, engine, &info, &(struct gt_pack_opts){0}, &err) && plan.shape.chunk_variants == 3 && plan.row_groups == -1,
       "at most 3 variants: chunks of %lld", (long long)plan.shape.chunk_variants);
    gt_err_clear(&err);
    info.n_variants_max = -1;
    info.n_samples = 0;
    ok(gt_pack_plan_make(&plan, engine, &info, &(struct gt_pack_opts){0}, &err) == GT_INPUT, "%s", err.msg);
    gt_err_clear(&err);
    info.n_samples = 2504;
    info.n_variants_guess = 100000;
    ok(!gt_pack_plan_make(&plan, engine, &info, &(struct gt_pack_opts){0}, &err) && plan.shape.chunk_samples == 2504 &&
           plan.shape.chunk_variants * 626 <= 2 << 20 && plan.shape.chunk_variants * 626 >= 1 << 20,
       "2,504 samples: chunks of %lld variants", (long long)plan.shape.chunk_variants);
}

int main(void)
{
    const int64_t samples[] = {1, 4, 7, 64, 130}, variants[] = {0, 1, 9, 40, 101};
    const struct gt_limits limits = {.threads = 3, .io_threads = 1, .memory = 128 << 20, .threads_from = "", .memory_from = ""};
    struct gt_engine engine;
    struct gt_err err = {0};

    if (gt_engine_init(&engine, &limits, NULL, &err)) {
        diag("%s", err.msg);
        return 1;
    }
    for (int s = 0; s < 5; s++)
        for (int v = 0; v < 5; v++)
            for (int form = 0; form < 8; form++) {
                struct shape shape = {
                    samples[s],        variants[v],   form & 4 ? 10 : 1 + v * 13,      form & 1 ? -1 : samples[s] > 8 ? 16 : 4,
                    form & 2 ? 3 : 64, form % 3 * 15, form & 1 ? 2 : form & 4 ? 0 : 3, 2 + (form >> 1 & 1),
                    (form & 5) != 0,   form == 7};
                describe(&shape, try_shape(&engine, &shape));
            }
    test_refusals(&engine);
    gt_engine_release(&engine);
    return done_testing();
}
