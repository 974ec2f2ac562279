/* The arrays of a packed store, its small tables, and its metadata. */
#include "config.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/size.h"
#include "calc/pack_impl.h"
#include "codec/vlen.h"

#define NUMBERS "zstd:15" /* finds the structure that a shuffle would show to lower levels; blosc has no checksum */
#define TEXTS "zstd:3"
#define GENOTYPES "zstd:1"

struct layout {
    const char *path, *dims[2];
    const char *codec;
    enum gt_type type;
};

static const struct layout layouts[PACK_ARRAYS] = {
    [PACK_DOSAGE] = {"packed_dosage", {"variants", "samples_packed"}, GENOTYPES, GT_U8},
    [PACK_CONTIG] = {"variant_contig", {"variants"}, TEXTS, GT_I32},
    [PACK_POSITION] = {"variant_position", {"variants"}, NUMBERS, GT_I32},
    [PACK_LENGTH] = {"variant_length", {"variants"}, NUMBERS, GT_I32},
    [PACK_ID] = {"variant_id", {"variants"}, TEXTS, GT_STRING},
    [PACK_ID_MASK] = {"variant_id_mask", {"variants"}, TEXTS, GT_BOOL},
    [PACK_QUALITY] = {"variant_quality", {"variants"}, NUMBERS, GT_F32},
    [PACK_MULTIALLELIC] = {"variant_multiallelic", {"variants"}, TEXTS, GT_BOOL},
    [PACK_ALLELE] = {"variant_allele", {"variants", "alleles"}, TEXTS, GT_STRING},
    [PACK_FILTER] = {"variant_filter", {"variants", "filters"}, TEXTS, GT_BOOL},
    [PACK_SAMPLE_ID] = {"sample_id", {"samples"}, TEXTS, GT_STRING},
    [PACK_CONTIG_ID] = {"contig_id", {"contigs"}, TEXTS, GT_STRING},
    [PACK_CONTIG_LENGTH] = {"contig_length", {"contigs"}, TEXTS, GT_I64},
    [PACK_FILTER_ID] = {"filter_id", {"filters"}, TEXTS, GT_STRING},
};

static enum gt_type smallest_int(int64_t n)
{
    return n <= INT8_MAX + 1 ? GT_I8 : n <= INT16_MAX + 1 ? GT_I16 : GT_I32;
}

static int new_array(struct pack *pack, int which, enum gt_type type, const int64_t *shape, const int64_t *chunk, struct json_object *attrs,
                     struct gt_err *err)
{
    const struct layout *layout = &layouts[which];
    struct gt_array_spec spec = {
        .path = layout->path,
        .type = type,
        .ndim = layout->dims[1] ? 2 : 1,
        .codec = pack->opts->codec ? pack->opts->codec : layout->codec,
        .fill_zero = which == PACK_ALLELE,
        .attrs = attrs,
    };

    for (int i = 0; i < spec.ndim; i++) {
        spec.shape[i] = shape[i];
        spec.chunk[i] = chunk[i];
        spec.dim_names[i] = layout->dims[i];
    }
    gt_array_free(pack->array[which]);
    pack->array[which] = NULL;
    return gt_array_new(&pack->array[which], pack->out, &spec, pack->opts->zarr_format ? pack->opts->zarr_format : 2, err);
}

/* NULL when memory is out. */
static struct json_object *dosage_attrs(int64_t samples)
{
    struct json_object *attrs = json_object_new_object(), *packed = json_object_new_object();
    bool ok = gt_json_set(packed, "bits", json_object_new_int(2)) && gt_json_set(packed, "samples", json_object_new_int64(samples)) &&
              gt_json_set(packed, "missing", json_object_new_int(3)) && gt_json_set_shared(attrs, "gt_packed", packed);

    json_object_put(packed);
    return gt_json_whole(attrs, ok);
}

static int new_site_arrays(struct pack *pack, struct gt_err *err)
{
    int64_t n = pack->plan.chunk_variants, variants = pack->info->n_variants < 0 ? 0 : pack->info->n_variants;
    int64_t filters = (int64_t)pack->filters.n;
    struct json_object *attrs = dosage_attrs(pack->info->n_samples);
    int rc = attrs ? 0 : gt_no_memory(err);

    if (!rc)
        rc = new_array(pack, PACK_DOSAGE, GT_U8, (int64_t[]){variants, pack->row_bytes}, (int64_t[]){n, pack->plan.chunk_samples / 4},
                       attrs, err);
    json_object_put(attrs);
    for (int i = PACK_DOSAGE + 1; i < PACK_SITE_ARRAYS && !rc; i++) {
        enum gt_type type = layouts[i].type;
        int64_t width = i == PACK_FILTER ? filters : 1;
        if (i == PACK_CONTIG && pack->contigs.n)
            type = smallest_int((int64_t)pack->contigs.n);
        if (pack->wide_positions && (i == PACK_POSITION || i == PACK_LENGTH))
            type = GT_I64;
        rc = new_array(pack, i, type, (int64_t[]){variants, width}, (int64_t[]){n, width}, NULL, err);
    }
    return rc;
}

