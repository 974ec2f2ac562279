/* Inside the writer of VCF Zarr groups. */
#ifndef GT_CALC_VCZ_IMPL_H
#define GT_CALC_VCZ_IMPL_H

#include <pthread.h>

#include "arrays/zarr/group.h"
#include "geno/samples/pedigree.h"
#include "geno/vcz_write/vcz.h"

enum vcz_array {
    VCZ_DOSAGE,
    VCZ_GENOTYPE,
    VCZ_PHASED,
    VCZ_MASK,
    VCZ_SITES, /* all before it are genotypes */
    VCZ_POSITION = VCZ_SITES,
    VCZ_LENGTH,
    VCZ_QUALITY,
    VCZ_ID_MASK,
    VCZ_MULTIALLELIC,
    VCZ_FILTER,
    VCZ_NUMBERS_END,
    VCZ_CONTIG = VCZ_NUMBERS_END,
    VCZ_ID,
    VCZ_ALLELE,
    VCZ_SITES_END, /* all before it have the axis "variants" */
    VCZ_SAMPLE_ID = VCZ_SITES_END,
    VCZ_CONTIG_ID,
    VCZ_CONTIG_LENGTH,
    VCZ_FILTER_ID,
    VCZ_FILTER_TEXT,
    VCZ_REGIONS,
    VCZ_FAMILY, /* and the other columns of geno/samples/pedigree.h */
    VCZ_FAMILY_END = VCZ_FAMILY + GT_FAM_COLUMNS,
    VCZ_ARRAYS = VCZ_FAMILY_END
};

#define VCZ_TEXT_BYTES 16 /* of an id with its length, about */

/* Consecutive variants of one contig in a row group: a row of region_index. */
struct vcz_run {
    int32_t contig;
    int64_t n, start, end, max_end;
};

/* Texts and further columns of the sites of one row group, on their way into a chunk. */
struct vcz_piece {
    int64_t variants;
    struct gt_buf id, allele[2]; /* as codec/vlen.h has them, without the count: by column, of calls all columns in allele[0] */
    struct gt_buf more;          /* alleles of further columns: struct vcz_more, and the text after it */
    struct gt_buf filters;       /* struct vcz_more, of filters after the first chunk of columns */
};

struct vcz_more {
    uint32_t variant, number, n; /* in the row group; the allele or filter; bytes of the text */
};

/* A chunk of the site arrays, which several row groups fill. */
struct vcz_sites {
    struct vcz_sites *next;
    int64_t row, row_groups, variants;
    int64_t alleles, filters; /* columns of chunks that it reaches */
    struct gt_buf number[VCZ_NUMBERS_END];
    struct vcz_piece *piece; /* by row group */
};

/* An array whose columns are not all known before the end (alleles, filters), cut into
 * chunks along them. */
struct vcz_ragged {
    int array;
    int64_t seen;        /* columns of chunks that some row has */
    int64_t declared;    /* of them in metadata that was sent ahead, and which every row then has; 0: nothing was sent */
    int64_t noted;       /* rows that gt_vcz_checkpoint_text has recorded */
    struct gt_buf reach; /* int32_t, columns that a row has */
    struct gt_buf none;  /* the encoded chunk of a row that does not reach a column: all "" or all false */
};

/* Records in bytes[VCZ_OUT], each followed by n bytes. */
struct vcz_record {
    enum { VCZ_CHUNK, VCZ_RUNS, VCZ_REACH } what; /* REACH: number of columns in `row` of the array */
    int array;
    int64_t row, column;
    size_t n;
};
enum { VCZ_OUT, VCZ_RAW, VCZ_STORED, VCZ_SCRATCH }; /* uses of a row group's bytes; the scratch is two */

struct gt_vcz {
    struct gt_vcz_opts opts;
    struct gt_store *store;
    const struct gt_geno_info *info;
    struct gt_budget *budget;
    struct gt_array *array[VCZ_ARRAYS]; /* NULL: the layout has none */
    struct gt_array *const *more;       /* of GT_VCZ_FIELDS: arrays of others, in the metadata too; borrowed */
    size_t n_more;
    struct json_object *attrs; /* of the root, without gt_stream */
    struct gt_vcz_stats stats;
    int64_t n_samples, sample_chunks, row_groups; /* row groups that were put */
    int64_t each;                                 /* row groups of a chunk of the site arrays */
    bool wide_positions;                          /* 64 bits */

    /* As they were before the first row group; what comes later is sent at the end. */
    struct gt_strs contigs, filters;
    struct gt_buf lengths; /* int64_t of contigs */

    struct vcz_ragged alleles, filter_columns;
    bool begun, provisional;          /* metadata was sent; it is to be replaced */
    struct gt_buf runs;               /* struct vcz_run of all row groups; of a stream: of one */
    size_t noted_runs;                /* of them */
    struct gt_buf early;              /* records of a chunk of sites that another than its last row group brought */
    struct gt_buf own[GT_CALLS_BUFS]; /* of the thread that puts */

    pthread_mutex_t lock; /* of the lists below, and the counts in what is in them */
    struct vcz_sites *open, *spare;

    uint16_t call[32];                       /* alleles of one call, by the bits of gt_call_alleles */
    uint64_t quad_call[256], quad_mask[256]; /* of four unphased biallelic ones, by packed byte */
};

static inline bool vcz_is_packed(const struct gt_vcz *vcz)
{
    return vcz->opts.layout == GT_VCZ_PACKED;
}

