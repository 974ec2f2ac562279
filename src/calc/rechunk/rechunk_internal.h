/* Internals of rechunking: rechunk.c plans, shared_boxes.c processes boxes with all threads, box.c computes positions of items,
 * stage_io.c and cast_check.c convert them, tiles.c processes boxes with a thread each, strings.c strings of variable length;
 * prefetch.c fetches units together.
 *
 * Axes here are those of the output, followed by axes of the source that are sliced to one index. */
#ifndef GT_CALC_RECHUNK_IMPL_H
#define GT_CALC_RECHUNK_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "calc/rechunk/rechunk.h"
#include "core/base/spoolfile.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"

/* Buffers of the stages between a unit and a chunk: stage_io.c. */
struct gt_rechunk_coder {
    struct gt_buf raw, cast, codes, scratch[2];
    struct gt_buf stored; /* an encoded chunk */
};

struct gt_rechunk {
    struct gt_engine *engine;
    struct gt_rechunk_end from, to;
    struct gt_cache *cache; /* of the source */
    struct gt_rechunk_request request;
    struct gt_rechunk_plan plan;
    int axis[GT_MAX_DIMS]; /* axis of the source */
    enum gt_type type;     /* of items in memory: the smaller of the two types; with a reduction, its result */
    size_t item;           /* its bytes */
    bool wrap;
    struct gt_box whole;
    const struct gt_reduction *reduction; /* along the axes after those of the output; NULL: none */
    bool none;                            /* one of these axes is empty */
    struct gt_spoolfile spool;
    _Atomic int64_t bytes_read, bytes_written;        /* as stored */
    _Atomic int64_t chunks_kept, bytes_kept;          /* of an earlier run */
    struct gt_partition_index list[GT_MAX_DIMS];      /* of axes with an index list */
    struct gt_partition chunk_partition[GT_MAX_DIMS]; /* at chunk boundaries; not for tiles */
    int64_t *slab_at;                                 /* spill: offset of each slab in the file */
    pthread_mutex_t lock;                             /* protects the spare coders, */
    struct gt_rechunk_coder *spare;                   /* reused for later boxes to avoid page faults, */
    int64_t n_spare, cap_spare;                       /* their maximum: 0 if memory is short */
    struct gt_buf absent;                             /* by number of unit, 1: it was decoded, and is absent; empty: nobody asks */
    bool *band_kept;                                  /* spill: bands whose chunks were all completed by an earlier run */
};

/* --- box.c --- */

/* Number of units that overlap a box along each axis; the i-th of them, as its index in the source and its items. */
int64_t gt_rechunk_units(const struct gt_rechunk *r, const struct gt_box *box, int64_t *count);
void gt_rechunk_unit(const struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int64_t i, int64_t *index,
                     struct gt_box *items);
/* Does the unit have items in the box?  Always true unless an index list mixes units (partition.h). */
bool gt_rechunk_unit_has(const struct gt_rechunk *r, const struct gt_box *box, const int64_t *index);
/* The same for chunks of the output. */
int64_t gt_rechunk_chunks(const struct gt_rechunk *r, const struct gt_box *box, int64_t *count);
void gt_rechunk_chunk(const struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int64_t i, int64_t *index,
                      struct gt_box *items);

/* A box in memory, stored as the parts of `cuts` (NULL: one), each stored as the parts of `chunks`, so that a chunk's share of a part is
 * contiguous. */
struct gt_rechunk_room {
    struct gt_box box;
    const struct gt_partition *partition, *chunks;
    enum gt_type type; /* of items in it, and their bytes */
    size_t item;
    uint8_t *data;
};
/* Copies the items of a decoded unit into the room, or those of a chunk out of it. */
void gt_rechunk_fill(const struct gt_rechunk *r, const struct gt_rechunk_room *room, const int64_t *index, const struct gt_box *items,
                     const uint8_t *unit);
void gt_rechunk_take(const struct gt_rechunk *r, const struct gt_rechunk_room *room, const int64_t *index, const struct gt_box *items,
                     uint8_t *chunk);
/* Positions of items in a unit or chunk: `zero` is the position of index 0 along all axes.  Along axes with a list only some items may
 * belong to this unit, whose index is `index`. */
