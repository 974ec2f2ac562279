/* What the files of gt_source share.
 *
 * The chain of a source, from an input to the consumer:
 *
 *     reader with its compiled filter -> segment   one of the inputs
 *     -> concat                                    segments, one after another
 *     -> order -> dedup -> ld_prune                as the options ask for them
 *     -> count -> alleles -> reblock               what the consumer has; reblock where it asks for fixed sizes, alleles
 *                                                  where it asks for rows of these
 *
 * With --concat samples the inputs are such segments too, and a reader puts them side by side (join_samples.h). */
#ifndef GT_GENO_SOURCE_IMPL_H
#define GT_GENO_SOURCE_IMPL_H

#include <stdatomic.h>

#include "geno/model/reader.h"
#include "geno/select/filter.h"
#include "geno/source/source.h"

struct gt_locus {
    int32_t contig;
    int64_t position;
};

/* --- tables: source_tables.c ---------------------------------------------------------------- */

/* One table of contigs and filters for all inputs, and the warnings met on the way: what the stages of a chain share. */
struct gt_source_tables {
    struct gt_geno_info info; /* of what leaves the chain */
    struct gt_strs warnings;
    struct gt_names *contigs, *filters; /* name -> number in info */
    struct gt_strs *retired;            /* what info's contigs and filters were before they grew */
    size_t n_retired, cap_retired;
};

int gt_tables_init(struct gt_source_tables *tables, struct gt_budget *budget, struct gt_err *err);
void gt_tables_release(struct gt_source_tables *tables);
/* Adds the text to the warnings and releases it. */
int gt_tables_warn(struct gt_source_tables *tables, struct gt_str *text, struct gt_err *err);

/* Numbers in an input -> numbers in the tables. */
struct gt_number_map {
    int32_t *to;
    size_t n;
};
/* For what the input's tables have grown by. */
int gt_tables_add(struct gt_source_tables *tables, const struct gt_geno_info *in, struct gt_number_map *contigs,
                  struct gt_number_map *filters, struct gt_err *err);

/* --- stage_segment.c ------------------------------------------------------------------------ */

/* One of the inputs that are joined along variants: a reader, whose blocks get the numbers of the tables. */
struct gt_segment {
    struct gt_stage stage;
    struct gt_reader *reader;
    struct gt_filter *filter;
    struct gt_source_tables *tables;
    struct gt_number_map contigs, filters;
    size_t warned;              /* warnings already taken over */
    int64_t first;              /* number of its first variant among all */
    int64_t sites;              /* variants of the whole input; -1 = not known */
    struct gt_locus first_site; /* for the order; contig -1 = no sites */
    atomic_int users;           /* of a pass: blocks that the consumer has, and 1 until the last one was read; 0: the reader has stopped */
};

/* Takes over the reader, on failure too. */
int gt_segment_open(struct gt_segment **out, struct gt_reader *reader, struct gt_source_tables *tables, struct gt_err *err);

/* --- stage_concat.c ------------------------------------------------------------------------- */

/* The last site: of the segments before this one, and with this one. */
struct gt_reach {
    struct gt_locus high, top;
};

/* Inputs joined along variants; the only one, where there is one alone. */
struct gt_concat {
    struct gt_stage stage;
    struct gt_engine *engine;
    struct gt_source_tables tables;
    struct gt_select_opts select;
    struct gt_segment **segment;
    int n, current;
    int64_t size; /* bytes of the inputs, where all are text or BCF on disk; -1: not all of them are; 0 and -1: its tasks tell how far a
                     pass is */
    struct gt_start start;       /* of this pass, or as a pass of the consumer will begin; at: NULL, or begin */
    struct gt_checkpoint begin;  /* where this pass began */
    struct gt_checkpoint before; /* of the block delivered last */
    struct gt_reach reach;
};

/* Without segments yet. */
int gt_concat_new(struct gt_concat **out, struct gt_engine *engine, const struct gt_source_opts *opts, int n, struct gt_err *err);
/* Takes over the reader, on failure too. */
int gt_concat_add(struct gt_concat *concat, struct gt_reader *reader, struct gt_err *err);
/* Segments by their first site, contigs in header order. */
int gt_concat_sort(struct gt_concat *concat, struct gt_err *err);
/* GT_FAIL: one of the inputs is a stream. */
int gt_concat_check_restart(const struct gt_concat *concat, struct gt_err *err);

/* --- what the inputs are together: source_info.c -------------------------------------------- */

/* GT_INPUT where their samples differ, and errors of gt_select_check. */
int gt_concat_join_infos(struct gt_concat *concat, struct gt_err *err);
/* info.n_variants and n_variants_max, of what filters leave. */
void gt_concat_set_counts(struct gt_concat *concat);
/* info.samples, of those that the filters keep. */
int gt_concat_set_samples(struct gt_concat *concat, struct gt_err *err);