/* Tables are one chunk as they stand; what is added later makes further chunks,
 * so that nothing that was sent changes. */
static int new_table(struct pack *pack, int which, int64_t rows, struct gt_err *err)
{
    return new_array(pack, which, layouts[which].type, &rows, (int64_t[]){rows ? rows : 64}, NULL, err);
}

static bool any_length(const struct pack *pack)
{
    const int64_t *length = (const int64_t *)pack->contig_lengths.data;

    for (size_t i = 0; i < pack->contig_lengths.len / sizeof *length; i++)
        if (length[i] > 0)
            return true;
    return false;
}

static int new_tables(struct pack *pack, struct gt_err *err)
{
    int64_t contigs = (int64_t)pack->contigs.n;
    int rc = new_table(pack, PACK_SAMPLE_ID, pack->info->n_samples, err);

    rc = rc ? rc : new_table(pack, PACK_CONTIG_ID, contigs, err);
    if (!rc && any_length(pack))
        rc = new_table(pack, PACK_CONTIG_LENGTH, contigs, err);
    return rc ? rc : new_table(pack, PACK_FILTER_ID, (int64_t)pack->filters.n, err);
}

static bool add_pair(struct json_object *pairs, const char *key, const char *value)
{
    struct json_object *pair = json_object_new_array();
    bool ok = gt_json_add(pair, json_object_new_string(key)) && gt_json_add(pair, json_object_new_string(value)) &&
              gt_json_add_shared(pairs, pair);

    json_object_put(pair);
    return ok;
}

static int root_attrs(struct pack *pack, struct gt_err *err)
{
    struct json_object *attrs = pack->attrs = json_object_new_object(), *pairs = json_object_new_array();
    const struct gt_strs *header = &pack->info->header;
    bool ok = gt_json_set(attrs, "vcf_zarr_version", json_object_new_string("0.4")) &&
              gt_json_set(attrs, "source", json_object_new_string("gt-utils " PACKAGE_VERSION));

    for (size_t i = 0; ok && i + 1 < header->n; i += 2)
        ok = add_pair(pairs, gt_strs_get(header, i), gt_strs_get(header, i + 1));
    ok = ok && pairs && gt_json_set_shared(attrs, "vcf_meta_information", pairs);
    json_object_put(pairs);
    return ok ? gt_attrs_add_history(attrs, pack->opts->history, err) : gt_no_memory(err);
}

static bool is_wide(const struct gt_buf *lengths)
{
    const int64_t *length = (const int64_t *)lengths->data;

    for (size_t i = 0; i < lengths->len / sizeof *length; i++)
        if (length[i] > INT32_MAX)
            return true;
    return false;
}

enum { OWN_BUFS = 10 };

static void own_bufs(struct pack *pack, struct gt_buf *bufs[OWN_BUFS])
{
    struct gt_buf *own[OWN_BUFS] = {&pack->runs,
                                    &pack->raw,
                                    &pack->stored,
                                    pack->scratch,
                                    pack->scratch + 1,
                                    &pack->alleles.none,
                                    &pack->alleles.late,
                                    &pack->filter_columns.none,
                                    &pack->filter_columns.late,
                                    &pack->contig_lengths};

    memcpy(bufs, own, sizeof own);
}

int pack_meta_init(struct pack *pack, struct gt_err *err)
{
    struct gt_buf *bufs[OWN_BUFS];
    int rc;

    own_bufs(pack, bufs);
    for (int i = 0; i < OWN_BUFS; i++)
        bufs[i]->budget = &pack->engine->budget;
    pack->contigs.budget = pack->filters.budget = &pack->engine->budget;
    rc = gt_strs_copy(&pack->contigs, &pack->info->contigs, err);
    rc = rc ? rc : gt_strs_copy(&pack->filters, &pack->info->filters, err);
    if (!rc && !pack->filters.n) /* inputs without filters */
        rc = gt_strs_add(&pack->filters, "PASS", 4, err);
    rc = rc ? rc : gt_buf_append(&pack->contig_lengths, pack->info->contig_lengths.data, pack->info->contig_lengths.len, err);
    pack->wide_positions = is_wide(&pack->contig_lengths);
    rc = rc ? rc : root_attrs(pack, err);
    pack->alleles.array = PACK_ALLELE;
    pack->filter_columns.array = PACK_FILTER;
    pack->alleles.declared = pack->filter_columns.declared = -1;
    pack->filter_columns.seen = 1;
    rc = rc ? rc : new_site_arrays(pack, err);
    return rc ? rc : new_tables(pack, err);
}

