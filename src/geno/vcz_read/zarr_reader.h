/* Inside the Zarr reader.
 *
 * Tasks.  A task is `rows` consecutive variants: one row of the read units of the
 * genotype array (all its sample chunks), as a rule.  Where units are short, several
 * rows of them make a task; where one row would take more than its share of memory
 * as 2-bit rows, it is cut into several tasks, which share its chunks while they
 * run side by side.  Site arrays may be chunked otherwise: tasks share their chunks
 * too (zarr/cache.h).
 *
 * read fetches the stored chunks of a task.  Where the filter looks at sites, it is
 * asked there, about the sites alone, and only genotypes are fetched of which it keeps
 * some; where records are split into rows, and a block might have more of them than are
 * planned, one thread reads, and a task ends where its block is full, within a record even:
 * the next one goes on from there; where it looks at places and the store has an index of them, only the tasks
 * are gone through that it may keep sites of.  work decodes and makes the block; next
 * hands it out. */
#ifndef GT_GENO_ZARR_READER_H
#define GT_GENO_ZARR_READER_H

#include <pthread.h>

#include "arrays/zarr/cache.h"
#include "arrays/zarr/group.h"
#include "core/engine/flow.h"
#include "geno/model/dosage.h"
#include "geno/model/reader.h"
#include "geno/model/record_columns.h"
#include "storage/store/store.h"

/* --- site arrays ----------------------------------------------------------- */

enum zr_site_array {
    ZR_CONTIG, /* index into contig_id */
    ZR_CHROM,  /* the contig's name */
    ZR_POS,
    ZR_LENGTH,
    ZR_ID,
    ZR_ALLELE, /* REF first */
    ZR_REF,    /* REF alone, with */
    ZR_ALT,    /* the ALTs next to it */
    ZR_QUAL,
    ZR_FILTER,
    ZR_MULTI,
    ZR_PHASED, /* of calls, (variants, samples) */
    ZR_SITE_ARRAYS
};

struct zr_column {
    struct gt_array *array; /* NULL: there is none */
    struct gt_cache *cache; /* of the pass that runs; NULL: it is not needed */
    struct gt_strs fill;    /* of texts: the fill value */
    struct gt_buf wanted;   /* of the pass that runs: see zr_want_columns */
};

/* An array of records, see geno/model/record_columns.h. */
struct zr_field {
    struct zr_column column; /* of alleles: the genotypes themselves, whose cache is the reader's */
    enum gt_record_kind kind;
    bool literal; /* bytes for the field before it, see geno/model/record_columns.h */
    enum zr_recount { ZR_AS_STORED, ZR_COUNT_AC, ZR_COUNT_AN, ZR_COUNT_AF } recount; /* of the pass that runs: made of its calls */
    char *name;
    struct gt_buf take, take_from; /* of the pass that runs: samples that are taken, by column of chunks */
};

/* --- the reader ------------------------------------------------------------ */

enum zr_layout {
    ZR_PACKED,  /* 2-bit rows */
    ZR_CALLS,   /* allele numbers, (variants, samples, ploidy) or haploid (variants, samples) */
    ZR_DOSAGES, /* (variants, samples) */
    ZR_SITES,   /* none: `geno` is the array of positions */
};

/* Variants of a task. */
struct zr_task {
    int64_t first, n;
};

/* Where rows go on: a record of a task, and its ALT whose row is next; 0: from the first on.  had_row: an ALT before that has one. */
struct zr_place {
    int64_t task, record;
    int32_t alt;
    bool had_row;
};

struct zarr_reader {
    struct gt_reader base;
    struct gt_store *store;
    struct gt_store *sites; /* --sites: where site arrays are, at sites_path; NULL: in `store`, at group_path */
    char *sites_path;
    bool again;
    bool whole;                    /* packed genotypes of ours: every array of the group has all its chunks */
    bool complete;                 /* and it is VCF Zarr: every array is there */
    char *group_path, *array_path; /* in the store; group_path is NULL when the array stands alone */
    struct gt_array *geno;
    enum zr_layout layout;
    int ploidy, slice;  /* slice: index on the ploidy axis, -1 = none */
    int64_t n_variants; /* -1 while the stream has not said */
    bool provisional, haplotypes, phases;
    struct zr_column site[ZR_SITE_ARRAYS];
    bool any_nan;             /* QUAL is scikit-allel's, for which each NaN is missing */
    bool columns;             /* records are asked for, and the store can have them */
    struct gt_buf field_list; /* struct zr_field */
    size_t n_fields;
    struct gt_record_columns record_columns; /* of the pass that runs */
    int32_t *filter_map;                     /* column of variant_filter -> number in info.filters, -1 = it has no name */
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
    unsigned fields, first_fields; /* site fields: all, and those that the filter asks for a site */
    const struct gt_select_opts *select;
    struct gt_dosage_rule rule;
    int64_t step;        /* rows of the genotype array that are read together: of a unit */
    int64_t rows;        /* variants of a task */
    int64_t from, to;    /* variants that are read; to: while n_variants is not known, as many as come */
    struct gt_buf tasks; /* by place: struct zr_task of those that are gone through */
    bool by_place;
    int64_t unseen;         /* variants that no task has, by place */
    int64_t most_rows;      /* of a block */
    bool carries;           /* what a task has more of is left for the next one: */
    int64_t kept;           /* bytes of chunks of genotypes that stay for it */
    struct zr_place place;  /* where that begins; of on_read, by one thread */
    int64_t n_tasks;        /* of variants, which then make more tasks of the flow; INT64_MAX of a stream */
    int64_t stored_max;     /* bytes that read fetches for a task */
    struct gt_cache *calls; /* chunks of genotypes */
    struct gt_buf wanted;   /* of them, see zr_want_columns */
    struct gt_flow *flow;
};