/* --- the selection: source_filters.c, source_sexes.c, source_count.c ------------------------ */

/* Filters for all segments; full: without those that look at genotypes. */
int gt_concat_make_filters(struct gt_concat *concat, bool full, struct gt_err *err);
/* Numbers the segments' variants: one after another. */
int gt_concat_place_filters(struct gt_concat *concat, struct gt_err *err);
/* GT_INPUT for a contig that the options name and no input has.  Before the end an input may still bring contigs that its
 * header lacks. */
int gt_concat_check_absent(const struct gt_concat *concat, bool at_end, struct gt_err *err);
/* The sexes of the first input that has X, Y or MT, as its filter knows them; NULL: none has, or nobody asks. */
const struct gt_sexes *gt_concat_sexes(const struct gt_concat *concat);
/* GT_INPUT, naming the sample: inputs that both ask for sexes have it as male and as female. */
int gt_concat_check_sexes(const struct gt_concat *concat, struct gt_err *err);
/* A slice that counts from the end needs to know where that is. */
int gt_concat_count_variants(struct gt_concat *concat, struct gt_err *err);
/* --mind: which samples stay is known after a pass over all sites. */
int gt_concat_drop_samples(struct gt_concat *concat, struct gt_err *err);

/* --- opening: source_open.c, source_concat_samples.c ---------------------------------------- */

/* The inputs with the selection applied, all that was to be counted counted; without the stages behind them. */
int gt_inputs_open(struct gt_concat **out, struct gt_engine *engine, const struct gt_source_opts *opts, struct gt_err *err);
/* The inputs side by side, as the only segment.  again: they will be read more than once. */
int gt_concat_add_samples(struct gt_concat *concat, const struct gt_source_opts *opts, bool again, struct gt_err *err);

/* --- stages over the inputs ----------------------------------------------------------------- */

/* Each puts itself on top of *last, which it goes by for all that a stage is; *last stays as it was on failure. */

/* stage_order.c: a warning, once, where sites are not in order; required: GT_INPUT. */
int gt_order_open(struct gt_stage **last, struct gt_source_tables *tables, bool required, struct gt_err *err);
/* stage_dedup.c: --rm-dup, of sites in order. */
int gt_dedup_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err);
/* stage_ld_prune.c: --ld-prune; ids: see gt_source_pruned_ids. */
int gt_ld_prune_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err);
const struct gt_strs *gt_ld_prune_ids(const struct gt_stage *last);
/* stage_count.c: numbers and counts what is left, for --require-sites too. */
int gt_count_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err);
const struct gt_select_stats *gt_count_stats(const struct gt_stage *count);

/* stage_alleles.c: rows of single alleles, of blocks with sites; what leaves it has none where it adds rows. */
int gt_alleles_open(struct gt_stage **last, struct gt_engine *engine, const struct gt_reblock_opts *opts, struct gt_err *err);
/* Rows of a block that it makes, at most, and the bytes of these, of which two stand at a time. */
#define GT_ALLELE_ROWS 64
/* stage_reblock.c: gt_source_reblock. */
int gt_reblock_open(struct gt_stage **last, struct gt_engine *engine, const struct gt_reblock_opts *opts, struct gt_err *err);

/* source_chain.c: the stages that the options ask for over the inputs.  counting: of a pass that is made beforehand, of which nothing
 * is said and no variant is pruned. */
int gt_chain_build(struct gt_stage **last, struct gt_concat *inputs, bool counting, struct gt_err *err);
/* Closes the stages down to `end`, not itself. */
void gt_chain_close(struct gt_stage *last, const struct gt_stage *end);

/* Parts of a stage that passes blocks on. */
struct gt_stage gt_stage_over(struct gt_stage *in, const struct gt_stage_ops *ops);
void gt_stage_needs_of_in(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs);
void gt_stage_stop_in(struct gt_stage *stage);

/* --- block_compact.c ------------------------------------------------------------------------ */

/* Row `from`, with its site, becomes row `to`, which is not behind it. */
void gt_block_move_row(struct gt_block *block, int64_t from, int64_t to);
/* Leaves the first n rows, and has its statistics count what is in them.  info: of the chain; haplotypes: of its rows. */
int gt_block_cut(struct gt_block *block, int64_t n, const struct gt_geno_info *info, bool haplotypes, struct gt_err *err);

struct gt_source {
    struct gt_engine *engine;
    struct gt_concat *inputs;
    struct gt_stage *count, *last; /* last: count, or reblock */
    struct gt_start start;         /* of the next pass */
    struct gt_checkpoint at;       /* what start.at points to */
    bool started;
};

#endif