static int put_texts(struct pack *pack, int which, const struct gt_strs *texts, int64_t first_chunk, struct gt_err *err)
{
    size_t chunk = (size_t)pack->array[which]->chunk[0];
    int rc = 0;

    for (size_t from = (size_t)first_chunk * chunk; from < texts->n && !rc; from += chunk) {
        size_t left = texts->n - from;
        rc = gt_vlen_pack(texts, from, left < chunk ? left : chunk, chunk, &pack->raw, err);
        rc = rc ? rc : gt_array_encode(pack->array[which], &pack->raw, &pack->stored, pack->scratch, err);
        rc = rc ? rc : pack_put_chunk(pack, which, (int64_t)(from / chunk), 0, &pack->stored, err);
    }
    return rc;
}

/* Unknown lengths are -1, VCF Zarr's missing. */
static int put_lengths(struct pack *pack, const struct gt_buf *lengths, int64_t first_chunk, int64_t n, struct gt_err *err)
{
    int64_t known = (int64_t)(lengths->len / sizeof(int64_t)), chunk;
    int rc = 0;

    if (!pack->array[PACK_CONTIG_LENGTH])
        return 0;
    chunk = pack->array[PACK_CONTIG_LENGTH]->chunk[0];
    for (int64_t from = first_chunk * chunk; from < n && !rc; from += chunk) {
        int64_t *to;
        rc = gt_buf_resize(&pack->raw, (size_t)chunk * sizeof *to, err);
        if (rc)
            return rc;
        to = (int64_t *)pack->raw.data;
        for (int64_t i = from; i < from + chunk; i++) {
            int64_t length = i < known ? ((const int64_t *)lengths->data)[i] : 0;
            to[i - from] = length > 0 ? length : i < n ? -1 : 0;
        }
        rc = gt_array_encode(pack->array[PACK_CONTIG_LENGTH], &pack->raw, &pack->stored, pack->scratch, err);
        rc = rc ? rc : pack_put_chunk(pack, PACK_CONTIG_LENGTH, from / chunk, 0, &pack->stored, err);
    }
    return rc;
}

static int put_meta(struct pack *pack, struct gt_err *err)
{
    struct gt_array *arrays[PACK_ARRAYS];
    size_t n = 0;
    int rc = 0;

    for (int i = 0; i < PACK_ARRAYS; i++)
        if (pack->array[i])
            arrays[n++] = pack->array[i];
    if (pack->provisional) {
        struct json_object *mark = json_object_new_object();
        if (!gt_json_set(mark, "provisional", json_object_new_boolean(true)) || !gt_json_set_shared(pack->attrs, "gt_stream", mark))
            rc = gt_no_memory(err);
        json_object_put(mark);
    }
    rc = rc ? rc : gt_group_put_meta(pack->out, pack->opts->zarr_format ? pack->opts->zarr_format : 2, pack->attrs, arrays, n, err);
    json_object_object_del(pack->attrs, "gt_stream");
    return rc;
}

/* Nothing in the metadata can change after the first stripe. */
static bool is_final(const struct pack *pack)
{
    return pack->plan.stripes >= 0 && (pack->plan.stripes <= 1 || pack->info->two_alleles);
}

int pack_meta_begin(struct pack *pack, const struct pack_item *first, struct gt_err *err)
{
    int rc;

    /* the first sites may be monomorphic, without an ALT */
    pack->alleles.declared = pack->info->two_alleles && first->allele_columns < 2 ? 2 : first->allele_columns;
    pack->alleles.seen = pack->alleles.declared;
    pack->array[PACK_ALLELE]->shape[1] = pack->alleles.declared;
    pack->filter_columns.declared = 1;
    pack->provisional = !is_final(pack);
    rc = put_meta(pack, err);
    pack->begun = true;
    rc = rc ? rc : put_texts(pack, PACK_SAMPLE_ID, &pack->info->samples, 0, err);
    rc = rc ? rc : put_texts(pack, PACK_CONTIG_ID, &pack->contigs, 0, err);
    rc = rc ? rc : put_lengths(pack, &pack->contig_lengths, 0, (int64_t)pack->contigs.n, err);
    return rc ? rc : put_texts(pack, PACK_FILTER_ID, &pack->filters, 0, err);
}

