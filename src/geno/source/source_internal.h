/* Internals of gt_source.
 *
 * The chain of stages of a source, from an input to the consumer:
 *
 *     reader with its compiled filter -> segment   one of the inputs
 *     -> concat                                    segments, one after another
 *     -> ids -> order -> dedup -> space -> thin_count -> ld_prune   as the options ask for them
 *     -> count -> alleles -> reblock               what the consumer has; reblock where it asks for fixed sizes, alleles
 *                                                  where it asks for rows of these
 *
 * With --concat samples the inputs are such segments too, joined by a reader (join_samples.h). */
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

/* The contigs, filters and warnings of all inputs, shared by the stages of a chain. */
struct gt_source_tables {
    struct gt_geno_info info;       /* describes the output of the chain */
    struct gt_strs warnings, notes; /* notes: see geno/model/absent.h */
    struct {
        bool samples, contigs[GT_FILTER_NAMES_CONTIGS], ids;
    } judged;                           /* of names in the options: those that are absent were reported */
    struct gt_names *contigs, *filters; /* name -> index in info */
    struct gt_strs *retired;            /* tables replaced by larger ones, which blocks may still refer to */
    size_t n_retired, cap_retired;
};

int gt_tables_init(struct gt_source_tables *tables, struct gt_budget *budget, struct gt_err *err);
void gt_tables_release(struct gt_source_tables *tables);
/* Appends the text to the warnings and releases it. */
int gt_tables_warn(struct gt_source_tables *tables, struct gt_str *text, struct gt_err *err);

/* Maps indices of an input to indices of the tables. */
struct gt_number_map {
    int32_t *to;
    size_t n;
};
/* Adds new entries of the input's tables. */
int gt_tables_add(struct gt_source_tables *tables, const struct gt_geno_info *in, struct gt_number_map *contigs,
                  struct gt_number_map *filters, struct gt_err *err);

/* --- stage_segment.c ------------------------------------------------------------------------ */

/* An input of a concatenation: a reader whose blocks get the indices of the shared tables. */
struct gt_segment {
    struct gt_stage stage;
    struct gt_reader *reader;
    struct gt_filter *filter;
    struct gt_source_tables *tables;
    struct gt_number_map contigs, filters;
    size_t warned;              /* warnings already copied */
    int64_t first;              /* index of its first variant in all inputs */
    int64_t sites;              /* variants of the whole input; -1 = not known */
    struct gt_locus first_site; /* for sorting; contig -1 = no sites */
    atomic_int users;           /* blocks held by the consumer in this pass, plus 1 until the last was read; 0: the reader has stopped */
};

/* Takes over the reader, also on failure. */
int gt_segment_open(struct gt_segment **out, struct gt_reader *reader, struct gt_source_tables *tables, struct gt_err *err);

/* --- stage_concat.c ------------------------------------------------------------------------- */

/* The last site before this segment, and including it. */
struct gt_reach {
    struct gt_locus high, top;
};

struct gt_extent {
    int64_t size;     /* bytes of the inputs, where all are text or BCF on disk; -1: not all of them are; 0 and -1: its tasks tell how far a
                         pass is */
    int64_t from, to; /* the range of variants that is read, of all inputs together */
    bool deal;        /* of struct gt_source_opts */
};

/* Inputs concatenated along variants; also used for a single input. */
struct gt_concat {
    struct gt_stage stage;
    struct gt_engine *engine;
    struct gt_source_tables tables;
    struct gt_select_opts select;
    struct gt_segment **segment;
    int n, current;
    struct gt_extent extent;
    struct gt_start start;       /* parameters of this or the next pass; at: NULL, or begin */
    struct gt_checkpoint begin;  /* start of this pass */
    struct gt_checkpoint before; /* of the block delivered last */
    struct gt_reach reach;
};

/* Initially without segments. */
int gt_concat_new(struct gt_concat **out, struct gt_engine *engine, const struct gt_source_opts *opts, int n, struct gt_err *err);
/* Takes over the reader, also on failure. */
int gt_concat_add(struct gt_concat *concat, struct gt_reader *reader, struct gt_err *err);
/* Sorts the segments by their first site, contigs in header order. */
int gt_concat_sort(struct gt_concat *concat, struct gt_err *err);
/* GT_FAIL if one of the inputs is a stream. */
int gt_concat_check_restart(const struct gt_concat *concat, struct gt_err *err);

/* --- properties of all inputs together: source_info.c --- */

/* GT_INPUT if their samples differ; errors of gt_select_check. */
int gt_concat_join_infos(struct gt_concat *concat, struct gt_err *err);
/* Sets info.n_variants and n_variants_max, after filters. */
void gt_concat_set_counts(struct gt_concat *concat);
/* Sets info.samples to the kept samples. */
int gt_concat_set_samples(struct gt_concat *concat, struct gt_err *err);

/* --- the selection: source_filters.c, source_sexes.c, source_count.c ------------------------ */

/* Creates the filters of all segments; full: without genotype filters. */
int gt_concat_make_filters(struct gt_concat *concat, bool full, struct gt_err *err);
/* Numbers the variants of the segments consecutively. */
int gt_concat_place_filters(struct gt_concat *concat, struct gt_err *err);
/* Names in the options that no input has, by the rule of geno/model/absent.h: samples and contigs; before the end, an input may still
 * add contigs missing from its header. */
