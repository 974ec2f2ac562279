/* An option that looks at what the input does not have would do nothing: it is refused. */
#include "config.h"

#include "geno/model/select_opts.h"

#include <string.h>

#include "core/base/err.h"
#include "geno/model/geno_info.h"
#include "geno/model/ploidy.h"
#include "geno/select/filter_table.h"
#include "geno/select/select_check.h"

static int refuse(const struct gt_geno_info *input, const char *option, unsigned has, struct gt_err *err)
{
    switch (has) {
    case GT_HAS_GENOTYPES:
        gt_fail(err, GT_USAGE, "%s needs genotypes; '%s' is a plain array", option, input->name);
        gt_hint(err, "--slice selects rows and columns of an array");
        return GT_USAGE;
    case GT_HAS_DOSAGES:
        return gt_fail(err, GT_USAGE, "%s needs genotypes, but --slice selects one allele of each call of '%s'", option, input->name);
    case GT_HAS_CALLS:
        gt_fail(err, GT_USAGE, "%s needs calls; '%s' (%s) %s %s", option, input->name, input->kind,
                input->has & GT_HAS_ALTS ? "is read as" : "has only", input->has & GT_HAS_DOSAGES ? "dosages" : "single alleles");
        if (input->has & GT_HAS_ALTS)
            gt_hint(err, "gt-unpack %s -o OUT.bcf writes its calls", input->name);
        return GT_USAGE;
    case GT_HAS_PAIRS:
        return gt_fail(err, GT_USAGE, "%s needs diploid calls; those of '%s' have one allele", option, input->name);
    case GT_HAS_MORE:
        return gt_fail(err, GT_USAGE, "%s needs calls of ploidy above 2; those of '%s' have at most 2 alleles", option, input->name);
    default:
        return gt_fail(err, GT_USAGE, "%s needs %s, and '%s' has none", option,
                       has == GT_HAS_FILTERS     ? "FILTERs"
                       : has == GT_HAS_ALLELES   ? "alleles"
                       : has == GT_HAS_POSITIONS ? "positions"
                       : has == GT_HAS_IDS       ? "ids of sites"
                                                 : "contigs",
                       input->name);
    }
}

/* Names of samples, contigs or variants. */
static bool names_something(const struct gt_select_opts *o)
{
    bool contigs = o->contigs && strcmp(o->contigs, "all") != 0 && strcmp(o->contigs, "autosomes") != 0;
    return o->samples || o->samples_file || o->keep_fam || o->regions || o->regions_file || contigs || o->not_chr || o->extract ||
           o->exclude || o->lists_samples;
}

static int check_sense(const struct gt_select_opts *o, struct gt_err *err)
{
    if (o->min_alleles < 0 || o->max_alleles < 0)
        return gt_fail(err, GT_USAGE, "--min-alleles must be at least 1");
    if (o->min_alleles && o->max_alleles && o->min_alleles > o->max_alleles)
        return gt_fail(err, GT_USAGE, "--min-alleles %lld is above --max-alleles %lld", (long long)o->min_alleles,
                       (long long)o->max_alleles);
    if (o->ploidy == GT_HAPLOID && (o->haplotypes || o->sex))
        return gt_fail(err, GT_USAGE, "--ploidy 1 cannot be combined with %s, which is for diploid data",
                       o->haplotypes ? "--haplotypes" : "--sex");
    if (o->ploidy > GT_DIPLOID && !o->records)
        return gt_fail(err, GT_USAGE, "--ploidy %lld: allele counts are of haploid (1) or diploid (2) data", (long long)o->ploidy);
    if (o->haplotypes && o->sex)
        return gt_fail(err, GT_USAGE, "--sex cannot be combined with --haplotypes");
    if (o->concat_samples && (o->haplotypes || o->split))
        return gt_fail(err, GT_USAGE, "--concat samples joins allele counts: it cannot be combined with %s",
                       o->split ? "--split-multiallelic" : "--haplotypes");
    if (o->biallelic && o->split)
        return gt_fail(err, GT_USAGE, "--biallelic cannot be combined with --split-multiallelic");
    if (o->overlap_given && !o->regions && !o->regions_file)
        return gt_fail(err, GT_USAGE, "--regions-overlap needs -r or -R");
    if (o->strict && o->skip_absent)
        return gt_fail(err, GT_USAGE, "--strict cannot be combined with --skip-absent");
    if ((o->strict || o->skip_absent) && !names_something(o))
        return gt_fail(err, GT_USAGE, "--%s needs an option that names samples, contigs or variants, such as -S, -R or --extract",
                       o->strict ? "strict" : "skip-absent");
    return 0;
}

