/* What a store has of a variant in addition to its site, as columns: INFO, FORMAT and the alleles of calls.
 *
 * A record is one block of bytes: the numbers of each column as they are stored, little endian, at
 * the column's place; a column of texts has a uint32_t there, which is where in the record its texts
 * begin, one after another, each with its NUL.  Of columns of calls there are the samples that are
 * kept, in their order. */
#ifndef GT_GENO_COLUMNS_H
#define GT_GENO_COLUMNS_H

#include "storage/codec/dtype.h"

enum gt_record_kind {
    GT_RECORD_INFO,
    GT_RECORD_FORMAT,
    GT_RECORD_ALLELES, /* of calls: GT */
    GT_RECORD_PHASED   /* which calls are phased */
};

struct gt_record_column {
    const char *name; /* as VCF has it */
    enum gt_record_kind kind;
    enum gt_type type; /* of the numbers: bool, integers, F16, F32, F64; GT_STRING: texts */
    size_t size;       /* bytes of a number */
    int64_t width;     /* values of a record, of calls: of a sample */
    size_t at;         /* its place; a multiple of 8 */
    size_t literal;    /* of integers: place of as many bytes, 1 where -1 or -2 is a value; 0: they are missing and fill */
    bool is_literal;   /* it is such bytes, not a field */
};

struct gt_record_columns {
    const struct gt_record_column *list; /* alleles, phases, then the others */
    size_t n;
    int64_t n_samples;
    size_t fixed; /* bytes before the texts */
};

/* VCF Zarr's numbers for "." and for "there is none"; of floats those of BCF (geno/vcf_number.h) and: */
enum { GT_INT_MISSING = -1, GT_INT_FILL = -2 };
#define GT_F16_MISSING 0x7C01u
#define GT_F16_FILL 0x7C02u
#define GT_F64_MISSING 0x7FF0000000000001u
#define GT_F64_FILL 0x7FF0000000000002u

#endif
