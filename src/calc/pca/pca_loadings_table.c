#include "calc/pca/pca_loadings_table.h"

#include <math.h>
#include <string.h>

#include "storage/text/decimal.h"
#include "storage/text/text_file.h"

static void add_variant(struct gt_str *text, const struct gt_svd_model *model, int64_t v)
{
    const int32_t contig = ((const int32_t *)(const void *)model->contig.data)[v];
    const bool swap = gt_buf_f64(&model->means)[v] > 1; /* most alleles are ALT */
    const double times = (swap ? -1 : 1) * sqrt((double)model->n);
    const char *ref = gt_strs_get(&model->alleles, 2 * (size_t)v), *alt = gt_strs_get(&model->alleles, 2 * (size_t)v + 1);
    gt_str_addf(text, "%s\t%s\t%s\t%s", contig < 0 ? "0" : gt_strs_get(&model->contigs, (size_t)contig),
                gt_strs_get(&model->ids, (size_t)v), swap ? alt : ref, swap ? ref : alt);
    for (int64_t c = 0; c < model->k; c++) {
        char digits[GT_DECIMAL_LEN];
        gt_str_addn(text, "\t", 1);
        gt_str_addn(text, digits, (size_t)(gt_decimal_plink(digits, times * gt_buf_f64(&model->loadings)[v * model->k + c]) - digits));
    }
    gt_str_addn(text, "\n", 1);
}

/* What a table can hold. */
static int check_texts(const struct gt_strs *texts, struct gt_err *err)
{
    for (size_t i = 0; i < texts->n; i++)
        if (strpbrk(gt_strs_get(texts, i), "\t\r\n"))
            return gt_fail(err, GT_INPUT, "'%s' (of a variant) has a tab or a line end and cannot be written in a table",
                           gt_strs_get(texts, i));
    return GT_OK;
}

int gt_loadings_write(struct gt_outfile *file, const struct gt_svd_model *model, struct gt_err *err)
{
    struct gt_str text = {0};
    int status = check_texts(&model->contigs, err);
    if (!status)
        status = check_texts(&model->ids, err);
    if (!status)
        status = check_texts(&model->alleles, err);
    gt_str_add(&text, "#CHROM\tID\tMAJ\tNONMAJ");
    for (int64_t c = 1; c <= model->k; c++)
        gt_str_addf(&text, "\tPC%lld", (long long)c);
    gt_str_add(&text, "\n");
    for (int64_t v = 0; v < model->n && !status; v++) {
        add_variant(&text, model, v);
        status = gt_text_put(file, &text, GT_TEXT_GATHER, err);
    }
    status = status ? status : gt_text_put(file, &text, 1, err);
    gt_str_release(&text);
    return status;
}
