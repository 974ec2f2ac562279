/* The end of a group whose arrays of variants are somebody else's. */
#include "core/base/json.h"
#include "core/base/mem.h"
#include "geno/vcz_write/vcz_internal.h"

int64_t gt_vcz_variants(const struct gt_vcz *vcz)
{
    return vcz->stats.variants;
}

/* variant_contig, described as bio2zarr does. */
static int new_contigs(struct gt_vcz *vcz, struct gt_err *err)
{
    struct json_object *attrs = json_object_new_object();
    bool ok = gt_json_set_text(attrs, "description",
                               "An identifier from the reference genome or an angle-bracketed ID string pointing to a "
                               "contig in the assembly file");
    int status = ok ? vcz_new_contigs(vcz, attrs, err) : gt_no_memory(err);

    json_object_put(attrs);
    return status;
}

/* variant_contig, region_index and the tables, all of which are known by now. */
static int make_arrays(struct gt_vcz *vcz, struct gt_err *err)
{
    int status = new_contigs(vcz, err);

    status = status ? status : vcz_new_regions(vcz, err);
    return status ? status : vcz_final_tables(vcz, err);
}

static int put_own(struct gt_vcz *vcz, struct gt_err *err)
{
    int status = vcz_put_tables(vcz, err);

    status = status ? status : vcz_put_contigs(vcz, 0, err);
    return status ? status : vcz_put_regions(vcz, err);
}

int gt_vcz_finish_fields(struct gt_vcz *vcz, struct gt_array *const *arrays, size_t n, bool first,
                         int (*put)(void *ctx, struct gt_err *err), void *ctx, struct gt_err *err)
{
    int status = vcz_check_count(vcz, err);

    vcz->opts.site_variants = arrays[0]->chunk[0];
    if (vcz->opts.inner_variants)
        vcz->opts.inner_variants = arrays[0]->unit[0];
    vcz->more = arrays;
    vcz->n_more = n;
    status = status ? status : make_arrays(vcz, err);
    if (!status && first)
        status = vcz_put_meta(vcz, err);
    status = status ? status : put_own(vcz, err);
    status = status ? status : put(ctx, err);
    if (!status && !first)
        status = vcz_put_meta(vcz, err);
    vcz_count_files(vcz);
    return status;
}
