/* Rows of sites, each with a value of every sample, block after block and pass after pass:
 * what accumulators are fed with.  Behind it stand genotypes (packed rows) or a plain array
 * (float64). */
#ifndef GT_CALC_ROW_SOURCE_H
#define GT_CALC_ROW_SOURCE_H

#include "arrays/matrix/matrix.h"
#include "calc/pairs/accumulator.h"
#include "geno/source/source.h"

struct gt_row_source;
struct gt_counts_head;
struct gt_variant_ranges;
struct gt_row_source_info {
    enum gt_row_kind rows;
    int ploidy;   /* of genotypes and their counts, see geno/model/ploidy.h */
    bool alleles; /* rows may be marked, as of one allele, and then are no sites */
    int64_t samples;
    int64_t sites;        /* -1 = not known before the end */
    size_t row_bytes;     /* about, of a row */
    int64_t read_minimum; /* memory that reading takes: at the least, and when all threads are kept busy */
    int64_t read_preferred;
    const struct gt_strs *ids; /* of the samples, or of the rows of a rectangle */
    int64_t rectangle;         /* so many samples are compared with those from the next multiple of GT_PAIR_STEP on; 0 = all with all */
    const struct gt_strs *column_ids;             /* of those */
    const uint32_t *row_samples, *column_samples; /* of a rectangle within one input: numbers of its samples; else NULL */
    const struct gt_strs *plink_ids;              /* "FID<tab>IID" of the samples; NULL: not known */
    const char *name;                             /* for messages */
    uint64_t digest;                        /* of all rows, whatever their order; complete after the first pass, where it was asked for */
    const struct gt_counts_head *counts;    /* of GT_ROWS_COUNTS: what they are of; else NULL */
    const struct gt_variant_ranges *ranges; /* of all rows, as the digest; NULL: not known */
    bool whole;                             /* values are whole numbers from -128 to 255, or missing */
    int64_t slab_row;                       /* bytes of a row of what is made many rows at a time (calc/row_source_slab.h); else 0 */
};

/* Passes over the input for each of the rows, with such a share of memory. */
int64_t gt_row_source_reads(const struct gt_row_source_info *info, int64_t memory);

struct gt_row_source_opts {
    int64_t block_sites; /* rows of a block, at most */
    bool again;          /* rewind will be called */
    bool digest;         /* info.digest is wanted; of genotypes */
    int64_t keep;        /* bytes of memory that rows may take between passes then */
    int64_t memory;      /* share of reading, read_least or more */
};

struct gt_row_source_ops {
    int (*start)(struct gt_row_source *row_source, const struct gt_row_source_opts *opts, struct gt_err *err); /* before the first next */
    /* The next rows, not none; GT_END after the last.  They are the caller's until done(held),
     * which any thread may call, and must come back without one more next. */
    int (*next)(struct gt_row_source *row_source, struct gt_rows *rows, const void **held, struct gt_err *err);
    void (*done)(struct gt_row_source *row_source, const void *held);
    /* For another pass: after GT_END, with all rows back. */
    int (*rewind)(struct gt_row_source *row_source, struct gt_err *err);
    void (*free)(struct gt_row_source *row_source); /* not what it was made of */
};
struct gt_row_source {
    const struct gt_row_source_ops *ops;
    struct gt_row_source_info info;
};

/* alleles: rows of these are wanted, of a source that was opened for them; they come where it has some.
 * The source or matrix is borrowed, and nobody else's meanwhile.  The matrix is of
 * (sites, samples), cast to GT_F64; ids: one a column. */
int gt_row_source_genotypes(struct gt_row_source **out, struct gt_engine *engine, struct gt_source *source, enum gt_allele_rows alleles,
                            struct gt_err *err);
int gt_row_source_matrix(struct gt_row_source **out, struct gt_matrix *matrix, const struct gt_strs *ids, struct gt_err *err);

/* Variants in the place of samples, and samples as sites, over each of which slabs of variants are
 * turned.  The source was opened with `again`, GT_SITE_ID and GT_SITE_POS, and is read once for the names of its variants. */
int gt_row_source_variants(struct gt_row_source **out, struct gt_engine *engine, struct gt_source *source, struct gt_err *err);

/* Some samples of a row_source, by number: rows alone, compared with each other, or rows and columns of
 * a rectangle, which may have samples in common.  The row_source becomes part of it, unless this fails. */
int gt_row_source_gather(struct gt_row_source **out, struct gt_engine *engine, struct gt_row_source *from, const uint32_t *rows,
                         int64_t n_rows, const uint32_t *columns, int64_t n_columns, struct gt_err *err);
/* Samples of one row_source as rows, of another as columns, over the same sites.  Both become part of
 * it, unless this fails.  GT_INPUT when the one is of genotypes and the other not, or where their
 * numbers of sites differ, then or at the end of a pass. */
int gt_row_source_join(struct gt_row_source **out, struct gt_engine *engine, struct gt_row_source *rows, struct gt_row_source *columns,
                       struct gt_err *err);
/* Files of pair counts, as calc/counts.h has them: all parts of one input, or with `sum` of
 * several, which have no variant in common.  GT_INPUT where a part is missing or there twice, where they are of different
 * samples or metrics, where two may have a variant in common, and, at the end of a pass, where one is damaged.  paths are
 * borrowed. */
enum gt_counts_sum { GT_COUNTS_ONE, GT_COUNTS_SUM, GT_COUNTS_SUM_OVERLAPS /* even so */ };
int gt_row_source_counts(struct gt_row_source **out, struct gt_engine *engine, const char *const *paths, int n_paths,
                         enum gt_counts_sum sum, struct gt_err *err);

#endif
