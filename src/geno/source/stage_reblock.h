/* Blocks of a fixed number of variants from a source, whatever the sizes that it
 * delivers: block b holds the variants delivered as b * variants and following, the last
 * is shorter.  Float sums that are made per block stand on that; integer sums do not, and
 * take what needs less copying (`least`).
 *
 * Between passes decoded blocks stay in memory, up to a share; what has no room there is
 * read again, or, when the input can be read once only, put into a file in tmpdir. */
#ifndef GT_GENO_REGROUP_H
#define GT_GENO_REGROUP_H

#include "geno/model/stage.h"
#include "geno/source/source.h"

struct gt_regroup;

struct gt_regroup_opts {
    int64_t variants; /* of every block but the last */
    int64_t least;    /* a block may have from this many to `variants`, not the same ones in every pass; 0 = exactly `variants` */
    bool sites;       /* with the sites, if the source has them; else rows alone.  Not with again */
    bool again;       /* gt_regroup_rewind will be called */
    int64_t keep;     /* with again: bytes that rows may take between passes */
};

/* The source is borrowed, and nobody else's until the regroup is freed. */
int gt_regroup_open(struct gt_regroup **out, struct gt_engine *engine, struct gt_source *source, const struct gt_regroup_opts *opts,
                    struct gt_err *err);

/* The next block, in order; GT_END after the last.  Never empty.  A block of the source that
 * fits is handed on as it is, one that is taller in parts, without a copy.  The block is the
 * caller's to read until gt_regroup_done, which any thread may call; GT_KERNEL_PAD bytes
 * behind its rows can be read, pad bits are 0.  One caller of next at a time (it may be the
 * read callback of a flow); blocks must come back without one more next. */
int gt_regroup_next(struct gt_regroup *regroup, const struct gt_block **block, struct gt_err *err);
void gt_regroup_done(struct gt_regroup *regroup, const struct gt_block *block);

/* Before the first gt_regroup_next, and once more behind each: `skip` variants of the source are passed over, of a source
 * that was told to continue; where the blocks handed out so far end, which is `skip` variants behind the mark of a
 * block of the source (gt_source_mark). */
void gt_regroup_skip(struct gt_regroup *regroup, int64_t skip);
void gt_regroup_mark(const struct gt_regroup *regroup, struct gt_checkpoint *mark, int64_t *skip);

/* After GT_END, with all blocks back: from the first variant again.  gt_source_stats stays
 * as the first pass left it. */
int gt_regroup_rewind(struct gt_regroup *regroup, struct gt_err *err);
void gt_regroup_free(struct gt_regroup *regroup); /* all blocks are back; NULL is fine */

#endif
