/* Converts an array of a store to an array with other chunks, codec, format and type, optionally sliced and with its axes
 * reordered. */
#ifndef GT_CALC_RECHUNK_H
#define GT_CALC_RECHUNK_H

#include "arrays/matrix/view.h"
#include "calc/rechunk/plan.h"
#include "calc/rechunk/reduce.h"
#include "core/engine/engine.h"

/* Representation of items in chunks. */
enum gt_item_layout {
    GT_ITEMS_PLAIN,
    /* int8 allele counts, -1 missing, of variants and samples: */
    GT_ITEMS_PACKED,     /* as in packed_dosage, see gt-packed(5) */
    GT_ITEMS_CALLS,      /* two alleles each, as in call_genotype: read by the rule of geno/model/dosage.h, written unphased */
    GT_ITEMS_CALLS_MASK, /* as in call_genotype_mask; */
    GT_ITEMS_PHASED,     /* as in call_genotype_phased, all false; the last two are written only */
};

/* The source or the output array of a rechunking. */
struct gt_rechunk_end {
    struct gt_array *array;
    enum gt_item_layout form;
    int ploidy; /* of genotypes read, see geno/model/ploidy.h */
    int ndim;
    int64_t shape[GT_MAX_DIMS];
    int64_t cell[GT_MAX_DIMS]; /* read chunks of the source, or chunks of the output */
    enum gt_type type;
    size_t item;                /* bytes; 0 for strings of variable length */
    int64_t first[GT_MAX_DIMS]; /* of a part of the output: the index of its first chunk in the array */
    const struct gt_reduction
        *reduction;                /* of what is written: it is made of all items along the axes that the view lacks; NULL: they have one */
    struct gt_reduction_skip skip; /* values ignored by the reduction */
    /* Of the output: a chunk of fill values alone is not written where all source chunks that it is made of are absent, or
     * anywhere. */
    bool drop_absent, drop_empty;
};
/* samples: of packed genotypes.  The array is borrowed. */
void gt_rechunk_end_init(struct gt_rechunk_end *end, struct gt_array *array, bool written, enum gt_item_layout form, int64_t samples);

/* Name of an array in messages: its path, or the name of the store for a root array. */
const char *gt_rechunk_name(const struct gt_array *array);

struct gt_rechunk;

/* from -> to: `to` is a new array, or a part of it that begins and ends with chunks, whose shape is that of the view of `from`; of another
 * type its numbers are cast. */
struct gt_rechunk_setup {
    const struct gt_rechunk_end *from, *to;
    const struct gt_matrix_view *view;
    bool wrap; /* numbers that do not fit the type are wrapped, as C does; else the first of them is GT_INPUT, naming it, when it is met */
    int64_t memory; /* in bytes */
};

/* A plan within the memory.  All are copied, the arrays in them borrowed.
 * GT_USAGE: there is no cast between the types, or nothing to fold them with; GT_NOFIT, with the smallest --memory that would do. */
int gt_rechunk_new(struct gt_rechunk **out, struct gt_engine *engine, const struct gt_rechunk_setup *setup, struct gt_err *err);
const struct gt_rechunk_plan *gt_rechunk_plan(const struct gt_rechunk *rechunk);
/* Puts all chunks, but those that the store says are done; metadata are the caller's.  Once only. */
int gt_rechunk_run(struct gt_rechunk *rechunk, struct gt_err *err);
/* Totals so far. */
struct gt_rechunk_done {
    int64_t read, written;           /* bytes as stored */
    int64_t chunks_kept, bytes_kept; /* chunks completed by an earlier run (gt_store_resume) */
};
struct gt_rechunk_done gt_rechunk_done(const struct gt_rechunk *rechunk);
void gt_rechunk_free(struct gt_rechunk *rechunk); /* NULL is allowed */

#endif
