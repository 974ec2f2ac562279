/* Inside rechunking: rechunk.c plans, rechunk_boxes.c goes through boxes that all threads share, rechunk_box.c knows where
 * items stand, rechunk_code.c and rechunk_cast.c what they are turned into, rechunk_tiles.c has the
 * flows of chunks that need no others, rechunk_texts.c that of texts; rechunk_ahead.c which units are asked for together.
 *
 * Axes here are those of the output, and behind them the source's that are sliced to one index. */
#ifndef GT_CALC_RECHUNK_IMPL_H
#define GT_CALC_RECHUNK_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "calc/rechunk/rechunk.h"
#include "core/base/spoolfile.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"

/* What units and chunks go through: rechunk_code.c. */
struct gt_rechunk_coder {
    struct gt_buf raw, cast, codes, scratch[2];
    struct gt_buf stored; /* a chunk, as it is written */
};

struct gt_rechunk {
    struct gt_engine *engine;
    struct gt_rechunk_end from, to;
    struct gt_cache *cache; /* of the source */
    struct gt_rechunk_request request;
    struct gt_rechunk_plan plan;
    int axis[GT_MAX_DIMS]; /* -> of the source */
    enum gt_type type;     /* of items in memory: that of from or of to, whichever is smaller; with a fold what it makes */
    size_t item;           /* bytes of them */
    bool wrap;
    struct gt_box whole;
    const struct gt_reduction *reduction; /* of the axes behind those of the output; NULL: there is none */
    bool none;                            /* there are no items along one of them */
    struct gt_spoolfile spool;
    _Atomic int64_t bytes_read, bytes_written;        /* as stored */
    _Atomic int64_t chunks_kept, bytes_kept;          /* of a run before */
    struct gt_partition_index list[GT_MAX_DIMS];      /* of axes whose items are picked */
    struct gt_partition chunk_partition[GT_MAX_DIMS]; /* between chunks; none for tiles */
    int64_t *slab_at;                                 /* through a file: where each slab begins there */
    pthread_mutex_t lock;                             /* of the spare coders, */
    struct gt_rechunk_coder *spare;                   /* whose memory the next box goes on with, */
    int64_t n_spare, cap_spare;                       /* as many as may be: 0 where memory is short */
    bool *band_kept;                                  /* through a file: bands whose chunks are all of that run */
};

/* --- rechunk_box.c ------------------------------------------------------------------------ */

/* Units that have items in a box: how many along each axis; unit number i of them, as its
 * index in the source and its items. */
int64_t gt_rechunk_units(const struct gt_rechunk *r, const struct gt_box *box, int64_t *count);
void gt_rechunk_unit(const struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int64_t i, int64_t *index,
                     struct gt_box *items);
/* Has that unit items in the box?  All have where no list mixes units (calc/cuts.h). */
bool gt_rechunk_unit_has(const struct gt_rechunk *r, const struct gt_box *box, const int64_t *index);
/* The same of chunks of the output. */
int64_t gt_rechunk_chunks(const struct gt_rechunk *r, const struct gt_box *box, int64_t *count);
void gt_rechunk_chunk(const struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int64_t i, int64_t *index,
                      struct gt_box *items);

/* A box in memory, which lies there as the pieces that `cuts` make of it (NULL: one), and each of them as those that `chunks`
 * make of it: what a chunk takes from a piece is one stretch. */
struct gt_rechunk_room {
    struct gt_box box;
    const struct gt_partition *partition, *chunks;
    enum gt_type type; /* of items in it, and their bytes */
    size_t item;
    uint8_t *data;
};
/* The items of a unit, as decoded, into the room; and those of a chunk out of it. */
void gt_rechunk_fill(const struct gt_rechunk *r, const struct gt_rechunk_room *room, const int64_t *index, const struct gt_box *items,
                     const uint8_t *unit);
void gt_rechunk_take(const struct gt_rechunk *r, const struct gt_rechunk_room *room, const int64_t *index, const struct gt_box *items,
                     uint8_t *chunk);
