/* A genotype source: any input that the commands read, as a sequence of blocks
 * with the selection applied.  Behind it stands a flow (or a chain of them): the
 * blocks of VCF text, of .bed rows or of store chunks are read ahead, parsed or
 * decoded and filtered on the engine's threads. */
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
    int n_paths;              /* several are joined along variants */
    struct gt_input *opened;  /* the first of them, where it was opened already: taken over; else NULL */
    const char *array;        /* --array, or NULL */
    const struct gt_select_opts *select;
    unsigned fields; /* enum gt_site_fields the consumer needs */
    bool again;      /* gt_source_rewind will be called: streams are spooled */
};

/* Opens, sniffs, reads headers and ids, resolves the selection (and makes the
 * first pass for --mind); nothing is read ahead yet. */
int gt_source_open(struct gt_source **out, struct gt_engine *engine, const struct gt_source_opts *opts, struct gt_err *err);
/* A source over one reader made elsewhere (gt-sim's generator); takes it over. */
struct gt_reader;
int gt_source_from_reader(struct gt_source **out, struct gt_engine *engine, struct gt_reader *reader, const struct gt_source_opts *opts,
                          struct gt_err *err);
const struct gt_geno_info *gt_source_info(const struct gt_source *source);
/* What the first of its inputs that has not all of `has` (enum gt_has) says of itself, for a message that names it; NULL: all
 * have it. */
const struct gt_geno_info *gt_source_lacking(const struct gt_source *source, unsigned has);
/* Complete after GT_END; later passes leave them as they are. */
const struct gt_select_stats *gt_source_stats(const struct gt_source *source);
/* Of --ld-prune: ids of the variants that stay, complete after the first pass, where GT_SITE_ID was
 * asked for; NULL without the option. */
const struct gt_strs *gt_source_pruned_ids(const struct gt_source *source);
/* Warnings met on the way (contig missing from the header, ...), each one line; for the command to print. */
const struct gt_strs *gt_source_warnings(const struct gt_source *source);

/* The share that a plan settled for reading, read_least or more; before the first
 * gt_source_next or after a rewind.  Without it reading has a third of the budget. */
void gt_source_set_memory(struct gt_source *source, int64_t memory);

/* The next block, in order; GT_END after the last.  The block is the caller's
 * until gt_source_done.  Blocks may be empty.  One caller at a time (it may be
 * the read callback of a downstream flow). */
int gt_source_next(struct gt_source *source, struct gt_block **block, struct gt_err *err);
void gt_source_done(struct gt_source *source, struct gt_block *block);

/* Start again from the first variant, for another pass, with all blocks back.  GT_FAIL when the input
 * is a stream, which gt_source_can_rewind knows before. */
int gt_source_rewind(struct gt_source *source, struct gt_err *err);
bool gt_source_can_rewind(const struct gt_source *source);
/* Ends the pass, with all blocks back, and fixed blocks: their memory is given back. */
void gt_source_stop(struct gt_source *source);

/* Before the block that gt_source_next delivered last: of fixed blocks, after it. */
void gt_source_checkpoint(const struct gt_source *source, struct gt_checkpoint *checkpoint);
/* The first pass begins at the checkpoint of another source that was opened in the same way, with fixed blocks of the
 * same size; its statistics, with what they were there. */
void gt_source_start_at(struct gt_source *source, const struct gt_checkpoint *checkpoint);

/* Rows of single alleles, in which the ALTs of a multiallelic site are told apart, where the source was opened with
 * GT_SITE_MULTI | GT_SITE_CALLS and its input tells.  Sites at which two ALTs are seen have, of calls, a row of 0 in the place
 * of the codes that are not missing, and then, marked, a row for each allele that is seen, REF included, of how many of it a
 * call has; of haplotypes, their row as it is, and then, marked, a row for each ALT that is seen: 1 where it is, 0 where another ALT
 * is, else missing.  What is missing is so in all. */
enum gt_allele_rows { GT_ALLELES_POOLED, GT_ALLELES_OF_CALLS, GT_ALLELES_OF_HAPLOTYPES };
/* Can such rows come?  Then gt_source_reblock takes so many bytes of memory for them. */
bool gt_source_has_alleles(const struct gt_source *source);
int64_t gt_source_alleles_bytes(const struct gt_source *source);

/* Fixed blocks: block b holds the variants delivered as b * variants and following, the last is shorter, none is empty.
 * Float sums that are made per block stand on that; integer sums do not, and take what needs less copying (`least`). */
struct gt_reblock_opts {
    int64_t variants; /* of every block but the last */
    int64_t minimum;  /* a block may have from this many to `variants`, not the same ones in every pass; 0 = exactly `variants` */
    bool sites;       /* with the sites, if the source has them; else rows alone.  Not with again */
    bool again;       /* gt_source_rewind will be called, of streams too */
    int64_t keep;     /* with again: bytes that rows may take between passes */
    enum gt_allele_rows alleles; /* rows of these are among the variants of a block, which may be marked.  Not with sites */
    /* Called with each block of the first pass as it comes, with its sites; NULL: nobody asks. */
    int (*look)(void *ctx, const struct gt_block *block, struct gt_err *err);
    void *look_ctx;
};
/* From the next pass on, before the first gt_source_next or after a rewind; until gt_source_stop.  A block that fits is handed
 * on as it is, one that is taller in parts, without a copy: blocks are to be read only.  GT_KERNEL_PAD bytes
 * behind the rows can be read, pad bits are 0.  Blocks must come back without one more next.  With `again` decoded blocks stay in
 * memory between passes, up to `keep`; what has no room there is read again, or, when the input can be read once only, put
 * into a file in tmpdir. */
int gt_source_reblock(struct gt_source *source, const struct gt_reblock_opts *opts, struct gt_err *err);

/* How many of the samples kept are of which sex, for what goes by it; false: nothing does. */
struct gt_sex_counts;
bool gt_source_sexes(const struct gt_source *source, struct gt_sex_counts *counts);
/* Who of the samples kept is what, for counting by gt_site.place, with geno/sex_count.h; the source's.  NULL: nothing goes by
 * sex, and all places are alike. */
struct gt_sex_rows;
const struct gt_sex_rows *gt_source_sex_rows(const struct gt_source *source);

void gt_source_free(struct gt_source *source); /* NULL is fine; stops its flows */

#endif
