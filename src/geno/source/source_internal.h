/* What the files of gt_source share. */
#ifndef GT_GENO_SOURCE_IMPL_H
#define GT_GENO_SOURCE_IMPL_H

#include <stdatomic.h>

#include "geno/model/reader.h"
#include "geno/select/filter.h"
#include "geno/source/source.h"

/* One of the inputs that are joined along variants. */
struct piece {
    struct gt_stage stage; /* the owner of its blocks */
    struct gt_reader *reader;
    struct gt_filter *filter;
    int32_t *contigs, *filters; /* numbers in the input -> numbers in the source */
    size_t n_contigs, n_filters;
    size_t warned;        /* warnings already taken over */
    int64_t first;        /* number of its first variant among all */
    int64_t sites;        /* variants of the whole input, -1 = not known */
    int32_t first_contig; /* of its first site, for the order; -1 = no sites */
    int64_t first_position;
    atomic_int users; /* of a pass: blocks that the consumer has, and 1 until the last one was read; 0: the reader has stopped */
};

struct gt_pruning;
struct gt_duplicates;
struct gt_source {
    struct gt_engine *engine;
    struct gt_geno_info info;
    struct gt_select_opts select;
    struct gt_select_stats stats;
    struct gt_strs warnings;
    struct gt_names *contigs, *filters; /* name -> number in info */
    struct gt_strs *retired;            /* what info's contigs and filters were before they grew */
    size_t n_retired, cap_retired;
    struct piece *pieces;
    int n, current;
    int64_t size; /* bytes of the inputs, where all are text or BCF on disk; -1: not all of them are; 0 and -1: its tickets tell how far a
                     pass is */
    unsigned fields;
    int64_t memory, delivered;
    int64_t from, to; /* gt_source_range */
    bool resumed;     /* `from` is of this pass only; what it is else, and the statistics: */
    int64_t whole_from;
    struct gt_select_stats whole_stats;
    struct gt_checkpoint mark;
    bool continued; /* from a mark */
    bool counting;  /* a pass before the first one: nothing is said of what it delivers */
    bool said_empty, said_unsorted;
    int32_t last_contig; /* of the site before */
    int64_t last_position;
    struct gt_buf contigs_seen; /* a byte each */
    int32_t high_contig;        /* the last site of the pieces before the current one */
    int64_t high_position;
    int32_t top_contig; /* and with the current one */
    int64_t top_position;
    struct gt_pruning *pruning;       /* NULL: none */
    struct gt_duplicates *duplicates; /* of --rm-dup; NULL: none */
};

/* Numbers in the source for what the input's tables have grown by. */
int gt_source_extend_maps(struct gt_source *source, struct piece *piece, struct gt_err *err);
/* Contigs and filters of the piece's block, as delivered, become numbers in the source.  Looks at
 * the order: pieces must follow one another, and sites that do not are told of once. */
int gt_source_number_sites(struct gt_source *source, struct piece *piece, struct gt_block *block, struct gt_err *err);
/* Variants of all inputs, counted in a pass where that is not known. */
int gt_source_total(struct gt_source *source, int64_t *total, struct gt_err *err);
/* A slice that counts from the end needs to know where that is. */
int gt_source_count_variants(struct gt_source *source, struct gt_err *err);
/* The sexes of the first input that has X, Y or MT, as its filter knows them; NULL: none has, or nobody asks. */
const struct gt_sexes *gt_source_any_sexes(const struct gt_source *source);
/* GT_INPUT, naming the sample: inputs that both ask for sexes have it as male and as female. */
int gt_source_check_sexes(const struct gt_source *source, struct gt_err *err);
/* --mind: which samples stay is known after a pass over all sites. */
int gt_source_drop_samples(struct gt_source *source, struct gt_err *err);
/* source_mark.c: in front of a block, as its reader gives it. */
void gt_source_set_mark(struct gt_source *source, const struct piece *piece, const struct gt_block *block);
/* Adds the text to the warnings and releases it. */
int gt_source_warn(struct gt_source *source, struct gt_str *text, struct gt_err *err);
void gt_source_init_piece(struct piece *piece, struct gt_reader *reader);
void gt_source_stop_piece(struct piece *piece);
void gt_source_begin_pass(struct gt_source *source);
/* --require-sites.  delivered: rows in all, or as many as there can be. */
int gt_source_check_enough(const struct gt_source *source, int64_t delivered, bool bound, struct gt_err *err);

/* What stays depends on the variants before it: none but the first can be begun with. */
static inline bool gt_source_in_turn(const struct gt_source *source)
{
    return source->pruning || source->duplicates;
}

/* --- what the source tells: source_info.c --------------------------------------------------- */

/* What all pieces say together.  GT_INPUT where their samples differ, and errors of gt_select_check. */
int gt_source_join_infos(struct gt_source *source, struct gt_err *err);
/* info.n_variants and n_variants_max, of what filters and range leave. */
void gt_source_set_counts(struct gt_source *source);
/* info.samples, of those that the filters keep. */
int gt_source_set_samples(struct gt_source *source, struct gt_err *err);

/* --- the selection: source_filters.c ----------------------------------------------------- */

/* Filters for all pieces; full: without those that look at genotypes. */
int gt_source_make_filters(struct gt_source *source, bool full, struct gt_err *err);
/* Numbers the pieces' variants: one after another. */
int gt_source_place_filters(struct gt_source *source, struct gt_err *err);
/* GT_INPUT for a contig that the options name and no input has.  Before the end an input may still bring contigs that its
 * header lacks. */
int gt_source_check_absent(const struct gt_source *source, bool at_end, struct gt_err *err);

/* --- --concat samples: source_beside.c --- */

/* The inputs as the one piece of the source.  again: they will be read more than once. */
int gt_source_open_beside(struct gt_source *source, const struct gt_source_opts *opts, bool again, struct gt_err *err);

/* --- --rm-dup: source_dup.c ------------------------------------------------------------- */

int gt_source_dup_open(struct gt_source *source, struct gt_err *err);
void gt_source_dup_rewind(struct gt_source *source);
void gt_source_dup_free(struct gt_source *source);
/* Of a block whose sites have the source's numbers: leaves out those that were there before, and
 * counts them in its statistics, not yet added to those of all. */
int gt_source_drop_duplicates(struct gt_source *source, struct gt_block *block, struct gt_err *err);

/* --- rows that go although their filter let them through: source_rows.c --- */

/* Row `from` of the block becomes row `to`, before it or the same. */
void gt_source_move_row(struct gt_block *block, int64_t from, int64_t to);
/* What stats counts of row v, the reason aside. */
void gt_source_uncount_row(const struct gt_source *source, struct gt_select_stats *stats, const struct gt_block *block, int64_t v);
/* Only the first n are left. */
int gt_source_cut_rows(struct gt_block *block, int64_t n, struct gt_err *err);

/* --- --ld-prune: source_prune.c ---------------------------------------------------------- */

int gt_source_prune_open(struct gt_source *source, struct gt_err *err);
/* Adds what it takes of memory to what reading does. */
void gt_source_prune_measure(struct gt_source *source);
void gt_source_prune_rewind(struct gt_source *source);
void gt_source_prune_free(struct gt_source *source);
/* As gt_source_next without it, and with it. */
int gt_source_next_unpruned(struct gt_source *source, struct gt_block **block, struct gt_err *err);
int gt_source_next_pruned(struct gt_source *source, struct gt_block **block, struct gt_err *err);

#endif
