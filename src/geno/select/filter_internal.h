/* Internals of a filter, shared by the files that build and apply it. */
#ifndef GT_GENO_FILTER_IMPL_H
#define GT_GENO_FILTER_IMPL_H

#include "core/base/slice.h"
#include "geno/model/geno_info.h"
#include "geno/model/regions.h"
#include "geno/samples/sex_count.h"
#include "geno/select/contig_list.h"
#include "geno/select/filter.h"
#include "geno/select/filter_table.h"
#include "geno/select/id_list.h"

struct gt_filter {
    struct gt_select_opts opts;
    const struct gt_geno_info *input;
    uint32_t *samples; /* NULL = all, in input order */
    int64_t n_samples;
    uint8_t *keep;        /* per input sample; NULL = all */
    uint32_t *haplotypes; /* of `samples`, two each; NULL = all */
    struct gt_slice variants;
    int64_t first;             /* index of the input's first variant in all inputs */
    int64_t start, stop, step; /* the resolved variants slice */
    int64_t from, to;          /* gt_filter_range */
    struct gt_regions regions;
    bool use_regions;
    struct gt_id_list extract, exclude; /* empty = not given */
    struct gt_regions long_range;       /* --exclude-long-range */
    struct gt_names *known;             /* contigs of the input, where an option names contigs; else NULL */
    struct gt_contig_list *contigs;     /* --contigs; NULL = all */
    struct gt_contig_list *not_contigs; /* --not-chr; NULL = none */
    bool autosomal;                     /* exclude sex chromosomes and mitochondria */
    uint8_t *contig_kept;               /* per contig of the header */
    const struct gt_intervals **intervals, **left_out;
    size_t n_contigs;
    struct gt_sexes *sexes; /* NULL: not known, or not used */
    struct gt_sex_rows who; /* of the kept samples */
    int32_t pass;           /* index of PASS in the filters of the input, -1 = not there */
    struct gt_filter_contigs named[GT_FILTER_NAMES_CONTIGS];
    struct gt_strs notes;
    /* Of the table, those that are given and look at the site; at its calls. */
    const struct gt_filter_row *by_site[GT_FILTER_MOST], *by_calls[GT_FILTER_MOST];
    int n_by_site, n_by_calls;
};

/* Is the contig in --contigs?  Also for contigs missing from the header. */
bool gt_filter_contig_named(const struct gt_filter *f, const char *name);
/* Regions on a contig, NULL = none. */
const struct gt_intervals *gt_filter_intervals(const struct gt_filter *f, const char *name);
/* Regions of --exclude-long-range on a contig; accepts names with and without "chr". */
const struct gt_intervals *gt_filter_left_out(const struct gt_filter *f, const char *name);
bool gt_filter_by_contig(const struct gt_filter *f);
/* --extract and --exclude: the variant's id is one of the input's, whatever other filters do with it. */
void gt_filter_meet_id(const struct gt_filter *f, const struct gt_block *block, const struct gt_site *site);
/* The name of a contig; "?" where there is none. */
const char *gt_filter_contig_name(const struct gt_filter *f, const struct gt_block *block, int32_t contig);
/* The name of a contig that is not in the header; NULL: it is there. */
const char *gt_filter_new_contig(const struct gt_filter *f, const struct gt_block *block, int32_t contig);

/* --- samples: filter_samples.c --- */

/* Reads the sexes if an option needs them. */
int gt_filter_open_sexes(struct gt_filter *f, struct gt_err *err);
/* Builds the lookup tables of the samples that are currently kept. */
int gt_filter_index_samples(struct gt_filter *f, struct gt_err *err);

#endif
