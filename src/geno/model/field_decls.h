/* INFO and FORMAT fields that the header of a VCF declares. */
#ifndef GT_GENO_VCF_FIELDS_H
#define GT_GENO_VCF_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/budget.h"
#include "core/base/str.h"

enum gt_vcf_type { GT_VCF_INTEGER, GT_VCF_FLOAT, GT_VCF_FLAG, GT_VCF_CHARACTER, GT_VCF_STRING };

/* Number=: how many values, or one of these. */
enum { GT_VCF_PER_ALT = -1, GT_VCF_PER_ALLELE = -2, GT_VCF_PER_GENOTYPE = -3, GT_VCF_ANY_NUMBER = -4 };

struct gt_vcf_field {
    bool format; /* a FORMAT field, else INFO */
    enum gt_vcf_type type;
    int32_t number;
    uint32_t name, description; /* numbers of texts */
};

/* In the order of the header; a field is there once. */
struct gt_vcf_fields {
    struct gt_buf list; /* struct gt_vcf_field */
    struct gt_strs texts;
};

static inline size_t gt_vcf_fields_n(const struct gt_vcf_fields *fields)
{
    return fields->list.len / sizeof(struct gt_vcf_field);
}
static inline const struct gt_vcf_field *gt_vcf_field(const struct gt_vcf_fields *fields, size_t i)
{
    return (const struct gt_vcf_field *)(const void *)fields->list.data + i;
}
static inline const char *gt_vcf_field_name(const struct gt_vcf_fields *fields, size_t i)
{
    return gt_strs_get(&fields->texts, gt_vcf_field(fields, i)->name);
}

/* What Number=, Type= say; what is no number is any number, what is no type is a string. */
int32_t gt_vcf_number_of(const char *text);
enum gt_vcf_type gt_vcf_type_of(const char *text);

/* Adds a field, which is not there yet. */
int gt_vcf_fields_add(struct gt_vcf_fields *fields, const struct gt_vcf_field *field, const char *name, const char *description,
                      struct gt_err *err);
/* Those of `from` that are not there are added; GT_INPUT where the two say different things of
 * one; stored: where only their Number differs it becomes any number, as in stores, which know how many were seen.
 * a, b: their names for that message. */
int gt_vcf_fields_merge(struct gt_vcf_fields *fields, const struct gt_vcf_fields *from, const char *a, const char *b, bool stored,
                        struct gt_err *err);
void gt_vcf_fields_release(struct gt_vcf_fields *fields);

#endif