struct gt_rechunk_position {
    int64_t stride[GT_MAX_DIMS], zero;
    bool listed;                                       /* any axis has a list: */
    const struct gt_partition_axis *axis[GT_MAX_DIMS]; /* NULL: no list */
    int64_t index[GT_MAX_DIMS];
};
/* Position of an item; false: it is not in this unit. */
bool gt_rechunk_at(const struct gt_rechunk_position *place, int ndim, const int64_t *item, int64_t *number);
struct gt_rechunk_position gt_rechunk_unit_place(const struct gt_rechunk *r, const int64_t *index);
struct gt_rechunk_position gt_rechunk_chunk_position(const struct gt_rechunk *r, const int64_t *index);
/* Parts of a box: number along each axis, and the first; the i-th of them. */
int64_t gt_rechunk_parts(const struct gt_box *box, const struct gt_partition *partition, int64_t *first, int64_t *count);
struct gt_box gt_rechunk_part(const struct gt_box *box, const struct gt_partition *partition, const int64_t *first, const int64_t *count,
                              int64_t i);

/* --- stage_io.c: decoding of units and encoding of chunks --- */

/* Bytes of `absent`; 0 if no chunk of the output depends on it, or the array has too many units. */
int64_t gt_rechunk_absent_bytes(const struct gt_rechunk *r);
/* Memory to decode a unit, and to encode a chunk; cast: with a type conversion. */
int64_t gt_rechunk_unit_bytes(const struct gt_rechunk_end *from, bool cast);
int64_t gt_rechunk_chunk_bytes(const struct gt_rechunk_end *to, bool cast);
void gt_rechunk_coder_init(struct gt_rechunk_coder *coder, struct gt_budget *budget);
void gt_rechunk_coder_release(struct gt_rechunk_coder *coder);
/* Takes a pooled coder, or a new one; any thread.  Touching fresh memory costs more than encoding a chunk. */
void gt_rechunk_coder_take(struct gt_rechunk *r, struct gt_rechunk_coder *coder);
void gt_rechunk_coder_give(struct gt_rechunk *r, struct gt_rechunk_coder *coder);
/* Fetches n pinned units with one request to the store; any thread. */
int gt_rechunk_fetch_held(struct gt_rechunk *r, struct gt_chunk *const *units, int64_t n, struct gt_err *err);
/* Decodes a unit into the room and releases it, also on failure. */
int gt_rechunk_decode(struct gt_rechunk *r, const struct gt_rechunk_room *room, struct gt_chunk *unit, const struct gt_box *items,
                      struct gt_rechunk_coder *coder, struct gt_err *err);
/* Encodes a chunk from the room. */
int gt_rechunk_encode(struct gt_rechunk *r, const struct gt_rechunk_room *room, const int64_t *index, const struct gt_box *items,
                      struct gt_rechunk_coder *coder, struct gt_buf *stored, struct gt_err *err);
/* Was the chunk completed by an earlier run?  If so it is counted.  Any thread. */
int gt_rechunk_chunk_done(struct gt_rechunk *r, const int64_t *index, bool *kept, struct gt_err *err);
/* Were all chunks of the box completed?  If not, none is counted. */
int gt_rechunk_box_done(struct gt_rechunk *r, const struct gt_box *box, bool *kept, struct gt_err *err);
/* Encodes a chunk; `stored` becomes empty, and is not put, if it has nothing but fill values and `drop` is set.  This and
 * gt_rechunk_put end with the status of gt_engine_stopped, without a message, where the run is being stopped. */
int gt_rechunk_encode_chunk(struct gt_rechunk *r, const struct gt_buf *raw, bool drop, struct gt_buf *stored, struct gt_buf scratch[2],
                            struct gt_err *err);
int gt_rechunk_put(struct gt_rechunk *r, const int64_t *index, const struct gt_buf *stored, struct gt_err *err);

/* --- call_convert.c --- */

/* Converts a unit of calls to allele counts; `calls` must have GT_KERNEL_PAD readable bytes after it. */
int gt_rechunk_calls_in(const struct gt_rechunk *r, const struct gt_buf *calls, struct gt_buf *dosages, struct gt_err *err);
/* Converts allele counts to a chunk of r->to.form.  GT_INPUT: a value is not 0, 1, 2 or missing. */
int gt_rechunk_calls_out(const struct gt_rechunk *r, const struct gt_buf *dosages, struct gt_buf *chunk, struct gt_err *err);

