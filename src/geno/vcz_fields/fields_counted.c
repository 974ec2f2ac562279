/* INFO/AC, AN and AF of some samples, counted from their calls as bcftools view -s and +fill-tags do: those that the record
 * has are of all samples. */
#include "config.h"

#include <string.h>

#include "core/base/le.h"
#include "geno/model/vcf_number.h"
#include "geno/vcz_fields/fields_internal.h"

void fields_find_counted(struct gt_fields *fields)
{
    static const char *const names[FIELDS_COUNTED] = {"AC", "AN", "AF"};
    for (int i = 0; i < FIELDS_COUNTED && fields->opts.recount && fields->info_names; i++) {
        const int64_t at = gt_names_find(fields->info_names, names[i], 2);
        const enum gt_column_kind kind = i == COUNT_AF ? GT_COLUMN_FLOAT : GT_COLUMN_INT;
        fields->counted[i] = at > 0 && !fields->arrays[at].left_out && fields->arrays[at].kind == kind ? (int)at : 0;
    }
}

static int64_t allele_at(const uint8_t *p, int size)
{
    return size == 1 ? (int8_t)*p : size == 2 ? (int16_t)gt_le16(p) : (int32_t)gt_le32(p);
}

/* How often each allele is in the calls of variant v; how many that are. */
static int32_t count_alleles(const struct gt_column *calls, int64_t v, int32_t *count, int64_t n_alleles)
{
    const int64_t n = calls->rows * calls->form.k;
    const uint8_t *p = calls->data.data + v * n * calls->form.size;
    int32_t all = 0;
    memset(count, 0, (size_t)n_alleles * sizeof *count);
    for (int64_t i = 0; i < n; i++, p += calls->form.size) {
        const int64_t allele = allele_at(p, calls->form.size);
        if (allele < 0 || allele >= n_alleles)
            continue;
        count[allele]++;
        all++;
    }
    return all;
}

static int put_frequencies(struct gt_fields_row_group *s, const int32_t *count, int64_t n_alts, int32_t all, struct gt_err *err)
{
    int status = fields_grow(&s->values, (size_t)n_alts, err);
    for (int64_t a = 0; a < n_alts && !status; a++) {
        const float fraction = (float)((double)count[a] / (double)all);
        memcpy(s->values.data + 4 * a, &fraction, 4);
    }
    return status
               ? status
               : gt_column_floats(&s->columns[s->fields->counted[COUNT_AF]], (const uint32_t *)(const void *)s->values.data, n_alts, err);
}

int fields_put_counted(struct gt_fields_row_group *s, int64_t v, struct gt_err *err)
{
    const int *counted = s->fields->counted;
    const int64_t n = s->site->n_alleles;
    const bool any = counted[COUNT_AC] || counted[COUNT_AN] || counted[COUNT_AF];
    if (!any || s->fields->arrays[FIELD_GENOTYPE].left_out || !fields_done(s, FIELD_GENOTYPE, v) || n < 1)
        return 0;
    int status = fields_grow(&s->counts, (size_t)n, err);
    if (status)
        return status;
    int32_t *count = (int32_t *)(void *)s->counts.data, all = count_alleles(&s->columns[FIELD_GENOTYPE], v, count, n);
    if (counted[COUNT_AN])
        status = gt_column_long(&s->columns[counted[COUNT_AN]], all, err);
    if (!status && counted[COUNT_AF] && n > 1 && all > 0)
        status = put_frequencies(s, count + 1, n - 1, all, err);
    if (!status && counted[COUNT_AC] && n > 1)
        status = gt_column_ints(&s->columns[counted[COUNT_AC]], count + 1, n - 1, err);
    return status;
}
