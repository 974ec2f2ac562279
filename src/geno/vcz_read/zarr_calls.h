/* Calls of a store on their way to 2-bit rows. */
#ifndef GT_GENO_ZARR_CALLS_H
#define GT_GENO_ZARR_CALLS_H

#include "geno/vcz_read/zarr_reader.h"

/* A piece of a row: the calls of some samples at one variant. */
struct zr_calls {
    const struct zarr_reader *reader;
    struct gt_select_stats *stats;
    struct gt_err *err;
    int64_t variant, sample;    /* of the piece's first call */
    struct gt_dosage_rule rule; /* of the row */
};

/* zarr_calls.c: the number of the allele at `call`, which is 127 there if it is larger. */
int64_t zr_allele_number(const struct zarr_reader *reader, const struct zr_item *item, const int8_t *call);

/* --- zarr_alts.c: what calls say in addition to their dosage --- */

/* Is more than codes wanted of this pass?  Fills in the item's room for it. */
int zr_alts_begin(const struct zarr_reader *reader, struct zr_item *item, struct gt_err *err);
/* n calls as row number `row` of the block counts them: as they are, or with one ALT
 * alone (a split record). */
const int8_t *zr_alts_of_row(const struct zr_calls *c, struct zr_item *item, const int8_t *calls, int64_t n, int64_t row);
/* What n calls and their codes show is added to row number `row`. */
int zr_alts_see(struct zr_calls *c, struct zr_item *item, const int8_t *calls, const uint8_t *codes, int64_t n, int64_t row);
/* The alleles of n calls, one by one, where haplotypes are wanted. */
int zr_haplotypes(struct zr_calls *c, struct zr_item *item, const int8_t *calls, const uint8_t *codes, int64_t n, int64_t row);
/* Phases of n calls, where they are wanted. */
int zr_phases(struct zr_calls *c, struct zr_item *item, const int8_t *calls, const uint8_t *codes, int64_t n, int64_t row);
/* Alleles above 1 of n calls, where those of calls are wanted. */
int zr_alleles(struct zr_calls *c, struct zr_item *item, const int8_t *calls, const uint8_t *codes, int64_t n, int64_t row);
/* Of a call that the rule refuses. */
int zr_refuse_call(const struct zr_calls *c, int code, int64_t sample);
/* All rows were seen. */
void zr_alts_end(struct zr_item *item);

#endif