/* --- cast_check.c --- */

/* Casts the numbers of a box, at their positions in `data`, to `out`, which has space for all n of data.  GT_INPUT, naming the first item
 * out of range, unless wrapping is enabled. */
struct gt_rechunk_numbers {
    const struct gt_box *items;
    struct gt_rechunk_position place;
    enum gt_type type;
    const uint8_t *data;
    int64_t n;
};
int gt_rechunk_cast(const struct gt_rechunk *r, const struct gt_rechunk_numbers *numbers, enum gt_type type, struct gt_buf *out,
                    struct gt_err *err);

/* A slab in the file starts with this entry for each of its parts, followed by their bytes, compressed if smaller: storage/codec/quick.h.
 */
struct gt_rechunk_part_at {
    int64_t offset, bytes; /* from the start of the slab; 0: the part is not needed */
};

/* --- prefetch.c --- */

/* Units of a box being read: some are pinned and fetched together, so that a remote store gets many requests at once.
 * Zero-initialise. */
enum { GT_RECHUNK_AHEAD = 64 };
struct gt_rechunk_held {
    int64_t next, end; /* range of units after the pinned ones */
    int n, at;         /* pinned units, and how many were consumed */
    struct gt_chunk *unit[GT_RECHUNK_AHEAD];
    int64_t number[GT_RECHUNK_AHEAD];
    struct gt_rechunk_coder coder;
};
/* Bytes that the plan leaves free while units are decoded, beside what is kept for later ones; below 0: none. */
int64_t gt_rechunk_left(const struct gt_rechunk *r);
/* How many units of that stored size a task may pin within the memory of the plan; 1 for stores without concurrent
 * requests. */
int gt_rechunk_ahead(const struct gt_rechunk *r, int64_t bytes);
/* Pins and fetches the next `most` of the units that overlap the box, `count` along each axis; any thread. */
int gt_rechunk_acquire(struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int most, struct gt_rechunk_held *held,
                       struct gt_err *err);
/* The next pinned unit, to be released by the caller, and its items; fetches more when needed.  GT_END. */
int gt_rechunk_held_next(struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, int most, struct gt_rechunk_held *held,
                         struct gt_chunk **unit, struct gt_box *items, struct gt_err *err);
/* Decodes all pinned units into the room and releases them. */
int gt_rechunk_put_in(struct gt_rechunk *r, const struct gt_box *box, const int64_t *count, const struct gt_rechunk_room *room,
                      struct gt_rechunk_held *held, struct gt_err *err);
void gt_rechunk_held_release(struct gt_rechunk *r, struct gt_rechunk_held *held);

/* --- rechunk.c --- */

/* Runs tasks through a flow, as many concurrently as the plan allows, task_bytes of memory each. */
int gt_rechunk_flow(struct gt_rechunk *r, const struct gt_flow_ops *ops, int64_t tasks, int64_t task_bytes, void *ctx,
                    int (*commit)(void *ctx, int64_t task, void *item, struct gt_err *err), struct gt_err *err);

/* --- one function per way --- */

int gt_rechunk_copy(struct gt_rechunk *r, struct gt_err *err);
int gt_rechunk_tiles(struct gt_rechunk *r, struct gt_err *err);
int gt_rechunk_texts(struct gt_rechunk *r, struct gt_err *err);
int gt_rechunk_slabs(struct gt_rechunk *r, struct gt_err *err); /* write to the file */
int gt_rechunk_boxes(struct gt_rechunk *r, struct gt_err *err); /* batches, or read slabs from the file and write bands */

/* --- reduce_run.c: reductions --- */

/* The box that items of a box are reduced to: one item along each reduced axis. */
struct gt_box gt_rechunk_reduced(const struct gt_rechunk *r, const struct gt_box *box);
/* Memory of a reduction: per output item in a box, and, in addition to unit_bytes, per unit. */
int64_t gt_rechunk_reduce_cell(const struct gt_rechunk *r);
int64_t gt_rechunk_reduce_unit(const struct gt_rechunk *r);
/* Reduces all units of a box into `to`, items of r->type. */
int gt_rechunk_reduce(struct gt_rechunk *r, const struct gt_box *box, uint8_t *to, struct gt_err *err);

#endif
