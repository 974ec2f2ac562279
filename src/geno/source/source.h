/* A genotype source: any genotype input as a sequence of blocks with the selection applied.  Its flows read ahead, parse or decode,
 * and filter on the threads of the engine. */
#ifndef GT_GENO_SOURCE_H
#define GT_GENO_SOURCE_H

#include "core/engine/engine.h"
#include "geno/model/block.h"
#include "geno/model/geno_info.h"

struct gt_checkpoint;
struct gt_source;

struct gt_input;
struct gt_source_opts {
    const char *const *paths; /* as given; "-" allowed once */
    int n_paths;              /* several are concatenated along variants */
    struct gt_input *opened;  /* the first input if it is already open: taken over; else NULL */
    const char *array;        /* --array, or NULL */
    const struct gt_select_opts *select;
    unsigned fields; /* enum gt_site_fields the consumer needs */
    bool again;      /* gt_source_rewind will be called: streams are spooled */
    bool deal;       /* all ranks read all blocks, to the end: then each rank parses a part of text for all */
};

/* Opens and detects the inputs, reads headers and ids, resolves the selection (with a first pass for --mind).  Does not start
 * reading ahead. */
int gt_source_open(struct gt_source **out, struct gt_engine *engine, const struct gt_source_opts *opts, struct gt_err *err);
/* A source over a single reader (the generator of gt-sim); takes it over. */
struct gt_reader;
int gt_source_from_reader(struct gt_source **out, struct gt_engine *engine, struct gt_reader *reader, const struct gt_source_opts *opts,
                          struct gt_err *err);
const struct gt_geno_info *gt_source_info(const struct gt_source *source);
/* The first input that lacks some of `has` (enum gt_has), for a message that names it; NULL: none. */
const struct gt_geno_info *gt_source_lacking(const struct gt_source *source, unsigned has);
/* Complete after GT_END of the first pass; later passes do not change them. */
const struct gt_select_stats *gt_source_stats(const struct gt_source *source);
/* --ld-prune: ids of the variants kept, complete after the first pass if GT_SITE_ID was requested; NULL without the
 * option. */
const struct gt_strs *gt_source_pruned_ids(const struct gt_source *source);
/* Warnings so far (contig missing from the header, ...), one line each, for the command to print. */
const struct gt_strs *gt_source_warnings(const struct gt_source *source);
/* Likewise notes: names in the options that the input lacks. */
const struct gt_strs *gt_source_notes(const struct gt_source *source);

/* How many of the inputs each rank parses a part of (gt_source_opts.deal), unless their index is used; the others are parsed by each. */
int gt_source_dealt(const struct gt_source *source);

/* Sets the memory for reading, at least info.read_minimum; before the first gt_source_next or after a rewind.  The default is a third
 * of the budget. */
void gt_source_set_memory(struct gt_source *source, int64_t memory);

/* The next block in order; GT_END after the last.  The caller owns it until gt_source_done.  Blocks may be empty.  One caller at
 * a time (possibly the read callback of a downstream flow). */
int gt_source_next(struct gt_source *source, struct gt_block **block, struct gt_err *err);
void gt_source_done(struct gt_source *source, struct gt_block *block);

/* Restarts at the first variant for another pass; all blocks must have been returned.  GT_FAIL for a stream, see
 * gt_source_can_rewind. */
int gt_source_rewind(struct gt_source *source, struct gt_err *err);
bool gt_source_can_rewind(const struct gt_source *source);
/* Ends the pass and reblocking and frees their memory; all blocks must have been returned. */
void gt_source_stop(struct gt_source *source);

/* The position before the block delivered last; with reblocking, after it. */
void gt_source_checkpoint(const struct gt_source *source, struct gt_checkpoint *checkpoint);
/* Starts the first pass at the checkpoint of an identical source, with the same reblocking; statistics continue from the
 * checkpoint, and so must the IDs that were met: gt_source_meet_ids. */
void gt_source_start_at(struct gt_source *source, const struct gt_checkpoint *checkpoint);
/* The number of variant IDs that --extract and --exclude list; they are numbered one list after the other. */
int64_t gt_source_ids(const struct gt_source *source);
/* Sets met[i] of each ID i that was met in the inputs `first` to `last` (gt_checkpoint.segment); met has gt_source_ids elements.  Any
 * thread, during a pass. */
void gt_source_ids_met(const struct gt_source *source, int64_t first, int64_t last, uint8_t *met);
/* Marks each ID i with met[i] as met, before a pass: an earlier run has met it. */
void gt_source_meet_ids(struct gt_source *source, const uint8_t *met);

