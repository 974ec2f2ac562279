/* The arrays of a VCF Zarr group, their metadata and the root's. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "geno/model/packed.h"
#include "geno/model/ploidy.h"
#include "geno/vcz_write/vcz_internal.h"

struct layout {
    const char *path, *dims[3];
    const char *codec[3]; /* by layout; NULL: it has no such array */
    enum gt_type type;
};

/* zstd:15 finds in numbers the structure that a shuffle would show to lower levels; blosc has no checksum. */
static const struct layout layouts[VCZ_ARRAYS] = {
    [VCZ_DOSAGE] = {GT_PACKED_ARRAY, {"variants", "samples_packed"}, {"zstd:1", NULL}, GT_U8},
    [VCZ_GENOTYPE] = {"call_genotype", {"variants", "samples", "ploidy"}, {NULL, "blosc:zstd:1:bitshuffle:256K"}, GT_I8},
    [VCZ_PHASED] = {"call_genotype_phased", {"variants", "samples"}, {NULL, "blosc:zstd:1:bitshuffle:256K"}, GT_BOOL},
    [VCZ_MASK] = {"call_genotype_mask", {"variants", "samples", "ploidy"}, {NULL, "blosc:zstd:1:bitshuffle:256K"}, GT_BOOL},
    [VCZ_POSITION] = {"variant_position", {"variants"}, {"zstd:15", "blosc:zstd:1:shuffle"}, GT_I32},
    [VCZ_LENGTH] = {"variant_length", {"variants"}, {"zstd:15", "blosc:zstd:1:shuffle"}, GT_I32},
    [VCZ_QUALITY] = {"variant_quality", {"variants"}, {"zstd:15", "blosc:zstd:1:shuffle"}, GT_F32},
    [VCZ_ID_MASK] = {"variant_id_mask", {"variants"}, {"zstd:3", "blosc:zstd:1:bitshuffle"}, GT_BOOL},
    [VCZ_MULTIALLELIC] = {"variant_multiallelic", {"variants"}, {"zstd:3", NULL}, GT_BOOL},
    [VCZ_FILTER] = {"variant_filter", {"variants", "filters"}, {"zstd:3", "blosc:zstd:1:bitshuffle"}, GT_BOOL},
    [VCZ_CONTIG] = {"variant_contig", {"variants"}, {"zstd:3", "blosc:zstd:1:shuffle", "blosc:zstd:1:shuffle"}, GT_I32},
    [VCZ_ID] = {"variant_id", {"variants"}, {"zstd:3", "zstd:1"}, GT_STRING},
    [VCZ_ALLELE] = {"variant_allele", {"variants", "alleles"}, {"zstd:3", "zstd:1"}, GT_STRING},
    [VCZ_SAMPLE_ID] = {"sample_id", {"samples"}, {"zstd:3", "zstd:1", "zstd:1"}, GT_STRING},
    [VCZ_CONTIG_ID] = {"contig_id", {"contigs"}, {"zstd:3", "zstd:1", "zstd:1"}, GT_STRING},
    [VCZ_CONTIG_LENGTH] = {"contig_length", {"contigs"}, {"zstd:3", "blosc:zstd:1:shuffle", "blosc:zstd:1:shuffle"}, GT_I64},
    [VCZ_FILTER_ID] = {"filter_id", {"filters"}, {"zstd:3", "zstd:1", "zstd:1"}, GT_STRING},
    [VCZ_FILTER_TEXT] = {"filter_description", {"filters"}, {NULL, NULL, "zstd:1"}, GT_STRING},
    [VCZ_REGIONS] = {"region_index",
                     {"region_index_values", "region_index_fields"},
                     {"zstd:3", "blosc:zstd:1:shuffle", "blosc:zstd:1:shuffle"},
                     GT_I32},
};

enum gt_type vcz_contig_type(size_t contigs)
{
    return contigs <= INT8_MAX + 1 ? GT_I8 : contigs <= INT16_MAX + 1 ? GT_I16 : GT_I32;
}

/* Genotypes are in shards, and of complete VCF Zarr all arrays with variants, since readers address them by one number of a chunk. */
static void set_inner(struct gt_array_spec *spec, const struct gt_vcz_opts *opts, int which)
{
    const bool packed = opts->layout == GT_VCZ_PACKED;
    if (!opts->inner_variants || which >= (packed ? VCZ_SITES : VCZ_SITES_END))
        return;
    memcpy(spec->inner, spec->chunk, sizeof spec->inner);
    spec->inner[0] = opts->inner_variants;
    if (which < VCZ_SITES)
        spec->inner[1] = packed ? opts->inner_samples / 4 : opts->inner_samples;
}