/* Where the items of a unit or a chunk stand: that of index 0 along all axes would be number `zero`.  Along axes that have a
 * list it is the place there that counts, and only some of the items may be of this unit, which is number `index`. */
struct gt_rechunk_position {
    int64_t stride[GT_MAX_DIMS], zero;
    bool listed;                                       /* any axis is: */
    const struct gt_partition_axis *axis[GT_MAX_DIMS]; /* NULL: no list */
    int64_t index[GT_MAX_DIMS];
};
/* The number of an item; false: it is not of this unit. */
bool gt_rechunk_at(const struct gt_rechunk_position *place, int ndim, const int64_t *item, int64_t *number);
struct gt_rechunk_position gt_rechunk_unit_place(const struct gt_rechunk *r, const int64_t *index);
struct gt_rechunk_position gt_rechunk_chunk_position(const struct gt_rechunk *r, const int64_t *index);
/* Pieces of a box: how many along each axis, and the first; piece number i of them. */
int64_t gt_rechunk_parts(const struct gt_box *box, const struct gt_partition *partition, int64_t *first, int64_t *count);
struct gt_box gt_rechunk_part(const struct gt_box *box, const struct gt_partition *partition, const int64_t *first, const int64_t *count,
                              int64_t i);

/* --- rechunk_code.c: what units and chunks go through ---------------------------------------- */

/* Memory that a unit takes on its way into a room, and a chunk on its way out of one; cast: its numbers are cast there. */
int64_t gt_rechunk_unit_bytes(const struct gt_rechunk_end *from, bool cast);
int64_t gt_rechunk_chunk_bytes(const struct gt_rechunk_end *to, bool cast);
void gt_rechunk_coder_init(struct gt_rechunk_coder *coder, struct gt_budget *budget);
void gt_rechunk_coder_release(struct gt_rechunk_coder *coder);
/* A coder that was given back, or a new one; any thread.  Memory that was never touched costs more to touch than a chunk to
 * encode. */
void gt_rechunk_coder_take(struct gt_rechunk *r, struct gt_rechunk_coder *coder);
void gt_rechunk_coder_give(struct gt_rechunk *r, struct gt_rechunk_coder *coder);
/* Fetches n units that the cache holds, as one question to the store; on any thread. */
int gt_rechunk_fetch_held(struct gt_rechunk *r, struct gt_chunk *const *units, int64_t n, struct gt_err *err);
/* Decodes it into the room, and gives it back; also when it fails. */
int gt_rechunk_decode(struct gt_rechunk *r, const struct gt_rechunk_room *room, struct gt_chunk *unit, const struct gt_box *items,
                      struct gt_rechunk_coder *coder, struct gt_err *err);
/* A chunk out of the room. */
int gt_rechunk_encode(struct gt_rechunk *r, const struct gt_rechunk_room *room, const int64_t *index, const struct gt_box *items,
                      struct gt_rechunk_coder *coder, struct gt_buf *stored, struct gt_err *err);
/* Is the chunk there, whole, by a run before?  Then it is counted.  Any thread. */
int gt_rechunk_chunk_done(struct gt_rechunk *r, const int64_t *index, bool *kept, struct gt_err *err);
/* Are all chunks of the box?  None is counted where one is not. */
int gt_rechunk_box_done(struct gt_rechunk *r, const struct gt_box *box, bool *kept, struct gt_err *err);
int gt_rechunk_put(struct gt_rechunk *r, const int64_t *index, const struct gt_buf *stored, struct gt_err *err);

/* --- rechunk_calls.c -------------------------------------------------------------------------- */

/* A unit of calls as dosages; `calls` may be read GT_KERNEL_PAD bytes past its end. */
int gt_rechunk_calls_in(const struct gt_rechunk *r, const struct gt_buf *calls, struct gt_buf *dosages, struct gt_err *err);
/* Dosages as a chunk of r->to.form.  GT_INPUT: a dosage is neither missing nor 0, 1 or 2. */
int gt_rechunk_calls_out(const struct gt_rechunk *r, const struct gt_buf *dosages, struct gt_buf *chunk, struct gt_err *err);

/* --- rechunk_cast.c ------------------------------------------------------------------------------ */

