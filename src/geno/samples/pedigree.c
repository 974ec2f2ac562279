#include "geno/samples/pedigree.h"

#include <string.h>

const char *const gt_fam_arrays[GT_FAM_COLUMNS] = {"sample_family_id",   "sample_member_id", "sample_paternal_id",
                                                   "sample_maternal_id", "sample_sex",       "sample_phenotype"};

static const char *unknown(const struct gt_geno_info *info, int column, size_t sample)
{
    return column == GT_FAM_MEMBER ? gt_strs_get(&info->samples, sample) : column == GT_FAM_PHENOTYPE ? "-9" : "0";
}

/* The column in one of the tables, and its length. */
static const char *text_of(const struct gt_geno_info *info, int column, size_t sample, size_t *n)
{
    const struct gt_strs *table = column < GT_FAM_FATHER ? &info->plink_ids : &info->pedigree;
    const char *text = sample < table->n ? gt_strs_get(table, sample) : NULL;

    if (!text) {
        text = unknown(info, column, sample);
        *n = strlen(text);
        return text;
    }
    for (int skip = column < GT_FAM_FATHER ? column : column - GT_FAM_FATHER; skip; skip--)
        text += strcspn(text, "\t") + 1;
    *n = strcspn(text, "\t");
    return text;
}

bool gt_fam_needed(const struct gt_geno_info *info, enum gt_fam_column column)
{
    for (size_t s = 0; s < info->samples.n; s++) {
        size_t n;
        const char *text = text_of(info, (int)column, s, &n), *none = unknown(info, (int)column, s);
        if (strlen(none) != n || memcmp(text, none, n) != 0)
            return true;
    }
    return false;
}

int gt_fam_texts(const struct gt_geno_info *info, enum gt_fam_column column, struct gt_strs *texts, struct gt_err *err)
{
    int status = 0;

    for (size_t s = 0; s < info->samples.n && !status; s++) {
        size_t n;
        const char *text = text_of(info, (int)column, s, &n);
        status = gt_strs_add(texts, text, n, err);
    }
    return status;
}

/* Columns [from, to) of a sample as one text. */
static int add_columns(const struct gt_geno_info *info, const struct gt_strs *texts, int from, int to, size_t sample, struct gt_strs *table,
                       struct gt_err *err)
{
    struct gt_str line = {0};
    int status = 0;

    for (int c = from; c < to && !status; c++) {
        const char *text = texts[c].n ? gt_strs_get(&texts[c], sample) : unknown(info, c, sample);
        if (!*text || strpbrk(text, " \t\r\n"))
            status = gt_fail(err, GT_INPUT, "'%s': %s of sample %zu is '%s'", info->name, gt_fam_arrays[c], sample + 1, text);
        gt_str_addf(&line, "%s%s", c > from ? "\t" : "", text);
    }
    status = status ? status : gt_str_check(&line, err);
    status = status ? status : gt_strs_add(table, line.s, line.len, err);
    gt_str_release(&line);
    return status;
}

int gt_fam_take(struct gt_geno_info *info, const struct gt_strs texts[GT_FAM_COLUMNS], struct gt_err *err)
{
    bool any = false;
    int status = 0;

    for (int c = 0; c < GT_FAM_COLUMNS; c++) {
        any |= texts[c].n > 0;
        if (texts[c].n && texts[c].n != info->samples.n)
            return gt_fail(err, GT_INPUT, "'%s': %s has %zu values for %zu samples", info->name, gt_fam_arrays[c], texts[c].n,
                           info->samples.n);
    }
    for (size_t s = 0; any && s < info->samples.n && !status; s++) {
        status = add_columns(info, texts, GT_FAM_FAMILY, GT_FAM_FATHER, s, &info->plink_ids, err);
        status = status ? status : add_columns(info, texts, GT_FAM_FATHER, GT_FAM_COLUMNS, s, &info->pedigree, err);
    }
    return status;
}