static struct gt_array_spec array_spec(const struct gt_vcz_opts *opts, int which, const int64_t *shape, const int64_t *chunk)
{
    const struct layout *layout = &layouts[which < VCZ_FAMILY ? which : VCZ_SAMPLE_ID];
    struct gt_array_spec spec = {
        .path = which < VCZ_FAMILY ? layout->path : gt_fam_arrays[which - VCZ_FAMILY],
        .type = layout->type,
        .codec = opts->codec ? opts->codec : layout->codec[opts->layout],
        .genotypes = which == VCZ_DOSAGE || which == VCZ_GENOTYPE,
        .fill_zero = which == VCZ_ALLELE,
    };

    while (spec.ndim < 3 && layout->dims[spec.ndim]) {
        spec.shape[spec.ndim] = shape[spec.ndim];
        spec.chunk[spec.ndim] = chunk[spec.ndim];
        spec.dim_names[spec.ndim] = layout->dims[spec.ndim];
        spec.ndim++;
    }
    set_inner(&spec, opts, which);
    return spec;
}

int vcz_chunk_work(const struct gt_vcz_opts *opts, int which, const int64_t *chunk, int64_t *bytes, struct gt_err *err)
{
    const struct gt_array_spec spec = array_spec(opts, which, chunk, chunk);
    struct gt_array *array;
    int status = gt_array_new(&array, NULL, &spec, opts->zarr_format, err);

    if (status)
        return status;
    *bytes = gt_codec_encode_bytes(array->codecs, array->chunk_bytes ? array->chunk_bytes : VCZ_TEXT_BYTES * array->chunk_items);
    gt_array_free(array);
    return 0;
}

int vcz_new_array(struct gt_vcz *vcz, int which, enum gt_type type, const int64_t *shape, const int64_t *chunk, struct json_object *attrs,
                  struct gt_err *err)
{
    struct gt_array_spec spec = array_spec(&vcz->opts, which, shape, chunk);

    spec.type = type;
    spec.attrs = attrs;
    gt_array_free(vcz->array[which]);
    vcz->array[which] = NULL;
    return gt_array_new(&vcz->array[which], vcz->store, &spec, vcz->opts.zarr_format, err);
}

/* --- the axis of variants --------------------------------------------------------- */

/* NULL when memory is out. */
static struct json_object *dosage_attrs(int64_t samples, int ploidy)
{
    struct json_object *attrs = json_object_new_object();
    return gt_json_if_complete(attrs, gt_packed_describe(attrs, samples, ploidy));
}

static int new_dosage(struct gt_vcz *vcz, int64_t variants, struct gt_err *err)
{
    const int64_t shape[] = {variants, (vcz->n_samples + 3) / 4}, chunk[] = {vcz->opts.chunk_variants, vcz->opts.chunk_samples / 4};
    struct json_object *attrs = dosage_attrs(vcz->n_samples, vcz->info->ploidy);
    int status = attrs ? vcz_new_array(vcz, VCZ_DOSAGE, GT_U8, shape, chunk, attrs, err) : gt_no_memory(err);

    json_object_put(attrs);
    return status;
}

static int new_calls(struct gt_vcz *vcz, int64_t variants, struct gt_err *err)
{
    const int64_t shape[] = {variants, vcz->n_samples, 2}, chunk[] = {vcz->opts.chunk_variants, vcz->opts.chunk_samples, 2};
    int status = 0;

    for (int i = VCZ_GENOTYPE; i <= VCZ_MASK && !status; i++)
        status = vcz_new_array(vcz, i, layouts[i].type, shape, chunk, NULL, err);
    return status;
}

static enum gt_type type_of(const struct gt_vcz *vcz, int which)
{
    if (which == VCZ_CONTIG && vcz->contigs.n)
        return vcz_contig_type(vcz->contigs.n);
    return vcz->wide_positions && (which == VCZ_POSITION || which == VCZ_LENGTH) ? GT_I64 : layouts[which].type;
}

