/* Called genotypes and their writers: calc/convert formats row groups of calls and passes them to a sink, which writes a
 * file format. */
#ifndef GT_CALC_CALLS_H
#define GT_CALC_CALLS_H

#include "geno/model/block.h"
#include "geno/model/geno_info.h"

/* What a consumer needs besides allele counts. */
enum gt_calls_want { GT_CALLS_DOSAGE = 0, GT_CALLS_PHASE = 1, GT_CALLS_ALTS = 2 };

/* Genotypes with phase and ALT numbers.  phase and second have the stride of the block and n rows; their length is 0 if they were
 * not requested. */
struct gt_calls {
    struct gt_block block;
    struct gt_buf phase;  /* two bits a sample: 1 = the ALT of a heterozygote is on the first haplotype */
    struct gt_buf second; /* two bits a sample: the first, second haplotype's ALT is the site's second one;
                           * meaningful at multiallelic sites only */
};

/* The alleles of a call, by code | phase << 2 | second << 3; -1 is missing.  Alleles of unphased calls are in ascending order. */
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

/* Calls: begin; for each row group format (any thread; the buffers are reused between calls; the block knows the names
 * of contigs and filters) and write (in order); then finish, which publishes the result.  free without finish leaves no
 * output. */
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
    unsigned fields;         /* enum gt_site_fields required */
    unsigned want;           /* enum gt_calls_want */
    int64_t row_group;       /* variants of every call except the last; 0 = any number */
    int64_t deal;            /* row groups that one process formats together, since chunks of sites span them; 0 = 1 */
    unsigned results;        /* bit i: write reads bytes[i]; of the calls it reads block.first, n and contigs alone */
    int64_t variant_bytes;   /* memory that format needs per variant, set by begin, */
    int64_t row_group_bytes; /* and in addition per row group */
    int64_t site_bytes;      /* of chunks that row groups in flight fill together */
    const char *note;        /* after finish: a message about the result, static text; NULL = none */
};

#endif
