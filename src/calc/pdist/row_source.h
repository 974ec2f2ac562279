/* Row sources: iterators over rows of sites with a value per sample, the input of accumulators, over one or more passes.
 * Implemented for genotypes (packed rows) and plain arrays (float64). */
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
    bool plain;   /* packed rows of a plain array */
    bool alleles; /* rows may be marked, as of one allele, and then are no sites */
    int64_t samples;
    int64_t sites;        /* -1 = not known before the end */
    int64_t most;         /* then: at most so many; -1 = not known either.  Genotypes only */
    size_t row_bytes;     /* approximate bytes of a row */
    int64_t read_minimum; /* memory for reading */
    int64_t read_preferred;
    const struct gt_strs *ids; /* of the samples, or of the rows of a rectangle */
    int64_t rectangle;         /* number of samples compared with those from the next multiple of GT_PAIR_STEP on; 0 = all with all */
    const struct gt_strs *column_ids;             /* of the latter */
    const uint32_t *row_samples, *column_samples; /* of a rectangle within one input: sample indices; else NULL */
    const struct gt_strs *plink_ids;              /* "FID<tab>IID" of the samples; NULL: not known */
    const char *name;                             /* for messages */
    uint64_t digest;                              /* of all rows in any order; complete after the first pass, if requested */
    const struct gt_counts_head *counts;          /* of GT_ROWS_COUNTS: their header; else NULL */
    const struct gt_variant_ranges *ranges;       /* of all rows, complete like the digest; NULL: not known */
    bool whole;                                   /* values are integers from -128 to 255, or missing */
    int64_t slab_row;                             /* bytes of a row made in slabs (row_source_transposed.h); else 0 */
    bool divisible;                               /* `share` is possible: each rank reads its rows only */
    int64_t share_most;                           /* rows that the first rank then reads, before filters; -1 = not known */
};

/* Passes over the input per pass over the rows, with this memory for reading. */
int64_t gt_row_source_reads(const struct gt_row_source_info *info, int64_t memory);

struct gt_row_source_opts {
    int64_t block_sites; /* maximum rows of a block */
    bool again;          /* rewind will be called */
    bool gathered;       /* rows of short blocks wait for others before they are summed, so blocks may be short; genotypes only */
    bool exact;          /* every block but the last of a pass has block_sites rows; genotypes only */
    bool digest;         /* compute info.digest; genotypes only */
    bool share;          /* of several ranks: deliver the rows of this rank, in any blocks; divisible ones only */
    int64_t keep;        /* then: memory for rows cached between passes */
    int64_t memory;      /* memory for reading, at least read_minimum */
};

struct gt_row_source_ops {
    int (*start)(struct gt_row_source *row_source, const struct gt_row_source_opts *opts, struct gt_err *err); /* before the first next */
    /* The next rows, at least one; GT_END after the last.  Owned by the caller until done(held), which may be called on any thread and
     * must be called before the next call of next. */
    int (*next)(struct gt_row_source *row_source, struct gt_rows *rows, const void **held, struct gt_err *err);
    void (*done)(struct gt_row_source *row_source, const void *held);
    /* Starts another pass after GT_END; all rows must have been returned. */
    int (*rewind)(struct gt_row_source *row_source, struct gt_err *err);
    void (*free)(struct gt_row_source *row_source); /* does not free its input */
};
struct gt_row_source {
    const struct gt_row_source_ops *ops;
    struct gt_row_source_info info;
    /* Collective, after the first pass with `share`, when no flow runs: adds up what the ranks have counted.  NULL: not divisible. */
    int (*join)(struct gt_row_source *row_source, struct gt_err *err);
};

/* For implementations: rows in a buffer of their own, of so many bytes and a pad; it is what is held, and `done` frees it. */
int gt_row_source_rows_new(struct gt_buf **out, struct gt_budget *budget, size_t bytes, struct gt_err *err);
void gt_row_source_rows_done(struct gt_row_source *row_source, const void *held);

/* alleles: rows of these are wanted, of a source that was opened for them; they come where it has some.
 * The source or matrix is borrowed, and nobody else's meanwhile.  The matrix is of
 * (sites, samples), cast to GT_F64; ids: one a column. */
int gt_row_source_genotypes(struct gt_row_source **out, struct gt_engine *engine, struct gt_source *source, enum gt_allele_rows alleles,
                            struct gt_err *err);
int gt_row_source_matrix(struct gt_row_source **out, struct gt_matrix *matrix, const struct gt_strs *ids, struct gt_err *err);
/* Packed rows of a matrix of integers or booleans, which it sets to be delivered as stored.  next fails with GT_INPUT at a value above 2,
 * and with `literal` at one below -1, and gt_row_source_codes_others is true from then on: such a matrix takes gt_row_source_matrix. */
int gt_row_source_codes(struct gt_row_source **out, struct gt_engine *engine, struct gt_matrix *matrix, const struct gt_strs *ids,
                        bool literal, struct gt_err *err);
bool gt_row_source_codes_others(const struct gt_row_source *base);
/* Was a value below 0 met? */
bool gt_row_source_codes_negative(const struct gt_row_source *base);

/* Variants as samples and samples as sites, transposed in slabs of variants.  The source was opened with `again`, GT_SITE_ID and
 * GT_SITE_POS; a first pass reads the names of the variants. */
int gt_row_source_variants(struct gt_row_source **out, struct gt_engine *engine, struct gt_source *source, struct gt_err *err);

/* Samples by index: rows only, compared with each other (columns NULL), or rows and columns of a rectangle, which may share samples. */
struct gt_samples_picked {
    const uint32_t *rows, *columns;
    int64_t n_rows, n_columns;
};
/* Selects samples.  Takes over the row source on success. */
int gt_row_source_gather(struct gt_row_source **out, struct gt_engine *engine, struct gt_row_source *from,
                         const struct gt_samples_picked *picked, struct gt_err *err);
/* Samples of one row source as rows, of another as columns, over the same sites.  Takes over both on success.  GT_INPUT if only one
 * has genotypes, or if their numbers of sites differ, now or at the end of a pass. */
int gt_row_source_join(struct gt_row_source **out, struct gt_engine *engine, struct gt_row_source *rows, struct gt_row_source *columns,
                       struct gt_err *err);
/* Files of pair counts (calc/pairs/counts_file.h): all parts of one input or, with `sum`, of several inputs without common variants.
 * GT_INPUT if a part is missing or duplicated, if samples or metrics differ, if two files may share a variant and, at the end of a pass,
 * if one is damaged.  paths are borrowed. */
enum gt_counts_sum { GT_COUNTS_ONE, GT_COUNTS_SUM, GT_COUNTS_SUM_OVERLAPS /* even so */ };
int gt_row_source_counts(struct gt_row_source **out, struct gt_engine *engine, const char *const *paths, int n_paths,
                         enum gt_counts_sum sum, struct gt_err *err);

#endif
