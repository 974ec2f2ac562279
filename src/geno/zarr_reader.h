/* Inside the Zarr reader.
 *
 * Tickets.  A ticket is `rows` consecutive variants: one row of chunks of the
 * genotype array (all its sample chunks), as a rule.  Where chunks are short,
 * several rows of them make a ticket; where one row of chunks would take more
 * than its share of memory as 2-bit rows, it is cut into several tickets, each
 * of which reads the row's chunks again (not for streams).  Site arrays may be
 * chunked otherwise: their chunks are shared between the tickets that need them.
 *
 * read fetches the stored chunks of a ticket; work decodes them and makes the
 * block; next hands it out. */
#ifndef GT_GENO_ZARR_READER_H
#define GT_GENO_ZARR_READER_H

#include <pthread.h>

#include "engine/flow.h"
#include "geno/dosage.h"
#include "geno/reader.h"
#include "store/open.h"
#include "zarr/group.h"

/* --- site arrays ----------------------------------------------------------- */

enum zr_site_array {
    ZR_CONTIG, /* index into contig_id */
    ZR_CHROM,  /* the contig's name */
    ZR_POS,
    ZR_LENGTH,
    ZR_ID,
    ZR_ALLELE, /* REF first */
    ZR_REF,    /* REF alone, with */
    ZR_ALT,    /* the ALTs beside it */
    ZR_QUAL,
    ZR_FILTER,
    ZR_MULTI,
    ZR_SITE_ARRAYS
};

/* A chunk of a site array, decoded by the first ticket that needs it. */
struct zr_chunk {
    struct zr_chunk *next;
    int64_t row, col;
    int refs;
    bool missing, decoded;
    struct gt_buf stored, raw; /* raw: numbers */
    struct gt_strs texts;      /* strings */
};

struct zr_column {
    struct gt_array *array; /* NULL: there is none */
    pthread_mutex_t lock;   /* of all below */
    struct zr_chunk *chunks;
    int64_t newest; /* highest row asked for */
    struct gt_buf scratch[2];
};

/* --- the reader ------------------------------------------------------------ */

enum zr_layout {
    ZR_PACKED,  /* 2-bit rows */
    ZR_CALLS,   /* allele numbers, (variants, samples, ploidy) or haploid (variants, samples) */
    ZR_DOSAGES, /* (variants, samples) */
};

struct zarr_reader {
    struct gt_reader base;
    struct gt_store *store;
    bool again;
    bool whole;    /* packed genotypes of ours: every array of the group has all its chunks */
    bool complete; /* and it is VCF Zarr: every array is there */
    char *group_path, *array_path; /* in the store; group_path is NULL when the array stands alone */
    struct gt_array *geno;
    enum zr_layout layout;
    int ploidy, slice;  /* slice: index on the ploidy axis, -1 = none */
    int64_t n_variants; /* -1 while the stream has not told */
    bool provisional;
    struct zr_column site[ZR_SITE_ARRAYS];
    int32_t *filter_map; /* column of variant_filter -> number in info.filters, -1 = it has no name */
    size_t n_filter_map;

    /* contigs: `known` are those at open time, for any thread; `numbers` all, for next only */
    struct gt_names *known, *numbers;
    size_t n_known;
    pthread_mutex_t late_lock;
    struct gt_strs late; /* the final contig table of a provisional stream */
    bool late_loaded;
    char *late_path[2]; /* contig_id and filter_id, which may grow at the end of a stream */
    int32_t default_contig;

    /* of the pass that runs */
    const struct gt_filter *filter;
    unsigned fields;
    const struct gt_select_opts *select;
    struct gt_dosage_rule rule;
    int64_t rows;       /* variants of a ticket */
    int64_t from, to;   /* variants that are read; to: while n_variants is not known, as many as come */
    int64_t stored_max; /* bytes that read fetches for a ticket */
    struct gt_flow *flow;
};

/* A row of the item's block: its record, and the ALT that counts where records are split (else 0). */
struct zr_row {
    int32_t record; /* from item->first on */
    int32_t alt;
};

/* A stored chunk of genotypes.  Where a whole row of chunks would take much memory
 * even compressed, work gets the rest of them one by one (not from streams). */
enum zr_state { ZR_STORED, ZR_MISSING, ZR_LATER };

struct zr_item {
    struct gt_block block; /* first: next hands out its address */
    bool ready;            /* buffers know their budget */
    int64_t first, n;      /* variants */
    int64_t chunk_row, chunk_rows;
    struct gt_buf *stored; /* [chunk row][sample chunk][ploidy chunk] */
    enum zr_state *state;
    size_t n_stored, cap_stored;
    struct gt_buf later, raw, scratch[2], tile, codes, seen, alt_calls;
    struct gt_buf records; /* struct gt_site of all n, when fields were asked for */
    struct gt_buf rows;    /* struct zr_row: what is kept of them */
    int64_t n_rows;
    bool hets;                               /* rows of block.hets are wanted */
    struct zr_chunk **chunk[ZR_SITE_ARRAYS]; /* [row][column] */
    size_t n_chunk[ZR_SITE_ARRAYS], cap_chunk[ZR_SITE_ARRAYS];
};

/* zarr_open.c: which array, which site arrays. */
int zr_open_layout(struct zarr_reader *reader, const char *path, struct gt_err *err);
/* Reads a stream to its end; its last metadata count.  Sets n_variants. */
int zr_finish_stream(struct zarr_reader *reader, struct gt_err *err);
/* Arrays as the final metadata have them. */
int zr_reopen_sites(struct zarr_reader *reader, struct gt_err *err);

/* GT_INPUT: a packed store of ours lacks an array. */
int zr_fail_incomplete(const struct zarr_reader *reader, const char *name, struct gt_err *err);

/* zarr_tables.c: samples, contigs, filters, header. */
int zr_open_tables(struct zarr_reader *reader, struct gt_err *err);
/* Adds to info.filters and filter_map what they lack. */
int zr_read_filters(struct zarr_reader *reader, struct gt_err *err);
/* Texts `have` and following of a table whose first ones were read before: chunks
 * of a stream can be got once only, and what is added makes new chunks. */
int zr_read_more(struct zarr_reader *reader, const char *name, size_t have, struct gt_strs *list, struct gt_err *err);

/* zarr_sites.c */
bool zr_site_needed(const struct zarr_reader *reader, int which);
int zr_sites_fetch(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);
int zr_sites_make(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);
void zr_sites_done(struct zarr_reader *reader, struct zr_item *item);
void zr_columns_release(struct zarr_reader *reader);

/* The stored bytes of one chunk; GT_INPUT when it is missing and must not be. */
int zr_fetch(struct zarr_reader *reader, const int64_t *index, struct gt_buf *stored, enum zr_state *state, struct gt_err *err);

/* zarr_rows.c: which rows the block will have, with their sites: filters that look at sites alone. */
int zr_choose_rows(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);

/* zarr_calls.c: the genotypes of those rows. */
int zr_genotypes(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);

#endif
