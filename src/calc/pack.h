/* Any genotype source -> a packed store. */
#ifndef GT_CALC_PACK_H
#define GT_CALC_PACK_H

#include "geno/source.h"
#include "store/store.h"

struct gt_pack_opts {
    int64_t chunk_variants, chunk_samples; /* 0 = chosen from the shape; samples a multiple of 4, -1 = all */
    const char *codec;     /* SPEC; NULL = "zstd:1" */
    int zarr_format;       /* 0 = 2 */
    const char *history;   /* provenance line for gt:history, NULL = none */
    bool stream;           /* out is a tar stream: metadata goes first, provisional unless the number of variants is known */
};

struct gt_pack_stats {
    int64_t variants, samples;
    int64_t bytes_raw, bytes_stored; /* of the genotypes */
    int64_t max_alleles;
};

/* Pulls every block of source, regroups into stripes of chunk_variants, encodes
 * on the workers, puts in stripe order, then the final metadata.  Does not
 * finish `out`: the caller does. */
int gt_pack_run(struct gt_engine *engine, struct gt_source *source, struct gt_store *out, const struct gt_pack_opts *opts,
                struct gt_pack_stats *stats, struct gt_err *err);

#endif
