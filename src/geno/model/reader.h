/* Readers: what each kind of genotype input provides to gt_source. */
#ifndef GT_GENO_READER_H
#define GT_GENO_READER_H

#include "geno/select/filter.h"
#include "geno/source/source.h"
#include "storage/input/input.h"

struct gt_reader;

/* What a pass takes of memory, see gt_source_info. */
struct gt_reader_needs {
    int64_t least, wanted;
    int64_t block; /* variants of a block, at most, about */
};

struct gt_reader_ops {
    /* ... with these site fields.  What is given beyond the least is used as it comes. */
    void (*needs)(const struct gt_reader *reader, unsigned fields, struct gt_reader_needs *needs);
    /* Begin reading ahead from the first variant.  Blocks come out filtered
     * (gt_filter_block is called on the reader's worker threads), with the site
     * fields asked for.  memory: the reader's share of the budget. */
    int (*start)(struct gt_reader *reader, const struct gt_filter *filter, unsigned fields, int64_t memory, struct gt_err *err);
    /* Next block in order, GT_END after the last. */
    int (*next)(struct gt_reader *reader, struct gt_block **block, struct gt_err *err);
    void (*done)(struct gt_reader *reader, struct gt_block *block);
    /* Stop the flows; start may follow when can_restart. */
    void (*stop)(struct gt_reader *reader);
    void (*free)(struct gt_reader *reader);
};

/* Where a pass begins, rather than with the first variant: as a block said it (place, line, and first as `record`). */
struct gt_reader_from {
    bool given;
    uint64_t place;
    int64_t line, record;
};

/* Base of every reader; filled in by its open function. */
struct gt_reader {
    const struct gt_reader_ops *ops;
    struct gt_engine *engine;
    struct gt_source_info info; /* of the whole input, before selection */
    struct gt_strs warnings;    /* in order; touched on the thread of next only */
    bool can_restart;           /* a file or a directory; a pipe cannot */
    struct gt_reader_from from; /* of the next start, only given where a block had a place */
    bool recounts;              /* it looks at all calls in every pass: those before a mark are counted again */
    bool unnumbered;            /* set by start: block.first counts what is read, an index leaves out the rest */
    int64_t passed_over;        /* set by start: variants that it will not look at, see gt_filter_window */
    int64_t counted;            /* at GT_END: variants of the whole input, where it got to its end; else -1 */
};

/* Open functions take over *input on success. */
int gt_reader_open_vcf(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const struct gt_select_opts *select,
                       struct gt_err *err); /* VCF and BCF */
int gt_reader_open_pgen(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err);
int gt_reader_open_bed(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err);
/* EIGENSTRAT's text and packed ANCESTRYMAP, by sites or by samples. */
int gt_reader_open_eigenstrat(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err);
/* Directory, zip or tar stream: a group's packed_dosage, call_genotype or calldata/GT,
 * or the array named.  slice_ploidy: index on the ploidy axis of call_genotype
 * (":,:,1": the stored allele numbers, 0..2 only), or -1 for dosages.  sites: --sites, or NULL.  haplotypes, columns: GT_SITE_HAPLOTYPES,
 * GT_SITE_COLUMNS will be asked for; with columns there may be no genotypes. */
int gt_reader_open_zarr(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const char *array, int slice_ploidy,
                        const char *sites, bool haplotypes, bool columns, bool again, struct gt_err *err);

void gt_reader_base_release(struct gt_reader *reader); /* info and warnings */

#endif