int gt_concat_check_absent(struct gt_concat *concat, bool at_end, struct gt_err *err);
/* Variant IDs, after a pass over the inputs; comm: of all ranks, each of which made a part of it; else NULL. */
int gt_concat_check_ids(struct gt_concat *concat, struct gt_comm *comm, struct gt_err *err);
/* Sexes from the first input that has X, Y or MT; NULL: none has, or no option uses them. */
const struct gt_sexes *gt_concat_sexes(const struct gt_concat *concat);
/* GT_INPUT, naming the sample, if one input has it as male and another as female. */
int gt_concat_check_sexes(const struct gt_concat *concat, struct gt_err *err);
/* Counts the variants if a slice counts from the end. */
int gt_concat_count_variants(struct gt_concat *concat, struct gt_err *err);
/* --thin-count: counts the variants that it chooses from, once samples and filters are set. */
int gt_concat_count_thin(struct gt_concat *concat, struct gt_err *err);
/* --mind: makes a pass over all sites and drops samples. */
int gt_concat_drop_samples(struct gt_concat *concat, struct gt_err *err);

/* --- opening: source_open.c, source_concat_samples.c ---------------------------------------- */

/* The inputs with the selection applied, all that was to be counted counted; without the stages after them. */
int gt_inputs_open(struct gt_concat **out, struct gt_engine *engine, const struct gt_source_opts *opts, struct gt_err *err);
/* The inputs side by side, as the only segment.  again: they will be read more than once. */
int gt_concat_add_samples(struct gt_concat *concat, const struct gt_source_opts *opts, bool again, struct gt_err *err);

/* --- stages over the concatenated inputs --- */

/* Each function adds a stage after *last and updates it; on failure *last is unchanged. */

/* stage_ids.c: --set-all-var-ids. */
int gt_ids_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err);
/* stage_order.c: warns once if sites are not sorted; required: an option for which they must be, else GT_INPUT; or NULL. */
int gt_order_open(struct gt_stage **last, struct gt_source_tables *tables, const char *required, struct gt_err *err);
/* stage_dedup.c: --rm-dup; requires sorted sites. */
int gt_dedup_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err);
/* stage_thin.c: --bp-space, requires sorted sites; --thin-count, requires inputs->select.thin_total. */
int gt_space_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err);
int gt_thin_count_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err);
/* stage_ld_prune.c: --ld-prune; ids: see gt_source_pruned_ids. */
int gt_ld_prune_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err);
const struct gt_strs *gt_ld_prune_ids(const struct gt_stage *last);
/* stage_count.c: numbers and counts the output, also for --require-sites. */
int gt_count_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err);
const struct gt_select_stats *gt_count_stats(const struct gt_stage *count);
/* Ends passes without looking at what came, until gt_count_set. */
void gt_count_part(struct gt_stage *count);
int64_t gt_count_delivered(const struct gt_stage *count); /* in this pass */
/* The statistics of all ranks, counted beforehand; left: variants.  Errors of --require-sites. */
int gt_count_set(struct gt_stage *count, int64_t left, const struct gt_select_stats *stats, struct gt_err *err);

/* stage_alleles.c: rows of single alleles, of blocks with sites; what leaves it has none where it adds rows. */
int gt_alleles_open(struct gt_stage **last, struct gt_engine *engine, const struct gt_reblock_opts *opts, struct gt_err *err);
/* Rows of a block that it makes, at most, and the bytes of these, of which two stand at a time. */
#define GT_ALLELE_ROWS 64
/* stage_reblock.c: gt_source_reblock. */
int gt_reblock_open(struct gt_stage **last, struct gt_engine *engine, const struct gt_reblock_opts *opts, struct gt_err *err);

/* What a chain is for.  A preliminary pass has no warnings and no pruning; that of --mind has only the stages before it in the order of
 * options, and --rm-dup. */
enum gt_chain { GT_CHAIN_READ, GT_CHAIN_COUNT, GT_CHAIN_MIND };
/* source_chain.c: builds the stages required by the options. */
int gt_chain_build(struct gt_stage **last, struct gt_concat *inputs, enum gt_chain purpose, struct gt_err *err);
/* Closes the stages after `end`. */
void gt_chain_close(struct gt_stage *last, const struct gt_stage *end);

/* Helpers for stages that pass blocks on. */
struct gt_stage gt_stage_over(struct gt_stage *in, const struct gt_stage_ops *ops);
void gt_stage_needs_of_in(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs);
void gt_stage_stop_in(struct gt_stage *stage);

/* --- block_compact.c ------------------------------------------------------------------------ */

/* Moves row `from` with its site to row `to` <= from. */
void gt_block_move_row(struct gt_block *block, int64_t from, int64_t to);
/* Keeps the first n rows and recomputes the statistics from them.  info: of the chain; haplotypes: rows are haplotypes. */
int gt_block_cut(struct gt_block *block, int64_t n, const struct gt_geno_info *info, bool haplotypes, struct gt_err *err);

struct gt_source {
    struct gt_engine *engine;
    struct gt_concat *inputs;
    struct gt_stage *count, *last; /* last: count or reblock */
    struct gt_start start;         /* of the next pass */
    struct gt_checkpoint at;       /* target of start.at */
    bool started;
    int64_t shared; /* variants of the blocks that `part` is of; 0: gt_source_share was not called */
    struct gt_block_part part;
};

#endif
