/* Any genotype source -> a packed store. */
#ifndef GT_CALC_PACK_H
#define GT_CALC_PACK_H

#include "core/engine/memory_plan.h"
#include "geno/source/source.h"
#include "geno/vcz_write/vcz_shape.h"
#include "storage/store/store.h"

struct gt_pack_opts {
    bool fields;        /* complete VCF Zarr (calc/fields.h) rather than packed dosages: */
    const char *wanted; /* as in struct gt_fields_opts */
    int64_t ploidy;
    bool local_alleles;
    bool recount, lenient;                 /* as in struct gt_fields_opts */
    int64_t chunk_variants, chunk_samples; /* 0 = chosen from the shape; samples a multiple of 4, -1 = all */
    int64_t shard_variants, shard_samples; /* as in struct gt_vcz_request */
    const char *codec;                     /* SPEC for all arrays; NULL = by array */
    int zarr_format;                       /* 0 = 2 */
    const char *history;                   /* provenance line for gt:history, NULL = none */
    bool stream;                           /* out is a tar stream: metadata goes first, provisional unless it cannot change any more */
};

struct gt_pack_stats {
    int64_t variants, samples;
    int64_t bytes_raw, bytes_stored; /* of the genotypes */
    int64_t bytes_all;               /* stored, of all chunks */
    int64_t max_alleles;
    int64_t kept;       /* row groups that a run before this one had finished */
    int64_t files;      /* keys of the store: chunks and metadata */
    int64_t undeclared; /* values of fields that the header lacks, left out; the first of them: */
    char undeclared_name[120];
    struct gt_pack_literals {
        int64_t n;
        char names[400];        /* how many each field has */
    } literals, local_literals; /* values -1 and -2 of integer fields, which other programs read as missing; of local alleles, all do */
};

enum { GT_PACK_READING, GT_PACK_ROW_GROUPS, GT_PACK_SITES, GT_PACK_TABLES, GT_PACK_ALLOTMENTS };

/* What gt_pack_run will do: the chunk shape and the memory of a row group (all
 * chunks of chunk_variants variants, the unit of its flow). */
struct gt_pack_plan {
    struct gt_vcz_shape shape;
    int64_t sample_chunks; /* chunks of packed_dosage in a row group */
    int64_t row_groups;    /* -1 while the number of variants is unknown */
    struct gt_allotment allotment[GT_PACK_ALLOTMENTS];
};

/* GT_USAGE for a chunk shape that cannot be, GT_INPUT without samples, GT_NOFIT, as
 * gt_memory_plan_fit says, when one row group is more than there is room for. */
int gt_pack_plan_make(struct gt_pack_plan *plan, const struct gt_engine *engine, const struct gt_geno_info *info,
                      const struct gt_pack_opts *opts, struct gt_err *err);

/* Reads all blocks of source (opened with GT_SITE_ALL), reblocks them into row groups of chunk_variants, encodes on the workers, and puts
 * row groups in order, then the final metadata.  The caller finishes `out`.  If `out` was resumed (gt_store_resume), starts after the row
 * groups of the earlier run; the output is identical. */
int gt_pack_run(struct gt_engine *engine, struct gt_source *source, struct gt_store *out, const struct gt_pack_opts *opts,
                struct gt_pack_stats *stats, struct gt_err *err);

/* The same of opts->fields; gt_pack_run calls it. */
int gt_pack_fields(struct gt_engine *engine, struct gt_source *source, struct gt_store *out, const struct gt_pack_opts *opts,
                   const struct gt_pack_plan *plan, struct gt_pack_stats *stats, struct gt_err *err);

#endif
