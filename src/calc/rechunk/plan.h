/* The rechunking plan: a pure function of shapes and memory.
 *
 * In the comments of this room a unit is a read chunk: a chunk of the source, or an inner chunk if it is sharded.  Every unit is decoded
 * once, with two exceptions: strings of variable length, once per written chunk unless the previous one needed the same unit, and index
 * lists that mix units.  If memory allows, and unless touching it costs more than a file, boxes aligned to both units and written chunks
 * are processed one after another.  Otherwise units are grouped into slabs and written chunks into bands: each thread decodes a slab and
 * writes the compressed intersections with bands to a file; then each band is read back and all threads encode its chunks.  If an index
 * list (partition.h) mixes units so that no aligned box fits, boxes are aligned to written chunks only, as large as memory allows, and a
 * unit is decoded for each box that needs it. */
#ifndef GT_CALC_RECHUNK_PLAN_H
#define GT_CALC_RECHUNK_PLAN_H

#include <stdbool.h>

#include "calc/rechunk/partition.h"

struct gt_rechunk_request {
    int ndim;
    struct gt_partition_axis axis[GT_MAX_DIMS]; /* in output order; an axis sliced to an index has one item */
    int64_t size[GT_MAX_DIMS];                  /* of the source along these axes */
    int64_t item_bytes;                         /* bytes of an item in memory, between decoding and encoding */
    int64_t held_bytes;                         /* maximum bytes of a stored unit */
    int64_t unit_bytes, chunk_bytes;            /* additional memory to read and decode a unit, and to encode and write a chunk */
    bool texts;                                 /* strings of variable length */
    int64_t file_room;                          /* bytes that the folder of temporary files has left */
    bool whole_boxes;                           /* a reduction: boxes in batches are the only way */
    bool same;                                  /* chunks of source and output are identical bytes if they have the same items */
    bool alike;                                 /* the same, except for the codec */
    int64_t tasks;                              /* maximum number of units or chunks in progress */
    int64_t memory;                             /* in total */
};

enum gt_rechunk_way {
    GT_RECHUNK_COPY,    /* copies stored chunks */
    GT_RECHUNK_RECODE,  /* decodes and encodes chunk by chunk, with another codec */
    GT_RECHUNK_TILES,   /* box by box, a thread per box */
    GT_RECHUNK_BATCHES, /* box by box, all threads on one box */
    GT_RECHUNK_SPILL,   /* slabs, then bands */
    GT_RECHUNK_GATHER,  /* like batches, but units may be needed by several boxes */
    GT_RECHUNK_TEXTS,   /* strings of variable length, chunk by chunk; their memory is known only when they are read */
};

struct gt_rechunk_plan {
    enum gt_rechunk_way way;
    int ndim;
    struct gt_partition slab[GT_MAX_DIMS], band[GT_MAX_DIMS]; /* without a spill both are the boxes */
    int64_t slabs, bands;
    int64_t tasks;         /* in progress per stage */
    int64_t units, chunks; /* read and written, each once, */
    int64_t decodes;       /* total number of unit decodes, which is larger for strings and mixed lists */
    int64_t pieces;        /* parts written to the file and read back */
    int64_t spilled;       /* their uncompressed bytes */
    int64_t slab_bytes;    /* memory of a slab on its thread, */
    int64_t piece_bytes;   /* and of a part that is read back */
    int64_t peak;          /* peak memory, at most request.memory */
    int64_t minimum;       /* the smallest memory for which there is a plan */
};

/* GT_NOFIT, with plan->minimum, if memory is less than that. */
int gt_rechunk_plan_make(struct gt_rechunk_plan *plan, const struct gt_rechunk_request *request, struct gt_err *err);
void gt_rechunk_plan_release(struct gt_rechunk_plan *plan);

/* Slab or band number i; and the inverse. */
void gt_rechunk_box(struct gt_box *box, const struct gt_partition *partition, int ndim, int64_t i);
int64_t gt_rechunk_box_number(const struct gt_box *box, const struct gt_partition *partition);

#endif
