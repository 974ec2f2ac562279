/* Variant IDs of --extract and --exclude that the input was found to have, in the journal of a pack: without them a run that is resumed
 * would take those before its start for absent.
 *
 * A line "ids GAP RUN GAP RUN ..." before a checkpoint has, by their numbers, those that no line before it has; all lines hold for any
 * checkpoint, since the input is the same. */
#ifndef GT_CALC_PACK_IDS_H
#define GT_CALC_PACK_IDS_H

#include "core/engine/comm.h"
#include "geno/source/source.h"

/* Zero-initialise. */
struct gt_pack_ids {
    int64_t n;       /* that options list; 0: there is nothing to note */
    uint8_t *met;    /* of each */
    uint8_t *noted;  /* of each: the journal has it */
    int64_t segment; /* all IDs of the inputs before it were noted */
};

/* Before `source` is read: marks the IDs in the lines of `journal` as met.  Errors: out of memory, after which gt_pack_ids_release is
 * called, too. */
int gt_pack_ids_take(struct gt_pack_ids *ids, struct gt_source *source, const char *journal, struct gt_err *err);
/* Collective: gives the IDs that rank 0 took from the journal to all ranks.  Errors: out of memory, those of gt_comm_broadcast. */
int gt_pack_ids_share(struct gt_pack_ids *ids, struct gt_source *source, struct gt_comm *comm, struct gt_err *err);
/* Appends the journal's line of the IDs that were met, in inputs up to number `segment`, since the last such line; nothing if there are
 * none.  During a pass, for one thread at a time.  Errors: out of memory. */
int gt_pack_ids_text(struct gt_pack_ids *ids, const struct gt_source *source, int64_t segment, struct gt_str *line, struct gt_err *err);
void gt_pack_ids_release(struct gt_pack_ids *ids);

#endif
