/* An option that looks at what the input does not have would do nothing: it is refused. */
#include "config.h"

#include "geno/filter_impl.h"

static int refuse(const struct gt_source_info *input, const char *option, unsigned has, struct gt_err *err)
{
    if (has == GT_HAS_CALLS)
        return gt_fail(err, GT_USAGE, "%s is about calls, and '%s' (%s) has dosages only", option, input->name, input->kind);
    return gt_fail(err, GT_USAGE, "%s needs %s and '%s' has none", option,
                   has == GT_HAS_FILTERS     ? "FILTERs"
                   : has == GT_HAS_ALLELES   ? "alleles"
                   : has == GT_HAS_POSITIONS ? "positions"
                                             : "contigs",
                   input->name);
}

static int check_alleles(const struct gt_select_opts *o, struct gt_err *err)
{
    if (o->min_alleles < 0 || o->max_alleles < 0)
        return gt_fail(err, GT_USAGE, "a site has one allele at least");
    if (o->min_alleles && o->max_alleles && o->min_alleles > o->max_alleles)
        return gt_fail(err, GT_USAGE, "--min-alleles %lld is above --max-alleles %lld", (long long)o->min_alleles,
                       (long long)o->max_alleles);
    if (o->biallelic && o->split)
        return gt_fail(err, GT_USAGE, "--biallelic leaves no site for --split-multiallelic to split");
    return 0;
}

int gt_filter_check(const struct gt_filter *f, struct gt_err *err)
{
    const struct gt_select_opts *o = &f->opts;
    const struct {
        bool asked;
        const char *option;
        unsigned has;
    } needs[] = {
        {o->regions, "-r", GT_HAS_POSITIONS},
        {o->regions_file, "-R", GT_HAS_POSITIONS},
        {f->contigs, "--contigs", GT_HAS_CONTIGS},
        {f->autosomes, "--contigs autosomes", GT_HAS_CONTIGS},
        {o->pass, "--pass", GT_HAS_FILTERS},
        {o->snps, "--snps", GT_HAS_ALLELES},
        {o->biallelic, "--biallelic", GT_HAS_ALLELES},
        {o->min_alleles, "--min-alleles", GT_HAS_ALLELES},
        {o->max_alleles, "--max-alleles", GT_HAS_ALLELES},
        {o->haploid, "--haploid", GT_HAS_CALLS},
        {o->half_call != GT_HALF_UNSAID, "--half-call", GT_HAS_CALLS},
        {o->polyploid != GT_POLYPLOID_UNSAID, "--polyploid", GT_HAS_CALLS},
        {o->split && !f->input->two_alleles, "--split-multiallelic", GT_HAS_CALLS},
    };
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].asked && !(f->input->has & needs[i].has))
            return refuse(f->input, needs[i].option, needs[i].has, err);
    return check_alleles(o, err);
}
