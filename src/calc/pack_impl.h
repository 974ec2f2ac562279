/* Inside gt_pack_run: the store that is being made, and a stripe on its way. */
#ifndef GT_CALC_PACK_IMPL_H
#define GT_CALC_PACK_IMPL_H

#include "calc/pack.h"
#include "geno/regroup.h"
#include "zarr/group.h"

enum pack_array {
    PACK_DOSAGE,
    PACK_CONTIG,
    PACK_POSITION,
    PACK_LENGTH,
    PACK_ID,
    PACK_ID_MASK,
    PACK_QUALITY,
    PACK_MULTIALLELIC,
    PACK_ALLELE,
    PACK_FILTER,
    PACK_SITE_ARRAYS, /* all before it have the axis "variants" */
    PACK_SAMPLE_ID = PACK_SITE_ARRAYS,
    PACK_CONTIG_ID,
    PACK_CONTIG_LENGTH,
    PACK_FILTER_ID,
    PACK_ARRAYS
};

/* An array whose second axis is not known before the end (alleles, filters),
 * cut into chunks along it.  Chunks of a stripe that does not reach a column are
 * the same bytes everywhere: all "" or all false. */
struct pack_ragged {
    int array;
    int64_t seen;       /* column chunks that some stripe had so far */
    int64_t declared;   /* column chunks in the metadata already sent; -1: nothing is sent ahead */
    struct gt_buf none; /* the encoded chunk of a stripe that does not reach the column */
    struct gt_buf late; /* chunks beyond `declared`, kept to the end: struct pack_late and bytes, in turn */
};

struct pack_late {
    int64_t stripe, column;
    size_t n;
};

/* Consecutive variants of one contig. */
struct pack_run {
    int32_t contig;
    int64_t n;
};

struct pack {
    struct gt_engine *engine;
    struct gt_source *source;
    struct gt_store *out;
    const struct gt_pack_opts *opts;
    const struct gt_source_info *info; /* on the reading thread, or when the flow has ended */
    struct gt_pack_plan plan;
    struct gt_pack_stats *stats;
    int64_t row_bytes;   /* ceil(samples / 4) */
    bool wide_positions; /* 64 bits */

    /* As they were before the flow began; what comes later is sent at the end. */
    struct gt_strs contigs, filters;
    struct gt_buf contig_lengths;
    struct json_object *attrs; /* of the root, without gt_stream */

    struct gt_array *array[PACK_ARRAYS];
    struct pack_ragged alleles, filter_columns;
    bool provisional;                      /* the metadata sent is to be replaced */
    bool begun;                            /* metadata was sent */
    struct gt_buf runs;                    /* struct pack_run of all variants, unless contig chunks go with their stripe */
    struct gt_buf raw, stored, scratch[2]; /* of the committing thread */
    int64_t stripes;

    struct gt_regroup *stripes_in; /* the source's variants by stripe */
};

struct pack_chunk {
    int array;
    int64_t column;
};

/* A ticket: one stripe. */
struct pack_item {
    bool ready; /* buffers know their budget */
    const struct gt_block *block; /* until it is encoded */
    int64_t variants;
    struct gt_buf raw, scratch[2]; /* for genotypes */
    struct gt_buf text, small[2];  /* for site arrays */
    struct gt_buf *stored;         /* encoded chunks, chunk[i] says which */
    struct pack_chunk *chunk;
    size_t n_chunks, cap_chunks;
    struct gt_buf runs;
    int64_t allele_columns, filter_columns;
};

/* pack_meta.c: arrays, tables and metadata. */
int pack_meta_init(struct pack *pack, struct gt_err *err);
/* What a stream begins with; first: the stripe that will follow, or NULL. */
int pack_meta_begin(struct pack *pack, const struct pack_item *first, struct gt_err *err);
/* All that can be known at the end only. */
int pack_meta_end(struct pack *pack, struct gt_err *err);
void pack_meta_release(struct pack *pack);

/* pack_stripe.c: encode all chunks of a stripe, on a worker. */
int pack_stripe_encode(const struct pack *pack, struct pack_item *item, struct gt_err *err);
void pack_item_init(struct pack *pack, struct pack_item *item);
void pack_item_release(struct pack_item *item);

/* pack_put.c: chunks to the store, in stripe order. */
int pack_put_stripe(struct pack *pack, int64_t stripe, struct pack_item *item, struct gt_err *err);
/* The contig chunk of one stripe from runs; *at and *used say where in them it starts and are moved on. */
int pack_put_contigs(struct pack *pack, int64_t stripe, const struct gt_buf *runs, size_t *at, int64_t *used, struct gt_err *err);
/* Column chunks up to `columns` exist for every stripe, and late ones are put. */
int pack_put_late(struct pack *pack, struct pack_ragged *ragged, int64_t columns, struct gt_err *err);
int pack_put_chunk(struct pack *pack, int array, int64_t row, int64_t column, const struct gt_buf *stored, struct gt_err *err);

#endif
