#include "out/vcf_head.h"

#include <string.h>

#include "out/ids.h"

/* What the input's header said beside fields, contigs and filters. */
static void add_pairs(struct gt_str *text, const struct gt_strs *header)
{
    for (size_t i = 0; i + 1 < header->n; i += 2) {
        const char *key = gt_strs_get(header, i), *value = gt_strs_get(header, i + 1);
        if (*key && strcmp(key, "fileformat") != 0 && !strpbrk(key, "=\r\n") && !strpbrk(value, "\r\n"))
            gt_str_addf(text, "##%s=%s\n", key, value);
    }
}

static void add_contigs(struct gt_str *text, const struct gt_source_info *info)
{
    for (size_t c = 0; c < info->contigs.n; c++) {
        const char *name = gt_strs_get(&info->contigs, c);
        int64_t length = (c + 1) * sizeof(int64_t) <= info->contig_lengths.len ? ((const int64_t *)info->contig_lengths.data)[c] : 0;
        gt_str_addf(text, "##contig=<ID=%s", name);
        if (length > 0)
            gt_str_addf(text, ",length=%lld", (long long)length);
        gt_str_add(text, ">\n");
    }
}

int gt_vcf_head(struct gt_str *text, const struct gt_source_info *info, const char *key, const char *history, struct gt_err *err)
{
    int status = gt_check_ids(&info->samples, err);

    gt_str_add(text, "##fileformat=VCFv4.3\n##FILTER=<ID=PASS,Description=\"All filters passed\">\n");
    add_pairs(text, &info->header);
    if (history)
        gt_str_addf(text, "##%s=%s\n", key, history);
    add_contigs(text, info);
    for (size_t f = 1; f < info->filters.n; f++)
        gt_str_addf(text, "##FILTER=<ID=%s,Description=\"\">\n", gt_strs_get(&info->filters, f));
    gt_str_add(text, "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
                     "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT");
    for (size_t s = 0; s < info->samples.n; s++) {
        gt_str_add(text, "\t");
        gt_str_add(text, gt_strs_get(&info->samples, s));
    }
    gt_str_add(text, "\n");
    return status ? status : gt_str_check(text, err);
}
