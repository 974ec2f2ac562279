/* Called genotypes, and where they go: calc/ makes row_groups of calls and hands
 * them to a sink, out/ writes them as a file format. */
#ifndef GT_CALC_CALLS_H
#define GT_CALC_CALLS_H

#include "geno/model/block.h"
#include "geno/model/geno_info.h"

/* What a consumer wants beside dosages. */
enum gt_calls_want { GT_CALLS_DOSAGE = 0, GT_CALLS_PHASE = 1, GT_CALLS_ALTS = 2 };

/* Genotypes with what dosages do not say.  phase and second have the block's
 * stride and n rows; their length is 0 where they were not asked for. */
struct gt_calls {
    struct gt_block block;
    struct gt_buf phase;  /* two bits a sample: 1 = a heterozygote's ALT is on its first haplotype */
    struct gt_buf second; /* two bits a sample: the first, second haplotype's ALT is the site's second one;
                           * meaningful at multiallelic sites only */
};

/* The alleles of a call from its bits: code | phase << 2 | second << 3.  -1 is missing.
 * Unphased calls have their alleles in order. */
struct gt_alleles {
    int8_t first, second;
};
static inline struct gt_alleles gt_call_alleles(unsigned bits, bool phased)
{
    unsigned code = bits & 3;
    int8_t a = (int8_t)(1 + (bits >> 3 & 1)), b = (int8_t)(1 + (bits >> 4 & 1));
    if (code == 3)
        return (struct gt_alleles){-1, -1};
    if (code == 0)
        return (struct gt_alleles){0, 0};
    if (code == 1)
        return phased && bits & 4 ? (struct gt_alleles){a, 0} : (struct gt_alleles){0, phased ? b : a};
    return phased || a <= b ? (struct gt_alleles){a, b} : (struct gt_alleles){b, a};
}

#define GT_CALLS_BUFS 5

/* begin, then for each row_group format (any thread; bytes are the row_group's own,
 * reused; the block has the names of contigs and filters) and write (in order), then finish, which makes the result stand under
 * its name.  free without finish leaves nothing there. */
struct gt_calls_sink;
struct gt_calls_sink_ops {
    int (*begin)(struct gt_calls_sink *sink, const struct gt_geno_info *info, struct gt_err *err);
    int (*format)(struct gt_calls_sink *sink, const struct gt_calls *calls, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err);
    int (*write)(struct gt_calls_sink *sink, const struct gt_calls *calls, const struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err);
    int (*finish)(struct gt_calls_sink *sink, struct gt_err *err);
    void (*free)(struct gt_calls_sink *sink);
};
struct gt_calls_sink {
    const struct gt_calls_sink_ops *ops;
    unsigned fields;         /* enum gt_site_fields that it needs */
    unsigned want;           /* enum gt_calls_want */
    int64_t row_group;       /* variants of every call but the last; 0 = any number */
    int64_t variant_bytes;   /* that format takes for a variant, set by begin, */
    int64_t row_group_bytes; /* and beside, for a row_group */
    const char *note;        /* after finish: what the user should know of the result, static text; NULL = nothing */
};

#endif
