/* Text, plain or in BGZF, that the ranks parse together: it is cut into units, of whole lines, which are dealt to the ranks in turn.  A
 * rank reads and parses its units and sends the blocks to all others, so that each of them gets all blocks in order. */
#ifndef GT_GENO_VCF_DEAL_H
#define GT_GENO_VCF_DEAL_H

#include <pthread.h>

#include "core/engine/comm.h"
#include "core/engine/flow.h"
#include "geno/model/stage.h"
#include "storage/bgzf/byte_stream.h"

struct gt_vcf;
struct gt_vcf_item;
struct gt_vcf_spare;

/* Which bytes belong to which unit.  Unit k begins with the first line after byte base + k * bytes of the input, or `first`, if that is
 * later. */
struct gt_vcf_units {
    int64_t n, bytes, base;
    uint64_t first;
};

/* A message: whole blocks of one unit. */
struct gt_vcf_batch {
    struct gt_buf bytes;
    int64_t unit;
    bool last; /* of its unit; if not it may be, too */
    bool ready;
};

/* A pass. */
struct gt_vcf_deal {
    struct gt_comm comm; /* of the thread that calls next */
    struct gt_vcf_units units;
    struct gt_buf own, numbers; /* struct gt_stretch and int64_t, of each unit of this rank that has lines */
    struct gt_err damage;       /* where lines of a unit were looked for; status 0: none */
    int64_t damaged;            /* that unit; INT64_MAX */
    struct gt_flow *flow;       /* of own batches */
    int64_t memory;             /* of the pass */
    /* of the flow's reader */
    size_t at;                /* index in `own` */
    struct gt_vcf_item *item; /* of the next unit */
    struct gt_err failure;    /* after what was collected; status 0: none */
    int64_t item_unit;
    /* of next */
    int64_t unit;               /* next to be taken */
    struct gt_vcf_batch *batch; /* the own one that is taken from, and the next one */
    struct gt_vcf_batch *coming;
    struct gt_buf received;
    const struct gt_buf *bytes; /* of the batch that is taken from, from `taken` on */
    size_t taken;
    bool ended;                 /* own batches */
    int64_t line, record;       /* of the next block, in the whole input */
    struct gt_checkpoint place; /* before the block delivered last */
    pthread_mutex_t lock;
    struct gt_vcf_spare *spare; /* blocks that are back */
    int spares;
};

/* vcf_units.c: cuts an input of so many bytes, the text, from `first` on for `size` ranks; records: how many there are, about. */
void gt_vcf_units_cut(struct gt_vcf_units *units, const struct gt_bytes *text, int64_t input, uint64_t first, int size, int64_t records);
/* The places where the lines of unit k begin and end.  GT_INPUT. */
int gt_vcf_units_find(const struct gt_vcf_units *units, const struct gt_bytes *bytes, int64_t k, struct gt_stretch *stretch,
                      struct gt_err *err);

/* Memory that a pass takes beyond that of a rank which parses all.  block, least_block: bytes of a parsed piece of text, at most, of the
 * usual size and of the smallest. */
void gt_vcf_deal_needs(int64_t least_block, int64_t block, int64_t *minimum, int64_t *preferred);
/* Can this pass be dealt? */
bool gt_vcf_can_deal(const struct gt_vcf *vcf, const struct gt_start *start);
/* Finds this rank's units; vcf->bytes, which stands at the start, is limited to them.  roomy: there is memory for that; on rank 0, false
 * is for all ranks: there are no units then, and gt_vcf_deal_close is all that is to be called.  Closed also after errors. */
int gt_vcf_deal_open(struct gt_vcf *vcf, const struct gt_start *start, bool roomy, struct gt_err *err);
/* Once vcf->flow runs: collects own batches; memory: for these and for what others send.  block: bytes of a parsed piece, at most. */
int gt_vcf_deal_start(struct gt_vcf *vcf, int64_t memory, int64_t block, struct gt_err *err);
/* The next block, of any rank; GT_END.  An error of one rank is the error of all. */
int gt_vcf_deal_next(struct gt_vcf *vcf, struct gt_block **block, struct gt_err *err);
void gt_vcf_deal_release(struct gt_vcf *vcf, struct gt_block *block); /* any thread */
void gt_vcf_deal_stop(struct gt_vcf *vcf);                            /* before vcf->flow ends; blocks may still be out */
void gt_vcf_deal_close(struct gt_vcf *vcf);                           /* all are back */

#endif
