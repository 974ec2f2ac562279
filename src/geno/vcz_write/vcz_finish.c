/* The end of a group of VCF Zarr: chunks that waited for it, and metadata that only now is known. */
#include <string.h>

#include "core/base/size.h"
#include "geno/vcz_write/vcz_internal.h"

/* Where chunk `row` of the site arrays, which ended early, is the only one they become as tall as there are variants. */
static int shorten_sites(struct gt_vcz *vcz, int64_t row, int64_t variants, struct gt_err *err)
{
    if (row || vcz->opts.stream)
        return GT_OK;
    vcz->opts.site_variants = variants;
    return vcz_new_sites(vcz, err);
}

/* The last chunk of the site arrays, which not all of its row groups came for. */
static int put_last_sites(struct gt_vcz *vcz, struct gt_err *err)
{
    int status = vcz->open ? shorten_sites(vcz, vcz->open->row, vcz->stats.variants, err) : GT_OK;
    for (struct vcz_sites *sites = vcz->open; sites && !status; sites = sites->next) {
        vcz->own[VCZ_OUT].len = 0;
        status = vcz_encode_sites(vcz, sites, vcz->own, err);
        status = status ? status : vcz_put_records(vcz, &vcz->own[VCZ_OUT], true, err);
    }
    return status;
}

int gt_vcz_encode_rest(struct gt_vcz *vcz, struct gt_buf *bytes, struct gt_err *err)
{
    int status = vcz->open ? shorten_sites(vcz, vcz->open->row, vcz->open->variants, err) : GT_OK;
    for (struct vcz_sites *sites = vcz->open; sites && !status; sites = sites->next) {
        vcz->own[VCZ_OUT].len = 0;
        status = vcz_encode_sites(vcz, sites, vcz->own, err);
        status = status ? status : gt_buf_append(bytes, vcz->own[VCZ_OUT].data, vcz->own[VCZ_OUT].len, err);
    }
    return status;
}

int gt_vcz_put_rest(struct gt_vcz *vcz, const struct gt_buf *bytes, struct gt_err *err)
{
    struct vcz_record first; /* all of them are of one chunk of sites */
    if (!bytes->len)
        return GT_OK;
    memcpy(&first, bytes->data, sizeof first);
    int status = shorten_sites(vcz, first.row, vcz->stats.variants, err);
    return status ? status : vcz_put_records(vcz, bytes, true, err);
}

/* Something that the metadata sent does not say. */
static bool has_changed(const struct gt_vcz *vcz)
{
    return vcz->info->contigs.n != vcz->contigs.n || vcz_filters(vcz)->n != vcz->filters.n || vcz->alleles.seen > vcz->alleles.declared ||
           vcz->filter_columns.seen > vcz->filter_columns.declared;
}

static int put_last_chunks(struct gt_vcz *vcz, struct gt_err *err)
{
    int64_t filters = gt_ceil_div((int64_t)vcz_filters(vcz)->n, vcz->array[VCZ_FILTER]->chunk[1]);
    int status = put_last_sites(vcz, err);

    if (!status && !vcz->begun && !vcz->opts.stream)
        status = vcz_new_contigs(vcz, NULL, err);
    if (!status && !vcz->begun)
        status = vcz_put_contigs(vcz, 0, err);
    return status ? status : vcz_fill_out(vcz, &vcz->filter_columns, filters, err);
}

static void set_shapes(struct gt_vcz *vcz)
{
    for (int i = 0; i < VCZ_SITES_END; i++)
        if (vcz->array[i])
            vcz->array[i]->shape[0] = vcz->stats.variants;
    if (vcz_is_packed(vcz))
        vcz->array[VCZ_ALLELE]->shape[1] = vcz->alleles.seen;
    vcz->array[VCZ_FILTER]->shape[1] = (int64_t)vcz_filters(vcz)->n;
}

int vcz_final_tables(struct gt_vcz *vcz, struct gt_err *err)
{
    int status = 0;

    if (vcz->begun) {
        vcz->array[VCZ_CONTIG_ID]->shape[0] = (int64_t)vcz->info->contigs.n;
        if (vcz->array[VCZ_CONTIG_LENGTH])
            vcz->array[VCZ_CONTIG_LENGTH]->shape[0] = (int64_t)vcz->info->contigs.n;
        vcz->array[VCZ_FILTER_ID]->shape[0] = (int64_t)vcz_filters(vcz)->n;
        return 0;
    }
    status = vcz_copy_tables(vcz, err);
    return status ? status : vcz_new_tables(vcz, err);
}

void vcz_count_files(struct gt_vcz *vcz)
{
    int64_t arrays = (int64_t)vcz->n_more;

    for (int i = 0; i < VCZ_ARRAYS; i++)
        arrays += vcz->array[i] != NULL;
    vcz->stats.files += vcz->opts.zarr_format == 3 ? 1 + arrays : 3 + 2 * arrays;
}

int vcz_check_count(const struct gt_vcz *vcz, struct gt_err *err)
{
    const struct gt_geno_info *info = vcz->info;

    if (info->n_variants < 0 || info->n_variants == vcz->stats.variants)
        return 0;
    return gt_fail(err, GT_INPUT, "'%s' has %lld variants, not the %lld that it declared", info->name, (long long)vcz->stats.variants,
                   (long long)info->n_variants);
}

int gt_vcz_finish(struct gt_vcz *vcz, struct gt_err *err)
{
    bool empty_stream = vcz->opts.stream && !vcz->begun;
    int status;

    status = vcz_check_count(vcz, err);
    if (status)
        return status;
    if (vcz->begun && !vcz->provisional && !has_changed(vcz)) {
        vcz->stats.max_alleles = vcz->alleles.seen;
        vcz_count_files(vcz);
        return 0;
    }
    status = put_last_chunks(vcz, err);
    status = status ? status : vcz_final_tables(vcz, err);
    if (!status && !vcz->opts.stream)
        status = vcz_new_regions(vcz, err);
    if (!status && !vcz->opts.stream)
        status = vcz_put_regions(vcz, err);
    if (status)
        return status;
    set_shapes(vcz);
    vcz->stats.max_alleles = vcz_is_packed(vcz) ? vcz->alleles.seen : vcz->opts.alleles;
    vcz->provisional = false;
    status = vcz_tell_reach(vcz, err);
    if (!status && empty_stream) /* the metadata goes first here too */
        status = vcz_put_meta(vcz, err);
    status = status ? status : vcz_put_tables(vcz, err);
    vcz_count_files(vcz);
    return status || empty_stream ? status : vcz_put_meta(vcz, err);
}
