/* In which chunks a VCF Zarr group is written, and how many files that makes of a
 * directory store.
 *
 * Small chunks are quick to get at and easy to hand to many threads; a large store has so
 * many of them that file systems, copies and backups choke.  So chunks are as small as they
 * may be while the store stays under GT_VCZ_FILES, and grow where it would not.  Memory has
 * no say in it, so that a store is the same under any --memory that has room for one row group;
 * with less, chunks are lower. */
#ifndef GT_CALC_VCZ_SHAPE_H
#define GT_CALC_VCZ_SHAPE_H

#include "geno/vcz_write/vcz.h"

#define GT_VCZ_FILES 5000

struct gt_vcz_shape {
    int64_t chunk_variants, chunk_samples, site_variants; /* as in struct gt_vcz_opts, */
    int64_t inner_variants, inner_samples;                /* and these */
    int64_t files;                                        /* of a directory; -1: not known, for want of the number of variants */
    bool about;              /* files is what is likely: the number of variants is a guess, or of alleles is not known */
    int64_t row_group_bytes; /* buffers of one row group while it is encoded, its rows among them, and what the codec takes */
    int64_t site_bytes;      /* the same of the chunks of site arrays that row groups in flight fill */
    int64_t codec_bytes;     /* of row_group_bytes, next to buffers */
    int64_t table_bytes;     /* what the codec takes for the ids of samples */
};

struct gt_vcz_request {
    enum gt_vcz_layout layout;
    int64_t chunk_variants, chunk_samples; /* 0 = to be chosen; samples: -1 = all */
    int64_t shard_variants, shard_samples; /* as those; both 0: no shards, one: shards are as long as chunks along its axis */
    int zarr_format;
    bool stream;
    const char *codec; /* as in struct gt_vcz_opts */
    int64_t memory;    /* that is left for row_group_bytes and site_bytes together */
};

/* GT_USAGE for a shape or codec that cannot be. */
int gt_vcz_shape_choose(struct gt_vcz_shape *shape, const struct gt_geno_info *info, const struct gt_vcz_request *request,
                        struct gt_err *err);

/* Of a shape with the chunks that were chosen: these become those in shards, as requested, if shards are.  GT_USAGE: they do not make whole
 * shards. */
int gt_vcz_shape_shards(struct gt_vcz_shape *shape, const struct gt_geno_info *info, const struct gt_vcz_request *request,
                        struct gt_err *err);

/* Adds to row_group_bytes and site_bytes, and puts into the other two, what codecs take for chunks that were chosen otherwise. */
int gt_vcz_shape_codecs(struct gt_vcz_shape *shape, const struct gt_geno_info *info, const struct gt_vcz_request *request,
                        struct gt_err *err);

#endif
