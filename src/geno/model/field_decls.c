#include "config.h"

#include "geno/model/field_decls.h"

#include <stdlib.h>
#include <string.h>

int32_t gt_vcf_number_of(const char *text)
{
    static const char letters[] = "ARG.";
    const char *letter = *text && !text[1] ? strchr(letters, *text) : NULL;
    char *end;
    if (letter)
        return -1 - (int32_t)(letter - letters);
    long n = strtol(text, &end, 10);
    return *end || end == text || n < 0 || n > INT16_MAX ? GT_VCF_ANY_NUMBER : (int32_t)n;
}

enum gt_vcf_type gt_vcf_type_of(const char *text)
{
    static const char *const names[] = {"Integer", "Float", "Flag", "Character"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return (enum gt_vcf_type)i;
    return GT_VCF_STRING;
}

/* The text's number in the list. */
static int add_text(struct gt_strs *texts, const char *text, uint32_t *number, struct gt_err *err)
{
    *number = (uint32_t)texts->n;
    return gt_strs_add(texts, text, strlen(text), err);
}

int gt_vcf_fields_add(struct gt_vcf_fields *fields, const struct gt_vcf_field *field, const char *name, const char *description,
                      struct gt_err *err)
{
    struct gt_vcf_field own = *field;
    int status = add_text(&fields->texts, name, &own.name, err);
    if (!status)
        status = add_text(&fields->texts, description, &own.description, err);
    return status ? status : gt_buf_append(&fields->list, &own, sizeof own, err);
}

/* Field i gets the number that the first of its name had; *had: that, or -1. */
static int number_name(struct gt_names *names[2], const struct gt_vcf_fields *fields, size_t i, size_t number, int64_t *had,
                       struct gt_err *err)
{
    const char *name = gt_vcf_field_name(fields, i);
    return gt_names_add(names[gt_vcf_field(fields, i)->format], name, strlen(name), (int64_t)number, had, err);
}

static int add_new(struct gt_vcf_fields *fields, const struct gt_vcf_fields *from, struct gt_names *names[2], const char *a, const char *b,
                   bool stored, struct gt_err *err)
{
    int64_t had;
    int status = 0;
    for (size_t i = 0; i < gt_vcf_fields_n(fields) && !status; i++)
        status = number_name(names, fields, i, i, &had, err);
    for (size_t i = 0; i < gt_vcf_fields_n(from) && !status; i++) {
        const struct gt_vcf_field *field = gt_vcf_field(from, i);
        const char *name = gt_vcf_field_name(from, i);
        status = number_name(names, from, i, gt_vcf_fields_n(fields), &had, err);
        if (status)
            break;
        if (had < 0)
            status = gt_vcf_fields_add(fields, field, name, gt_strs_get(&from->texts, field->description), err);
        else if (stored && gt_vcf_field(fields, (size_t)had)->type == field->type &&
                 gt_vcf_field(fields, (size_t)had)->number != field->number)
            ((struct gt_vcf_field *)(void *)fields->list.data)[had].number = GT_VCF_ANY_NUMBER;
        else if (gt_vcf_field(fields, (size_t)had)->type != field->type || gt_vcf_field(fields, (size_t)had)->number != field->number)
            status = gt_fail(err, GT_INPUT, "the headers of '%s' and '%s' declare %s/%s with different Number or Type", a, b,
                             field->format ? "FORMAT" : "INFO", name);
    }
    return status;
}

int gt_vcf_fields_merge(struct gt_vcf_fields *fields, const struct gt_vcf_fields *from, const char *a, const char *b, bool stored,
                        struct gt_err *err)
{
    struct gt_names *names[2] = {gt_names_new(fields->texts.budget, err), gt_names_new(fields->texts.budget, err)};
    int status = names[0] && names[1] ? add_new(fields, from, names, a, b, stored, err) : GT_FAIL;
    for (int i = 0; i < 2; i++)
        if (names[i])
            gt_names_free(names[i]);
    return status;
}

void gt_vcf_fields_release(struct gt_vcf_fields *fields)
{
    gt_buf_release(&fields->list);
    gt_strs_release(&fields->texts);
}