/* A row of the item's block: its record, and the ALT that counts where records are split (else 0). */
struct zr_row {
    int32_t record; /* from item->first on */
    int32_t alt;
};

/* Chunks that a task holds: [row][column], of a grid from row `first` on; NULL: that one is not needed. */
struct zr_held {
    struct gt_chunk **chunk;
    size_t n, cap;
    int64_t first, columns;
};

struct zr_item {
    struct gt_block block; /* first: next hands out its address */
    bool ready;            /* buffers know their budget */
    bool chosen;           /* rows were chosen */
    int64_t first, n;      /* variants */
    bool counted;          /* calls of the first one were counted with rows of a block before */
    int64_t unseen;        /* variants that no task has, of which this block tells */
    struct gt_buf scratch[2], tile, codes, seen, alt_calls;
    size_t tile_chunk;               /* the tile's first chunk in `calls` */
    int64_t tile_skip, tile_samples; /* rows of that before the tile; samples of a row */
    struct gt_buf rows;              /* struct zr_row: what is kept of them */
    int64_t n_rows;
    bool hets;                                           /* rows of block.hets are wanted */
    struct zr_held site[ZR_SITE_ARRAYS], calls, *fields; /* fields: one each, NULL until they are needed */
    struct gt_buf record_texts, record_starts;
};

/* zarr_task.c: tasks of the reader's flow, whose items are struct zr_item. */
extern const struct gt_flow_ops zr_flow_ops;

/* --- zarr_sites_store.c: --sites --- */

/* The store and group of the site arrays, and of the tables that belong to them. */
struct gt_store *zr_sites_store(const struct zarr_reader *r);
const char *zr_sites_path(const struct zarr_reader *r);
/* Once it is known which array the genotypes are: finds the group in the store at `path` that has the same path, or
 * is the one named there.  GT_USAGE: the calls are a stream or have their own sites; GT_INPUT: there are no positions. */
int zr_open_sites_store(struct zarr_reader *r, const char *path, struct gt_err *err);

/* zarr_open.c: which array, which site arrays. */
int zr_open_layout(struct zarr_reader *reader, const char *path, const char *sites, struct gt_err *err);
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

/* zarr_mean_alleles.c: info.mean_alleles, where sites may have many and the first chunk can be read. */
void zr_mean_alleles(struct zarr_reader *reader);

/* zarr_ploidy.c: info.ploidy. */
int zr_show_ploidy(struct zarr_reader *reader, struct gt_err *err);

/* zarr_chunks.c: chunks of a task, from the caches of a pass. */
int zr_caches_open(struct zarr_reader *reader, int64_t memory, struct gt_err *err);
void zr_caches_close(struct zarr_reader *reader);
void zr_caches_trim(struct zarr_reader *reader);
/* Is the array needed for these site fields? */
bool zr_site_needed(const struct zarr_reader *reader, int which, unsigned fields);
/* Memory of the chunks of site arrays, stored and decoded, that a task of n variants needs for these fields. */
int64_t zr_site_bytes(const struct zarr_reader *reader, int64_t rows, unsigned fields);
/* Holds what the fields need of the site arrays. */
int zr_acquire_sites(struct zarr_reader *reader, struct zr_item *item, unsigned fields, struct gt_err *err);
/* Holds the genotypes of the rows that were chosen, of all when none were yet. */
int zr_acquire_calls(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);
/* Gets the stored bytes of what is held, of genotypes up to stored_max. */
int zr_fetch(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);
int zr_decode_sites(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);
void zr_give_sites(struct zarr_reader *reader, struct zr_item *item);
void zr_give_calls(struct zarr_reader *reader, struct zr_item *item);
/* n chunks of genotypes from number `at` on are no longer needed. */
void zr_give_some_calls(struct zarr_reader *reader, struct zr_item *item, size_t at, size_t n);
/* One chunk of genotypes, decoded, or n of its rows from `row` on and what kernels touch after them; it stays held. */
int zr_decode_calls(struct zarr_reader *reader, struct zr_item *item, size_t at, int64_t row, int64_t n, struct gt_chunk **chunk,
                    struct gt_err *err);

