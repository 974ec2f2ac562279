/* Regions of a VCF or BCF by its index. */
#include "config.h"

#include "geno/vcf/vcf_internal.h"

/* Is it this file's?  It is dropped if not. */
static int check_index(struct gt_vcf *vcf, struct gt_err *err)
{
    uint64_t last;
    bool ends = false;
    int status = (gt_index_contigs(vcf->index) != NULL) == vcf->bcf ? GT_INPUT : gt_index_check(vcf->index, vcf->first, &last);
    struct gt_err why = {0};
    if (!status)
        status = gt_bytes_ends_at(vcf->bytes, last, &ends, &why);
    if (!status && ends)
        return 0;
    if (status == GT_FAIL)
        gt_fail(err, status, "%s", why.msg);
    else
        gt_fail(err, GT_INPUT, "'%s' is not the index of this file", gt_index_path(vcf->index));
    gt_index_free(vcf->index);
    vcf->index = NULL;
    return GT_INPUT;
}

/* An index may be there and be of no use: then it is said why, once, and the file is read
 * through. */
static int open_index(struct gt_vcf *vcf, struct gt_err *err)
{
    static const char *const suffixes[] = {".csi", ".tbi"};
    struct gt_err why = {0};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !vcf->index; i++)
        if (gt_index_open(&vcf->index, vcf->input.path, suffixes[i], &vcf->base.engine->budget, &why) == 0)
            check_index(vcf, &why);
    int status =
        !vcf->index && why.msg[0] ? gt_strs_addf(&vcf->base.warnings, err, "%s: the file is read through without an index", why.msg) : 0;
    return status ? status : gt_bytes_rewind(vcf->bytes, err);
}

static int find_stretches(struct gt_vcf *vcf, const struct gt_filter *filter, struct gt_err *err)
{
    const struct gt_strs *contigs = gt_index_contigs(vcf->index);
    int status = 0;
    contigs = contigs ? contigs : &vcf->base.info.contigs;
    vcf->stretches.len = 0;
    for (size_t i = 0; i < contigs->n && !status; i++) {
        const struct gt_intervals *intervals = gt_filter_regions(filter, gt_strs_get(contigs, i));
        if (intervals)
            status = gt_index_find(vcf->index, (int64_t)i, intervals, &vcf->stretches, err);
    }
    gt_stretches_join(&vcf->stretches);
    return status;
}

int gt_vcf_use_index(struct gt_vcf *vcf, const struct gt_filter *filter, struct gt_err *err)
{
    int status = 0;
    vcf->limited = false;
    if (!gt_bytes_can_seek(vcf->bytes) || !gt_bytes_is_bgzf(vcf->bytes) || !gt_filter_by_region(filter))
        return 0;
    if (!vcf->asked)
        status = open_index(vcf, err);
    vcf->asked = true;
    if (status || !vcf->index)
        return status;
    status = find_stretches(vcf, filter, err);
    if (!status)
        gt_bytes_limit(vcf->bytes, (const struct gt_stretch *)vcf->stretches.data, vcf->stretches.len / sizeof(struct gt_stretch));
    vcf->limited = vcf->base.not_indexed = !status;
    return status;
}