/* Numbers of a box, at their places in `data`, as other ones in `out`, which has room for all n of
 * data.  GT_INPUT, naming the first item of the box that does not fit, unless they are to wrap. */
struct gt_rechunk_numbers {
    const struct gt_box *items;
    struct gt_rechunk_position place;
    enum gt_type type;
    const uint8_t *data;
    int64_t n;
};
int gt_rechunk_cast(const struct gt_rechunk *r, const struct gt_rechunk_numbers *numbers, enum gt_type type, struct gt_buf *out,
                    struct gt_err *err);

/* A slab in the file: this of each of its pieces, then their bytes; as many as the items are, or fewer: codec/quick.h. */
struct gt_rechunk_part_at {
    int64_t offset, bytes; /* from the slab's begin; 0: the piece is not wanted */
};

/* --- rechunk_ahead.c ------------------------------------------------------------------------------- */

/* Units of a box on their way into it: some of them are held and fetched together, so that a remote store is asked
 * for many side by side.  Zero-initialise. */
enum { GT_RECHUNK_AHEAD = 64 };
struct gt_rechunk_held {
    int64_t next, end; /* numbers of the units that come behind those that are held */
    int n, at;         /* held, and of these those before `at` were taken */
    struct gt_chunk *unit[GT_RECHUNK_AHEAD];
    int64_t number[GT_RECHUNK_AHEAD];
    struct gt_rechunk_coder coder;
};
/* How many units of so many bytes, as fetched, a task may hold in the memory that the plan leaves; 1 of stores that have one value
 * after another. */
int gt_rechunk_ahead(const struct gt_rechunk *r, int64_t bytes);
/* The next `most` units, of those that have items in the box, of which there are `count`, are held and fetched: any thread. */
int gt_rechunk_acquire(struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int most, struct gt_rechunk_held *held,
                       struct gt_err *err);
/* The next one of them, which is the caller's to give back, and its items; more are fetched where those are at an end.  GT_END. */
int gt_rechunk_held_next(struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int most, struct gt_rechunk_held *held,
                         struct gt_chunk **unit, struct gt_box *items, struct gt_err *err);
/* Decodes all that are held into the room, and gives them back. */
int gt_rechunk_put_in(struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, const struct gt_rechunk_room *room,
                      struct gt_rechunk_held *held, struct gt_err *err);
void gt_rechunk_held_release(struct gt_rechunk *r, struct gt_rechunk_held *held);

/* --- rechunk.c ---------------------------------------------------------------------------------- */

/* So many tasks go through a flow, each of which takes so much memory, as many at a time as the plan has. */
int gt_rechunk_flow(struct gt_rechunk *r, const struct gt_flow_ops *ops, int64_t tasks, int64_t task_bytes, void *ctx,
                    int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err), struct gt_err *err);

/* --- each way ----------------------------------------------------------------------------------- */

int gt_rechunk_copy(struct gt_rechunk *r, struct gt_err *err);
int gt_rechunk_tiles(struct gt_rechunk *r, struct gt_err *err);
int gt_rechunk_texts(struct gt_rechunk *r, struct gt_err *err);
int gt_rechunk_slabs(struct gt_rechunk *r, struct gt_err *err); /* to the file */
int gt_rechunk_boxes(struct gt_rechunk *r, struct gt_err *err); /* batches, or slabs and bands */

/* --- rechunk_fold.c: boxes whose items become fewer ------------------------------------------------- */

/* Of the items of a box, what they are folded into: one along each axis that goes. */
struct gt_box gt_rechunk_reduced(const struct gt_rechunk *r, const struct gt_box *box);
/* Memory for what becomes an item, in a box on its way; and, beside unit_bytes, for a unit that is folded. */
int64_t gt_rechunk_reduce_cell(const struct gt_rechunk *r);
int64_t gt_rechunk_reduce_unit(const struct gt_rechunk *r);
/* All units of a box, folded, into `to`, items of r->type. */
int gt_rechunk_reduce(struct gt_rechunk *r, const struct gt_box *box, uint8_t *to, struct gt_err *err);

#endif