int vcz_new_sites(struct gt_vcz *vcz, struct gt_err *err)
{
    int64_t variants = vcz->info->n_variants < 0 ? 0 : vcz->info->n_variants, alleles = vcz_is_packed(vcz) ? 1 : vcz->opts.alleles;
    int status = vcz_is_packed(vcz) ? new_dosage(vcz, variants, err) : vcz->opts.layout == GT_VCZ_CALLS ? new_calls(vcz, variants, err) : 0;

    for (int i = VCZ_SITES; i < VCZ_SITES_END && !status; i++) {
        int64_t width = i == VCZ_FILTER ? (int64_t)vcz->filters.n : alleles;
        if (layouts[i].codec[vcz->opts.layout])
            status = vcz_new_array(vcz, i, type_of(vcz, i), (int64_t[]){variants, width},
                                   (int64_t[]){vcz->opts.site_variants > 0 ? vcz->opts.site_variants : 1, width}, NULL, err);
    }
    return status;
}

/* --- metadata ------------------------------------------------------------------------ */

static bool add_pair(struct json_object *pairs, const char *key, const char *value)
{
    struct json_object *pair = json_object_new_array();
    bool ok = gt_json_add(pair, json_object_new_string(key)) && gt_json_add(pair, json_object_new_string(value)) &&
              gt_json_add_shared(pairs, pair);

    json_object_put(pair);
    return ok;
}

int vcz_new_attrs(struct gt_vcz *vcz, struct gt_err *err)
{
    struct json_object *attrs = vcz->attrs = json_object_new_object(), *pairs = json_object_new_array();
    const struct gt_strs *header = &vcz->info->header;
    bool ok = gt_json_set_text(attrs, "vcf_zarr_version", "0.5") && gt_json_set_text(attrs, "source", "gt-utils " PACKAGE_VERSION);

    for (size_t i = 0; ok && i + 1 < header->n; i += 2)
        ok = add_pair(pairs, gt_strs_get(header, i), gt_strs_get(header, i + 1));
    ok = ok && pairs && gt_json_set_shared(attrs, "vcf_meta_information", pairs);
    if (vcz->info->has & GT_HAS_PROVISIONAL)
        ok = ok && gt_json_set(attrs, GT_PROVISIONAL_ATTR, json_object_new_boolean(true));
    json_object_put(pairs);
    return ok ? gt_attrs_add_history(attrs, vcz->opts.history, err) : gt_no_memory(err);
}

int vcz_put_meta(struct gt_vcz *vcz, struct gt_err *err)
{
    struct gt_array **arrays = malloc((VCZ_ARRAYS + vcz->n_more) * sizeof *arrays);
    size_t n = 0;
    int status = 0;

    if (!arrays)
        return gt_no_memory(err);
    for (int i = 0; i < VCZ_ARRAYS; i++)
        if (vcz->array[i])
            arrays[n++] = vcz->array[i];
    for (size_t i = 0; i < vcz->n_more; i++)
        arrays[n++] = vcz->more[i];
    if (vcz->provisional) {
        struct json_object *mark = json_object_new_object();
        if (!gt_json_set(mark, "provisional", json_object_new_boolean(true)) || !gt_json_set_shared(vcz->attrs, "gt_stream", mark))
            status = gt_no_memory(err);
        json_object_put(mark);
    }
    status = status ? status : gt_group_put_meta(vcz->store, vcz->opts.zarr_format, vcz->attrs, arrays, n, err);
    json_object_object_del(vcz->attrs, "gt_stream");
    free(arrays);
    return status;
}

int vcz_tell_reach(struct gt_vcz *vcz, struct gt_err *err)
{
    const int32_t *reach = (const int32_t *)(const void *)vcz->alleles.reach.data;
    int64_t rows = (int64_t)(vcz->alleles.reach.len / sizeof *reach), declared = vcz->alleles.declared;
    struct json_object *list = json_object_new_array();
    bool ok = list, all = true;

    for (int64_t i = 0, n; ok && i < rows; i += n) {
        int64_t columns = reach[i] > declared ? reach[i] : declared;
        for (n = 1; i + n < rows && (reach[i + n] > declared ? reach[i + n] : declared) == columns;)
            n++;
        all = all && columns == vcz->alleles.seen;
        ok = gt_packed_add_columns(list, n, columns);
    }
    if (ok && !all)
        ok = gt_json_set_shared(vcz->array[VCZ_ALLELE]->attrs, GT_PACKED_COLUMNS, list);
    json_object_put(list);
    return ok ? 0 : gt_no_memory(err);
}