/* Rows of single alleles, in which the ALTs of a multiallelic site are distinguished, where the source was opened with
 * GT_SITE_MULTI | GT_SITE_CALLS and its input tells.  Sites at which two ALTs are seen have, of calls, a row of 0 in the place
 * of the codes that are not missing, and then, marked, a row for each allele that is seen, REF included, of how many of it a
 * call has; of haplotypes, their row as it is, and then, marked, a row for each ALT that is seen: 1 where it is, 0 where another ALT
 * is, else missing.  What is missing is so in all. */
enum gt_allele_rows { GT_ALLELES_POOLED, GT_ALLELES_OF_CALLS, GT_ALLELES_OF_HAPLOTYPES };
/* Can such rows come?  Then gt_source_reblock takes so many bytes of memory for them. */
bool gt_source_has_alleles(const struct gt_source *source);
int64_t gt_source_alleles_bytes(const struct gt_source *source);

/* A rank's blocks, of those that all ranks together have: either those whose number is `turn` modulo `turns`, of variants that all ranks
 * read, or, where `limited`, `blocks` consecutive ones, from number `first` on, of a range of the variants that this rank reads.  All 0:
 * all blocks. */
struct gt_block_part {
    int turn, turns;
    bool limited;
    int64_t skip; /* variants of the range that belong to the block of an earlier rank */
    int64_t first, blocks;
};
/* The number among all of the i-th block of this rank. */
static inline int64_t gt_block_part_number(const struct gt_block_part *part, int64_t i)
{
    return part->limited ? part->first + i : part->turns > 1 ? i * part->turns + part->turn : i;
}
/* Collective, before gt_source_reblock into exact blocks of that many variants.  Where a pass can begin anywhere (stores, .bed) each
 * rank reads a range of the variants from now on, and counts in a pass what is left of it; gt_source_stats are those of all ranks.
 * With one rank, all blocks are its own. */
int gt_source_share(struct gt_source *source, int64_t variants, struct gt_block_part *part, struct gt_err *err);
/* Most variants, of `most` in all, that a rank then gets, but for those of a last block that ends in the next range; -1: most is. */
int64_t gt_source_share_most(const struct gt_source *source, int64_t variants, int64_t most);
/* For integer sums, to which blocks do not matter: each rank reads a range of the variants from now on, without counting them before.
 * False: it does not, since all ranks must read all, or there is only one. */
bool gt_source_split(struct gt_source *source);
/* Collective, after the first pass of a source that was split: gt_source_stats are those of all ranks.  Errors of --require-sites. */
int gt_source_join(struct gt_source *source, struct gt_err *err);
/* Will each rank read only its range? */
bool gt_source_is_divisible(const struct gt_source *source);

/* Fixed blocks: block b holds the variants delivered as b * variants and following, the last is shorter, none is empty.
 * Float sums that are made per block stand on that; integer sums do not, and take what needs less copying (`least`). */
struct gt_reblock_opts {
    int64_t variants;          /* of every block but the last */
    int64_t minimum;           /* a block may have from this many to `variants`, not the same ones in every pass; 0 = exactly `variants` */
    bool sites;                /* with the sites, if the source has them; else rows alone.  Not with again */
    bool again;                /* gt_source_rewind will be called, of streams too */
    int64_t keep;              /* with again: bytes that rows may take between passes */
    struct gt_block_part part; /* of several ranks, see gt_source_share: only these blocks, exact ones */
    enum gt_allele_rows alleles; /* rows of these are among the variants of a block, which may be marked.  Not with sites */
    /* Called with each block of the first pass as it comes, with its sites; NULL: nobody asks. */
    int (*look)(void *ctx, const struct gt_block *block, struct gt_err *err);
    void *look_ctx;
};
/* Reblocks from the next pass on until gt_source_stop; call before the first gt_source_next or after a rewind.  Blocks that fit are
 * passed on, and larger ones are split, without copying, so blocks are read-only.  GT_KERNEL_PAD bytes after the rows are readable, pad
 * bits are 0.  A block must be returned before the next call of next.  With `again`, decoded blocks are cached between passes up
 * to `keep` bytes; the rest is read again or, if the input can be read only once, spooled to a file in tmpdir. */
int gt_source_reblock(struct gt_source *source, const struct gt_reblock_opts *opts, struct gt_err *err);

/* Number of kept samples of each sex; false if nothing depends on sex. */
struct gt_sex_counts;
bool gt_source_sexes(const struct gt_source *source, struct gt_sex_counts *counts);
/* Sexes of the kept samples, for counting by gt_site.chrom_class with geno/samples/sex_count.h; owned by the source.  NULL: nothing
 * depends on sex, all sites are treated the same. */
struct gt_sex_rows;
const struct gt_sex_rows *gt_source_sex_rows(const struct gt_source *source);

void gt_source_free(struct gt_source *source); /* NULL is allowed; stops its flows */

#endif