/* vcz_arrays.c: the arrays of a layout and the root's attributes. */
int vcz_new_attrs(struct gt_vcz *vcz, struct gt_err *err);
int vcz_new_sites(struct gt_vcz *vcz, struct gt_err *err); /* and genotypes */
int vcz_new_array(struct gt_vcz *vcz, int which, enum gt_type type, const int64_t *shape, const int64_t *chunk, struct json_object *attrs,
                  struct gt_err *err);
enum gt_type vcz_contig_type(size_t contigs);
/* What encoding a chunk takes in addition to the buffers and what threads keep.  Of opts layout, codec, Zarr format and the chunks in
 * shards count. */
int vcz_chunk_work(const struct gt_vcz_opts *opts, int which, const int64_t *chunk, int64_t *bytes, struct gt_err *err);
int vcz_put_meta(struct gt_vcz *vcz, struct gt_err *err);
/* What tells readers which chunks of alleles were left out. */
int vcz_tell_reach(struct gt_vcz *vcz, struct gt_err *err);

/* vcz.c.  GT_INPUT: one is not UTF-8.  what: as gt_check_text has it. */
int vcz_check_texts(const struct gt_vcz *vcz, const char *what, const struct gt_strs *texts, struct gt_err *err);

/* vcz_tables.c: what is one chunk as it stands: samples, contigs, filters, the index of regions. */
int vcz_new_tables(struct gt_vcz *vcz, struct gt_err *err);
int vcz_put_tables(struct gt_vcz *vcz, struct gt_err *err); /* what of them was not sent */
/* variant_contig by vcz->runs, when all contigs are known; its chunks; the same of region_index, which may be none. */
int vcz_new_contigs(struct gt_vcz *vcz, struct json_object *attrs, struct gt_err *err);
int vcz_put_contigs(struct gt_vcz *vcz, int64_t first_row, struct gt_err *err);
int vcz_new_regions(struct gt_vcz *vcz, struct gt_err *err);
int vcz_put_regions(struct gt_vcz *vcz, struct gt_err *err);
/* Filters that there are; never none. */
const struct gt_strs *vcz_filters(const struct gt_vcz *vcz);

/* vcz_geno.c, vcz_calls.c: genotypes of a row_group. */
int vcz_encode_dosage(const struct gt_vcz *vcz, int64_t row_group, const struct gt_block *block, struct gt_buf *bytes, struct gt_err *err);
int vcz_encode_calls(const struct gt_vcz *vcz, int64_t row_group, const struct gt_calls *calls, struct gt_buf *bytes, struct gt_err *err);
void vcz_make_call_tables(struct gt_vcz *vcz);

/* vcz_sites.c: sites of row groups gathered; the chunks of their arrays.  bytes: NULL where row_group cannot be the one that closes its
 * chunk. */
int vcz_add_sites(struct gt_vcz *vcz, int64_t row_group, const struct gt_block *block, struct gt_buf *bytes, struct gt_err *err);
int vcz_encode_sites(const struct gt_vcz *vcz, const struct vcz_sites *sites, struct gt_buf *bytes, struct gt_err *err);
/* Row groups of chunk `row` of the site arrays: the last one has fewer, and is known by that if the number of variants is. */
int64_t vcz_site_row_groups(const struct gt_vcz *vcz, int64_t row);
void vcz_free_sites(struct gt_vcz *vcz);
enum { VCZ_PIECE_BUFS = 5 };
void vcz_piece_bufs(struct vcz_piece *piece, struct gt_buf *bufs[VCZ_PIECE_BUFS]);
/* vcz_fill.c: of row group `part` of the chunk.  alleles, filters: columns of chunks that it reaches. */
int vcz_fill_sites(const struct gt_vcz *vcz, struct vcz_sites *sites, int64_t part, const struct gt_block *block, int64_t *alleles,
                   int64_t *filters, struct gt_err *err);

/* vcz.c: contigs and filters as far as they are known. */
int vcz_copy_tables(struct gt_vcz *vcz, struct gt_err *err);
/* vcz_finish.c: tables of which nothing was sent are made anew, whole. */
int vcz_final_tables(struct gt_vcz *vcz, struct gt_err *err);
void vcz_count_files(struct gt_vcz *vcz); /* of metadata, to those of chunks */
/* All that was announced has come. */
int vcz_check_count(const struct gt_vcz *vcz, struct gt_err *err);
/* vcz.c: a record of bytes[VCZ_OUT]: raw encoded as a chunk, or as it is. */
int vcz_add_chunk(const struct gt_vcz *vcz, int array, int64_t row, int64_t column, const struct gt_buf *raw, struct gt_buf *bytes,
                  struct gt_err *err);
int vcz_add_record(struct gt_buf *bytes, const struct vcz_record *record, const void *data, struct gt_err *err);

/* vcz_put.c */
/* Encodes bytes[VCZ_RAW] of vcz->own, and puts it. */
int vcz_put_raw(struct gt_vcz *vcz, int array, int64_t row, int64_t column, struct gt_err *err);
/* With `sites` all, else those of site arrays are kept in vcz->early. */
int vcz_put_records(struct gt_vcz *vcz, const struct gt_buf *out, bool sites, struct gt_err *err);
int vcz_set_reach(struct vcz_ragged *ragged, int64_t row, int64_t columns, struct gt_err *err);
/* In a stream, columns that were announced and that the row does not reach. */
int vcz_even_out(struct gt_vcz *vcz, struct vcz_ragged *ragged, int64_t row, struct gt_err *err);
/* At the end, columns up to that one which a row does not reach. */
int vcz_fill_out(struct gt_vcz *vcz, struct vcz_ragged *ragged, int64_t columns, struct gt_err *err);

#endif
