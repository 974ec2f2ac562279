#include "geno/vcf/record_writer.h"

#include <string.h>

#include "geno/model/site_check.h"
#include "geno/vcf/record_get.h"

struct gt_record_view gt_record_view(const struct gt_block *block, const struct gt_site *site)
{
    const struct gt_record_body *raw = gt_block_record(block, site);

    return (struct gt_record_view){raw->columns, block->texts.data + raw->from, raw->n};
}

int64_t gt_record_bytes(const struct gt_geno_info *info)
{
    return info->record_bytes;
}

static bool any_text(const struct gt_record_view *record, const struct gt_record_column *column)
{
    const char *text = gt_record_texts(record, column);
    const int64_t n = gt_record_values(record, column);

    for (int64_t i = 0; i < n; i++, text += strlen(text) + 1)
        if (*text && strcmp(text, ".") != 0)
            return true;
    return false;
}

bool gt_record_has(const struct gt_record_view *record, const struct gt_record_column *column)
{
    const uint8_t *data = record->data + column->at;
    const int64_t n = gt_record_values(record, column);

    if (column->kind == GT_RECORD_ALLELES)
        return record->columns->n_samples > 0;
    if (column->kind == GT_RECORD_PHASED || column->is_literal)
        return false;
    if (column->type == GT_STRING)
        return any_text(record, column);
    for (int64_t i = 0; i < n; i++)
        if (gt_record_state(column, record->data, data + (size_t)i * column->size) == GT_VALUE)
            return column->type != GT_BOOL || column->kind != GT_RECORD_INFO || *data;
    return false;
}

int gt_record_check(const struct gt_record_view *record, const struct gt_block *block, const struct gt_site *site, struct gt_err *err)
{
    for (size_t c = 0; c < record->columns->n; c++) {
        const struct gt_record_column *column = &record->columns->list[c];
        const char *bad = column->kind == GT_RECORD_INFO ? "\t\r\n;" : "\t\r\n:";
        const char *text = column->type == GT_STRING ? gt_record_texts(record, column) : NULL;
        for (int64_t i = 0, n = gt_record_values(record, column); text && i < n; i++, text += strlen(text) + 1)
            if (text[strcspn(text, bad)])
                return gt_fail(err, GT_INPUT, "%s:%lld: its %s/%s '%.60s' has a character that separates fields in a VCF",
                               gt_site_contig(block, site), (long long)site->position, column->kind == GT_RECORD_INFO ? "INFO" : "FORMAT",
                               column->name, text);
    }
    return 0;
}
