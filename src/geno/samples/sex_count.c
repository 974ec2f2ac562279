#include "config.h"

#include "geno/samples/sex_count.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "geno/model/hwe.h"
#include "geno/model/ploidy.h"
#include "kernels/kernels.h"

/* --- rows ------------------------------------------------------------------------------ */

static size_t row_bytes(int64_t n)
{
    return ((size_t)n + 3) / 4;
}

static int make_rows(struct gt_sex_rows *rows, int64_t n, struct gt_err *err)
{
    *rows = (struct gt_sex_rows){
        .males = gt_alloc(row_bytes(n) + GT_KERNEL_PAD, 1, err), .females = gt_alloc(row_bytes(n) + GT_KERNEL_PAD, 1, err), .n = n};
    if (rows->males && rows->females)
        return GT_OK;
    gt_sex_rows_release(rows);
    return GT_FAIL;
}

static void set_code(uint8_t *row, int64_t sample)
{
    row[sample / 4] |= (uint8_t)(3 << 2 * (sample & 3));
}

int gt_sex_rows_make(struct gt_sex_rows *rows, const struct gt_sexes *sexes, const uint32_t *samples, int64_t n, struct gt_err *err)
{
    *rows = (struct gt_sex_rows){.n = n};
    if (!sexes)
        return GT_OK;
    int status = make_rows(rows, n, err);
    for (int64_t i = 0; i < n && !status; i++) {
        const int64_t sample = samples ? samples[i] : i;
        if (gt_sexes_is_male(sexes, sample))
            set_code(rows->males, i), rows->n_males++;
        else if (gt_sexes_is_female(sexes, sample))
            set_code(rows->females, i), rows->n_females++;
    }
    return status;
}

static int64_t chosen(const uint8_t *from, const uint32_t *samples, int64_t n, uint8_t *to)
{
    int64_t codes[4];
    gt_kernels()->gather_samples(from, samples, n, to);
    gt_kernels()->count_codes(to, n, codes);
    return codes[3];
}

int gt_sex_rows_choose(struct gt_sex_rows *rows, const struct gt_sex_rows *from, const uint32_t *samples, int64_t n, struct gt_err *err)
{
    *rows = (struct gt_sex_rows){.n = n};
    if (!from->males)
        return GT_OK;
    int status = make_rows(rows, n, err);
    if (status)
        return status;
    rows->n_males = chosen(from->males, samples, n, rows->males);
    rows->n_females = chosen(from->females, samples, n, rows->females);
    return GT_OK;
}

void gt_sex_rows_release(struct gt_sex_rows *rows)
{
    free(rows->males);
    free(rows->females);
    *rows = (struct gt_sex_rows){0};
}

void gt_sex_rows_on_y(const struct gt_sex_rows *rows, const uint8_t *row, unsigned nothing, uint8_t *to)
{
    const size_t stride = row_bytes(rows->n);
    for (size_t i = 0; i < stride; i++)
        to[i] = (uint8_t)((row[i] & rows->males[i]) | (nothing * 0x55 & ~rows->males[i]));
    if (rows->n & 3) /* pad bits are 0 */
        to[stride - 1] &= (uint8_t)((1u << 2 * (rows->n & 3)) - 1);
}

/* --- counts ---------------------------------------------------------------------------- */

/* Of those in the mask, n of them. */
static void count_some(int64_t samples, const uint8_t *row, const uint8_t *mask, int64_t n, uint8_t *scratch, int64_t counts[4])
{
    const size_t stride = row_bytes(samples);
    for (size_t i = 0; i < stride; i++)
        scratch[i] = row[i] & mask[i];
    gt_kernels()->count_codes(scratch, samples, counts);
    counts[0] = n - counts[1] - counts[2] - counts[3];
}

/* n codes of calls of one copy, or two. */
static void add_alleles(const struct gt_sex_rule *rule, const int64_t n[4], int copies, struct gt_sex_site_counts *c)
{
    const int64_t known = n[0] + n[1] + n[2];
    c->alleles_x2 += 2 * known * (rule->ploidy == GT_HAPLOID ? 1 : copies);
    c->alt_alleles_x2 += (2 * n[2] + n[1]) * (rule->ploidy == GT_HAPLOID ? 2 : copies);
}

void gt_sex_count(const struct gt_sex_rows *rows, const struct gt_sex_rule *rule, enum gt_chrom_class chrom_class, const uint8_t *row,
                  uint8_t *scratch, struct gt_sex_site_counts *c)
{
    *c = (struct gt_sex_site_counts){.chrom_class = chrom_class, .samples = rows->n};
    gt_kernels()->count_codes(row, rows->n, c->codes);
    if (chrom_class == GT_CHROM_X || chrom_class == GT_CHROM_Y)
        count_some(rows->n, row, rows->males, rows->n_males, scratch, c->males);
    if (chrom_class == GT_CHROM_X && rule->test)
        count_some(rows->n, row, rows->females, rows->n_females, scratch, c->females);
    c->missing = c->codes[3];
    if (chrom_class == GT_CHROM_Y) {
        c->samples = rows->n_males;
        c->missing = c->males[3];
        add_alleles(rule, c->males, 1, c);
    } else if (chrom_class == GT_CHROM_X) {
        int64_t others[4];
        for (int code = 0; code < 4; code++)
            others[code] = c->codes[code] - c->males[code];
        add_alleles(rule, others, 2, c);
        add_alleles(rule, c->males, 1, c);
    } else {
        add_alleles(rule, c->codes, chrom_class == GT_CHROM_MT ? 1 : 2, c);
    }
}

double gt_sex_hwe_x(const struct gt_sex_site_counts *c, double enough)
{
    return gt_hwe_exact_x(c->males[0], c->males[2], c->females[0], c->females[1], c->females[2], enough);
}
