/* A VCF Zarr group being written: sites and samples in the arrays of the specification,
 * genotypes as packed dosages (gt-packed(5)) or as calls (call_genotype with phases and mask).
 *
 * Variants come as row groups of chunk_variants, numbered from 0, the last one shorter.
 * Site arrays have taller chunks: who encodes the last row group of one, on whichever
 * thread, encodes that one too.  So what stands in `bytes` of one row group may belong to
 * others, and all are put before the group is finished.  Where several processes encode row
 * groups, one of them is given the sites of all row groups of a chunk.
 *
 * In a stream the metadata goes first, and says that it is provisional unless nothing in it
 * can change any more; site chunks are as tall as the genotypes', so that a consumer holds
 * one row_group. */
#ifndef GT_CALC_VCZ_H
#define GT_CALC_VCZ_H

#include "geno/model/geno_sink.h"
#include "storage/store/store.h"

enum gt_vcz_layout {
    GT_VCZ_PACKED,
    GT_VCZ_CALLS,
    GT_VCZ_FIELDS /* tables, variant_contig and region_index alone: the rest is somebody else's (calc/fields.h) */
};

struct gt_vcz_opts {
    enum gt_vcz_layout layout;
    bool phased;            /* of calls */
    int64_t alleles;        /* of calls: columns of variant_allele, no site has more */
    int64_t chunk_variants; /* of genotypes, as chunk_samples: a multiple of 4 where packed, at most all */
    int64_t chunk_samples;
    int64_t inner_variants, inner_samples; /* of the chunks in shards, which chunk_variants and chunk_samples then are of; 0: no shards */
    int64_t site_variants;   /* of site arrays: a multiple of chunk_variants, or no fewer than come; a stream: chunk_variants */
    const char *codec;       /* SPEC for all arrays; NULL = by array and layout */
    int64_t row_group_bytes; /* of a sink, as in struct gt_calls_sink */
    int64_t site_bytes;
    int zarr_format;     /* 2 or 3 */
    const char *history; /* provenance line for gt:history, NULL = none */
    bool stream;
};

struct gt_vcz_stats {
    int64_t variants;
    int64_t bytes_genotypes, bytes_all; /* stored, of chunks */
    int64_t max_alleles;
    int64_t files; /* keys of the store: chunks and metadata */
};

struct gt_array;
struct gt_vcz;

/* In bytes: what gt_vcz_put reads. */
#define GT_VCZ_RESULTS 1u

/* store and info are borrowed.  store is NULL for a writer that only encodes.  info is read by this, put and finish, and may have grown
 * meanwhile (contigs and filters that its header lacked).  GT_INPUT: texts of its header or names are not UTF-8. */
int gt_vcz_new(struct gt_vcz **out, struct gt_store *store, const struct gt_geno_info *info, const struct gt_vcz_opts *opts,
               struct gt_budget *budget, struct gt_err *err);
void gt_vcz_free(struct gt_vcz *vcz); /* NULL is fine */

/* A row group's chunks, encoded, into bytes, which are the row group's own and are used again;
 * from any thread.  block has its sites.  calls: the same with phases and second ALTs
 * (block is within it), NULL where dosages are packed.  sites: false where another process encodes them. */
int gt_vcz_encode(struct gt_vcz *vcz, int64_t row_group, const struct gt_block *block, const struct gt_calls *calls, bool sites,
                  struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err);
/* The sites alone of a row group that another process encodes, from any thread.  It must return before gt_vcz_encode is called here for
 * the last row group of the same chunk of sites.  GT_INPUT: more row groups come than the number of variants says. */
int gt_vcz_add_sites(struct gt_vcz *vcz, int64_t row_group, const struct gt_block *block, struct gt_err *err);
/* The last row group of the chunk of sites that a row group belongs to; where the number of variants is unknown, it may not come. */
int64_t gt_vcz_last_of_sites(const struct gt_vcz *vcz, int64_t row_group);
/* In order of row groups, on one thread. */
int gt_vcz_put(struct gt_vcz *vcz, int64_t row_group, const struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err);
/* For a directory, between row groups: can a checkpoint be written now?  Writes the checkpoint text; restores the state from a text
 * of an earlier run, in order, as if the writer had put these row groups.  GT_NOENT: *at is not a valid checkpoint, or what it lists is
 * not in the store as it was put. */
bool gt_vcz_can_checkpoint(const struct gt_vcz *vcz);
void gt_vcz_checkpoint_text(struct gt_vcz *vcz, struct gt_str *to);
int gt_vcz_restore(struct gt_vcz *vcz, int64_t row_groups, const char **at, struct gt_err *err);
/* The chunk of sites that a writer that only encodes is left with at the end, as records in *bytes, none if there is no such chunk; puts
 * it, before gt_vcz_finish.  At most one writer has one. */
int gt_vcz_encode_rest(struct gt_vcz *vcz, struct gt_buf *bytes, struct gt_err *err);
int gt_vcz_put_rest(struct gt_vcz *vcz, const struct gt_buf *bytes, struct gt_err *err);
/* All that can be known at the end only.  Does not finish the store. */
int gt_vcz_finish(struct gt_vcz *vcz, struct gt_err *err);
/* Of GT_VCZ_FIELDS in its place.  arrays: of the group next to our own; put(ctx) puts their
 * chunks, after the metadata where `first` says that it comes first. */
int gt_vcz_finish_fields(struct gt_vcz *vcz, struct gt_array *const *arrays, size_t n, bool first,
                         int (*put)(void *ctx, struct gt_err *err), void *ctx, struct gt_err *err);
int64_t gt_vcz_variants(const struct gt_vcz *vcz); /* until now */
/* Complete after gt_vcz_finish. */
const struct gt_vcz_stats *gt_vcz_stats(const struct gt_vcz *vcz);

#endif
