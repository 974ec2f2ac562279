/* How an array gets into other chunks: a pure function of shapes and memory.
 *
 * Every unit of the source is decoded once, whatever the memory (two things aside: texts of variable length, once for each
 * chunk that needs them, unless the last one did; and lists of items that mix units, see below).  Where it allows, boxes
 * whose sides are sides of units and of chunks go through it one after another.  Else units
 * are gathered into slabs and chunks into bands: each thread decodes a slab, and the pieces that it
 * shares with bands are compressed and go to a file; then each band is read back, and all
 * threads encode its chunks.  Where a list (calc/cuts.h) mixes units so that no box of whole units fits, boxes are of chunks
 * alone, as large as memory allows, and a unit is decoded for each box that has items of it. */
#ifndef GT_CALC_RECHUNK_PLAN_H
#define GT_CALC_RECHUNK_PLAN_H

#include <stdbool.h>

#include "calc/rechunk/partition.h"

struct gt_rechunk_request {
    int ndim;
    struct gt_partition_axis axis[GT_MAX_DIMS]; /* in the order of the output; one that is sliced to an index has one item */
    int64_t size[GT_MAX_DIMS];                  /* of the source along them */
    int64_t item_bytes;                         /* of an item in memory, between decoding and encoding */
    int64_t held_bytes;                         /* a unit as stored, at most */
    int64_t unit_bytes, chunk_bytes;            /* memory to read and decode a unit, and to encode and write a chunk, beside that */
    bool texts;                                 /* of variable length: items have no size */
    bool whole_boxes;                           /* boxes in batches are the only way: their items are folded */
    bool same;                                  /* chunks of both are the same bytes where they hold the same items */
    bool alike;                                 /* or would be, but for the codec */
    int64_t tasks;                              /* units or chunks at work at the same time, at most */
    int64_t memory;                             /* for all */
};

enum gt_rechunk_way {
    GT_RECHUNK_COPY,    /* chunks go over as they are stored; */
    GT_RECHUNK_RECODE,  /* or by themselves, as they are decoded, into another codec */
    GT_RECHUNK_TILES,   /* box by box, each on one thread */
    GT_RECHUNK_BATCHES, /* box by box, all threads on one */
    GT_RECHUNK_SPILL,   /* slabs, then bands */
    GT_RECHUNK_GATHER,  /* as batches, but units may be needed for several */
    GT_RECHUNK_TEXTS,   /* texts of variable length, chunk by chunk: what they take is known when they are read */
};

struct gt_rechunk_plan {
    enum gt_rechunk_way way;
    int ndim;
    struct gt_partition slab[GT_MAX_DIMS], band[GT_MAX_DIMS]; /* without a spill the same, each the boxes */
    int64_t slabs, bands;
    int64_t tasks;         /* of each stage */
    int64_t units, chunks; /* read and written, each once, */
    int64_t decodes;       /* but for texts and where lists are mixed: units are decoded so often in all, at most */
    int64_t pieces;        /* written to the file, and read back */
    int64_t spilled;       /* bytes of them, before they are compressed */
    int64_t slab_bytes;    /* memory that a slab takes on its thread, */
    int64_t piece_bytes;   /* and a piece on its way back */
    int64_t peak;          /* memory in use at most, never more than there is */
    int64_t minimum;       /* with this memory there is a plan, with less there is none */
};

/* GT_NOFIT, with plan->least, when memory is less than that. */
int gt_rechunk_plan_make(struct gt_rechunk_plan *plan, const struct gt_rechunk_request *request, struct gt_err *err);
void gt_rechunk_plan_release(struct gt_rechunk_plan *plan);

/* Slab or band number i; and the number of one. */
void gt_rechunk_box(struct gt_box *box, const struct gt_partition *partition, int ndim, int64_t i);
int64_t gt_rechunk_box_number(const struct gt_box *box, const struct gt_partition *partition);

#endif
