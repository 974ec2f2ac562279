/* The arrays of a complete VCF Zarr group that have a row for each variant, as bio2zarr makes them of
 * a VCF: what every record has (variant_position, variant_allele, ...), INFO as variant_X, FORMAT as
 * call_X, genotypes as call_genotype with its mask and phases.
 *
 * How many values a row has (alleles, ploidy, Number=.) and how wide whole numbers are is known when all
 * records were seen.  So row groups are encoded as what was seen until then says, and wait in a file
 * (base/spoolfile.h); those that turn out to be too narrow are laid out anew on the way to the store.
 * The same bytes come out whatever the order that threads saw them in. */
#ifndef GT_CALC_FIELDS_H
#define GT_CALC_FIELDS_H

#include "arrays/zarr/array.h"
#include "core/engine/engine.h"
#include "geno/model/block.h"
#include "geno/model/geno_info.h"
#include "geno/vcz_fields/column.h"
#include "storage/store/store.h"

struct gt_fields_opts {
    const char *wanted;     /* --fields: "INFO/AC,FORMAT/DP", "GT", "all", "none"; NULL = all */
    int64_t ploidy;         /* 0 = the largest that is seen; fewer than that is an error */
    bool lenient;           /* a value that is not written, as after the comma of "5,", is missing; else it is GT_INPUT */
    bool recount;           /* INFO/AC, AN and AF are counted from the calls of these samples; without calls they are left out */
    bool local_alleles;     /* call_LA, and call_LAD and call_LPL in place of call_AD and call_PL; ploidy is 2 then */
    int64_t chunk_variants; /* 1 or more */
    int64_t chunk_samples;
    int64_t inner_variants, inner_samples; /* as codec in struct gt_vcz_opts */
    const char *codec;
    int zarr_format;
};

struct gt_fields;
/* What a row group is parsed into, used again for the next one; one thread at a time. */
struct gt_fields_row_group;

/* info is borrowed; its filters may grow.  GT_USAGE for fields that the header has not, and for local alleles without
 * genotypes; GT_INPUT for fields whose names cannot be arrays. */
int gt_fields_new(struct gt_fields **out, struct gt_engine *engine, const struct gt_geno_info *info, const struct gt_fields_opts *opts,
                  struct gt_err *err);
void gt_fields_free(struct gt_fields *fields); /* NULL is fine */

int gt_fields_row_group_new(struct gt_fields *fields, struct gt_fields_row_group **out, struct gt_err *err);
void gt_fields_row_group_free(struct gt_fields_row_group *row_group);
/* The records of row group `number`, from any thread, parsed and encoded into the row_group. */
int gt_fields_encode(struct gt_fields *fields, int64_t number, const struct gt_block *block, struct gt_fields_row_group *row_group,
                     struct gt_err *err);
/* In order, on one thread: what was encoded goes to the file. */
int gt_fields_put(struct gt_fields *fields, const struct gt_fields_row_group *row_group, struct gt_err *err);

/* For a resumable store: uses fd instead of an anonymous file for row groups, and closes it in gt_fields_free; writes the checkpoint of
 * the row group put last; and restores, in order, a row group of an earlier run from its checkpoint at *at: GT_NOENT if it is not there
 * unchanged, then only statistics may have changed. */
void gt_fields_spool(struct gt_fields *fields, int fd);
void gt_fields_checkpoint_text(struct gt_fields *fields, const struct gt_fields_row_group *row_group, struct gt_str *to);
int gt_fields_restore(struct gt_fields *fields, const char **at, struct gt_err *err);

/* After the last row group: the arrays as they are to be, `variants` tall; they are the fields' own. */
int gt_fields_make_arrays(struct gt_fields *fields, struct gt_store *store, int64_t variants, struct gt_array ***arrays, size_t *n,
                          struct gt_err *err);
struct gt_fields_stats {
    int64_t bytes_genotypes, bytes_all; /* stored */
    int64_t chunks;
    int64_t max_alleles;
    int64_t undeclared; /* values of fields that the header does not declare, which were left out */
};
/* All chunks to the store, in order of row_groups.  memory: for those in flight. */
int gt_fields_replay(struct gt_fields *fields, int64_t memory, struct gt_fields_stats *stats, struct gt_err *err);
/* The first such field, "INFO/XY"; NULL = there was none. */
const char *gt_fields_undeclared(const struct gt_fields *fields);
/* Values -1 and -2 of integer fields, which VCF Zarr reads as missing and fill; appends how many each field has: "INFO/SVLEN 2, FORMAT/CN
 * 1". An array literal_X next to array X marks them, except in local alleles, which are counted instead with `local`. */
int64_t gt_fields_literals(const struct gt_fields *fields, bool local, struct gt_str *names);

#endif