/* The contig array could wait for its type. */
static int put_all_contigs(struct pack *pack, struct gt_err *err)
{
    int64_t shape = pack->stats->variants, used = 0;
    size_t at = 0;
    int rc = new_array(pack, PACK_CONTIG, smallest_int((int64_t)pack->info->contigs.n), &shape, &pack->plan.chunk_variants, NULL, err);

    for (int64_t s = 0; s < pack->stripes && !rc; s++)
        rc = pack_put_contigs(pack, s, &pack->runs, &at, &used, err);
    return rc;
}

static const struct gt_strs *final_filters(const struct pack *pack)
{
    return pack->info->filters.n ? &pack->info->filters : &pack->filters;
}

/* Tables that nothing was sent of are made anew, whole. */
static int final_tables(struct pack *pack, struct gt_err *err)
{
    const struct gt_source_info *info = pack->info;

    if (!pack->begun) {
        int rc = gt_strs_copy(&pack->contigs, &info->contigs, err);
        rc = rc ? rc : gt_strs_copy(&pack->filters, final_filters(pack), err);
        return rc ? rc : new_tables(pack, err);
    }
    pack->array[PACK_CONTIG_ID]->shape[0] = (int64_t)info->contigs.n;
    if (pack->array[PACK_CONTIG_LENGTH])
        pack->array[PACK_CONTIG_LENGTH]->shape[0] = (int64_t)info->contigs.n;
    pack->array[PACK_FILTER_ID]->shape[0] = (int64_t)final_filters(pack)->n;
    return 0;
}

static int put_tables(struct pack *pack, struct gt_err *err)
{
    const struct gt_source_info *info = pack->info;
    int64_t contigs = pack->begun && pack->contigs.n ? 1 : 0, filters = pack->begun ? 1 : 0;
    int rc = pack->begun ? 0 : put_texts(pack, PACK_SAMPLE_ID, &info->samples, 0, err);

    rc = rc ? rc : put_texts(pack, PACK_CONTIG_ID, &info->contigs, contigs, err);
    rc = rc ? rc : put_lengths(pack, &info->contig_lengths, contigs, (int64_t)info->contigs.n, err);
    return rc ? rc : put_texts(pack, PACK_FILTER_ID, final_filters(pack), filters, err);
}

static int final_chunks(struct pack *pack, int64_t filters, struct gt_err *err)
{
    int rc = pack->opts->stream && pack->begun ? 0 : put_all_contigs(pack, err);

    rc = rc ? rc : pack_put_late(pack, &pack->alleles, pack->alleles.seen, err);
    return rc ? rc : pack_put_late(pack, &pack->filter_columns, gt_ceil_div(filters, pack->array[PACK_FILTER]->chunk[1]), err);
}

/* Something that the metadata sent does not say. */
static bool has_changed(const struct pack *pack)
{
    return pack->info->contigs.n != pack->contigs.n || final_filters(pack)->n != pack->filters.n ||
           pack->alleles.seen > pack->alleles.declared || pack->filter_columns.seen > pack->filter_columns.declared;
}

int pack_meta_end(struct pack *pack, struct gt_err *err)
{
    int64_t filters = (int64_t)final_filters(pack)->n;
    bool empty_stream = pack->opts->stream && !pack->begun;
    int rc;

    if (pack->info->n_variants >= 0 && pack->info->n_variants != pack->stats->variants)
        return gt_fail(err, GT_INPUT, "'%s' has %lld variants, not the %lld that it announced", pack->info->name,
                       (long long)pack->stats->variants, (long long)pack->info->n_variants);
    if (pack->begun && !pack->provisional && !has_changed(pack))
        return 0;
    if (!pack->stripes)
        pack->alleles.seen = 1;
    rc = final_chunks(pack, filters, err);
    rc = rc ? rc : final_tables(pack, err);
    for (int i = 0; i < PACK_SITE_ARRAYS && !rc; i++)
        pack->array[i]->shape[0] = pack->stats->variants;
    pack->array[PACK_ALLELE]->shape[1] = pack->alleles.seen;
    pack->array[PACK_FILTER]->shape[1] = filters;
    pack->provisional = false;
    if (!rc && empty_stream) /* the metadata goes first here too */
        rc = put_meta(pack, err);
    rc = rc ? rc : put_tables(pack, err);
    return rc || empty_stream ? rc : put_meta(pack, err);
}

void pack_meta_release(struct pack *pack)
{
    struct gt_buf *bufs[OWN_BUFS];

    own_bufs(pack, bufs);
    for (int i = 0; i < OWN_BUFS; i++)
        gt_buf_release(bufs[i]);
    for (int i = 0; i < PACK_ARRAYS; i++)
        gt_array_free(pack->array[i]);
    gt_strs_release(&pack->contigs);
    gt_strs_release(&pack->filters);
    json_object_put(pack->attrs);
}