/* The same for what others hold. */
void zr_held_release(struct gt_cache *cache, struct zr_held *held);
/* Room for rows x columns chunks, none of them held yet. */
int zr_held_room(struct zr_held *held, int64_t first, int64_t rows, int64_t columns, struct gt_err *err);
/* Which columns of chunks along the axis of samples, the second one, have a sample that is kept: a byte each, 1 or 0.  Empty where
 * all have.  per_item: samples of an item of that axis (4 in packed rows). */
int zr_want_columns(const struct zarr_reader *reader, const struct gt_array *array, int per_item, struct gt_buf *wanted,
                    struct gt_err *err);
/* Holds the chunks of a row of the grid, of the columns that are wanted. */
int zr_held_row(struct gt_cache *cache, const struct gt_array *array, const struct gt_buf *wanted, struct zr_held *held, int64_t row,
                struct gt_err *err);
/* Gets stored bytes until *left of them are taken, about. */
int zr_held_fetch(struct gt_cache *cache, const struct gt_array *array, const struct zr_held *held, int64_t *left, struct gt_err *err);

/* zarr_fields.c: the arrays of records. */
static inline struct zr_field *zr_fields(const struct zarr_reader *reader)
{
    return (struct zr_field *)(void *)reader->field_list.data;
}
/* Finds and declares them, where records are asked for; sets GT_HAS_COLUMNS. */
int zr_open_fields(struct zarr_reader *reader, struct gt_err *err);
void zr_close_fields(struct zarr_reader *reader);

/* zarr_records.c: the columns of records, and their chunks. */
/* Bytes of a record, about; largest: of their decoded chunks, and of all in a row of the grid. */
int64_t zr_record_bytes(const struct zarr_reader *reader, int64_t n_samples);
void zr_record_chunks(const struct zarr_reader *reader, int64_t *largest, int64_t *all);
int zr_records_begin(struct zarr_reader *reader, int64_t memory, struct gt_err *err);
void zr_records_end(struct zarr_reader *reader);
void zr_records_trim(struct zarr_reader *reader);
int zr_acquire_records(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);
int zr_fetch_records(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);
void zr_give_records(struct zarr_reader *reader, struct zr_item *item);
/* zarr_record_fill.c: the records of what the filter keeps.  Before gt_filter_block: which row a site is of; and after it: the records of
 * those that stay. */
void zr_records_mark(struct zarr_reader *reader, struct zr_item *item);
int zr_gather_records(struct zarr_reader *reader, struct zr_item *item, int64_t task, struct gt_err *err);

/* zarr_region.c: the tasks that the filter may keep sites of, by the store's region_index. */
int zr_choose_tasks(struct zarr_reader *reader, struct gt_err *err);

/* zarr_sites.c: sites of what is held and decoded. */
/* The site of variant v, with the fields that the filter asks for. */
int zr_make_record(struct zarr_reader *reader, struct zr_item *item, int64_t v, struct gt_site *site, struct gt_err *err);
/* The other fields, of the rows that were chosen. */
int zr_complete_sites(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);

/* Does the store say that a call is phased? */
bool zr_is_phased(const struct zarr_reader *reader, const struct zr_item *item, int64_t variant, int64_t sample);

/* zarr_row_select.c: which rows the block will have, with their sites: filters that look at sites alone. */
int zr_choose_rows(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);
/* The same of the task that reader->place is in, whose variants before that are no longer the item's, up to most_rows of them: the item's
 * last variant is the last that was looked at, and reader->place moves to what is next. */
int zr_choose_some_rows(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);
/* Number of the variant that row j of the block is of. */
static inline int64_t zr_record_of(const struct zr_item *item, int64_t j)
{
    return item->first + ((const struct zr_row *)item->rows.data)[j].record;
}

/* zarr_calls.c: the genotypes of those rows. */
int zr_genotypes(struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);

/* --- zarr_no_genotypes.c ------------------------------------------------------ */

/* GT_INPUT: no array of the group has one of the names (NULL after the last).  The hint lists the groups below it that have one. */
int zr_no_genotypes(const struct zarr_reader *r, struct gt_group *group, const char *path, const char *const names[], struct gt_err *err);

#endif