int gt_select_check(const struct gt_select_opts *o, const struct gt_geno_info *input, unsigned has, struct gt_err *err)
{
    /* Beside what the table of filters says. */
    const struct {
        bool asked;
        const char *option;
        unsigned needs; /* the first that is missing is reported */
    } options[] = {
        {o->samples, "-s", GT_HAS_GENOTYPES},
        {o->samples_file, "-S", GT_HAS_GENOTYPES},
        {o->keep_fam, "--keep-fam", GT_HAS_GENOTYPES},
        {o->var_ids, "--set-all-var-ids", GT_HAS_GENOTYPES | GT_HAS_CONTIGS | GT_HAS_POSITIONS | GT_HAS_ALLELES},
        {o->overlap_given, "--regions-overlap", GT_HAS_GENOTYPES | GT_HAS_POSITIONS},
        {o->overlap == GT_OVERLAP_VARIANT, "--regions-overlap variant", GT_HAS_ALLELES},
        {o->contigs && strcmp(o->contigs, "all") != 0, "--contigs", GT_HAS_GENOTYPES | GT_HAS_CONTIGS},
        {o->ld_prune && strstr(o->ld_prune, "kb"), "--ld-prune", GT_HAS_GENOTYPES | GT_HAS_POSITIONS},
        {o->split, "--split-multiallelic", GT_HAS_GENOTYPES},
        {o->split && !input->two_alleles, "--split-multiallelic", GT_HAS_ALLELES | GT_HAS_CALLS},
        {o->sites, "--sites", GT_HAS_GENOTYPES},
        {o->require_sites, "--require-sites", GT_HAS_GENOTYPES},
        {o->skip_absent && !o->lists_samples, "--skip-absent", GT_HAS_GENOTYPES},
        {o->strict && !o->lists_samples, "--strict", GT_HAS_GENOTYPES},
        {o->haplotypes, "--haplotypes", GT_HAS_GENOTYPES | GT_HAS_DOSAGES | GT_HAS_CALLS | GT_HAS_PAIRS},
        {o->sex, "--sex", GT_HAS_GENOTYPES | GT_HAS_DOSAGES | GT_HAS_CONTIGS | GT_HAS_POSITIONS},
        {o->ploidy, "--ploidy", GT_HAS_GENOTYPES | (o->records ? 0 : GT_HAS_DOSAGES)},
        {o->half_call != GT_HALF_UNSAID, "--half-call", GT_HAS_GENOTYPES | GT_HAS_CALLS | GT_HAS_PAIRS},
        {o->polyploid != GT_POLYPLOID_UNSAID, "--polyploid", GT_HAS_GENOTYPES | GT_HAS_CALLS | GT_HAS_MORE},
    };
    const struct gt_filter_row *row;
    has |= o->var_ids ? GT_HAS_IDS : 0;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        unsigned absent = options[i].asked ? options[i].needs & ~has : 0;
        if (absent)
            return refuse(input, options[i].option, absent & -absent, err);
    }
    for (size_t k = 0; (row = gt_filter_row(k)); k++) {
        unsigned absent = row->option && gt_filter_given(row, o) ? row->needs & ~has : 0;
        if (absent)
            return refuse(input, row->option, absent & -absent, err);
    }
    return check_sense(o, err);
}
