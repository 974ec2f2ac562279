/* What the lines "##" of a .pvar say, which are those of a VCF; and, of any file of genotypes with its sites next to
 * it, the one FORMAT field that its records have. */
#include "config.h"

#include <string.h>

#include "geno/plink/fileset.h"
#include "geno/vcf/vcf_header.h"

/* Lines that a VCF has in another format, or not at all. */
static bool is_skipped(const char *line, size_t n)
{
    static const char *const keys[] = {"##fileformat", "##FORMAT", "##chrSet"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (n > strlen(keys[i]) && memcmp(line, keys[i], strlen(keys[i])) == 0 && line[strlen(keys[i])] == '=')
            return true;
    return false;
}

/* As the header of a VCF without samples; said: with what the .pvar says. */
static int as_vcf(const struct gt_bim *bim, bool said, struct gt_buf *text, struct gt_err *err)
{
    static const char first[] = "##fileformat=VCFv4.3\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n",
                      last[] = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";
    const char *p = (const char *)bim->meta.data, *end = said && p ? p + bim->meta.len : p;
    text->len = 0;
    int status = gt_buf_append(text, first, sizeof first - 1, err);
    for (const char *next; p < end && !status; p = next) {
        next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
        if (!is_skipped(p, (size_t)(next - p)))
            status = gt_buf_append(text, p, (size_t)(next - p), err);
    }
    return status ? status : gt_buf_append(text, last, sizeof last, err);
}

/* Lengths of contigs, and filters with what they are, for those that the sites have; declared filters are added. */
static int take(struct gt_bim *bim, struct gt_geno_info *info, const struct gt_vcf_header *header, const struct gt_geno_info *said,
                struct gt_err *err)
{
    int64_t number;
    int status = 0;
    for (size_t c = 0; c < info->contigs.n && !status; c++) {
        const char *name = gt_strs_get(&info->contigs, c);
        const int64_t at = gt_names_find(header->contigs, name, strlen(name));
        const int64_t length = at < 0 ? 0 : ((const int64_t *)(const void *)said->contig_lengths.data)[at];
        status = gt_buf_append(&info->contig_lengths, &length, sizeof length, err);
    }
    for (size_t f = 0; f < said->filters.n && !status && bim->filters.n; f++) {
        const char *name = gt_strs_get(&said->filters, f);
        status = gt_names_number(bim->filter_numbers, &bim->filters, name, strlen(name), &number, err);
    }
    for (size_t f = 0; f < bim->filters.n && !status; f++) {
        const char *name = gt_strs_get(&bim->filters, f);
        const int64_t at = gt_names_find(header->filters, name, strlen(name));
        const char *text = at < 0 ? "" : gt_strs_get(&said->filter_texts, (size_t)at);
        status = gt_strs_add(&info->filter_texts, text, strlen(text), err);
    }
    for (size_t i = 2; i < said->header.n && !status; i++) { /* after fileformat */
        const char *text = gt_strs_get(&said->header, i);
        status = gt_strs_add(&info->header, text, strlen(text), err);
    }
    return status ? status : gt_vcf_fields_merge(&info->fields, &said->fields, said->name, said->name, false, err);
}

static int parse(struct gt_fileset *file, bool with, struct gt_err *err)
{
    struct gt_budget *budget = &file->base.engine->budget;
    struct gt_geno_info said = {.name = file->bim.path};
    struct gt_vcf_header header = {0};
    struct gt_buf text = {.budget = budget};
    gt_geno_info_count_in(&said, budget);
    int status = as_vcf(&file->bim, with, &text, err);
    if (!status)
        status = gt_buf_reserve(&text, text.len + 1, err); /* two bytes after the header */
    if (!status)
        status = gt_vcf_header_parse(&header, &said, (char *)text.data, text.len - 1, err);
    if (!status)
        status = take(&file->bim, &file->base.info, &header, &said, err);
    said.name = NULL; /* it is the .pvar's */
    gt_vcf_header_release(&header);
    gt_geno_info_release(&said);
    gt_buf_release(&text);
    return status;
}

int gt_fileset_read_header(struct gt_fileset *file, struct gt_err *err)
{
    struct gt_err why = {0};
    int status = parse(file, true, &why);
    if (status != GT_INPUT) {
        if (status)
            *err = why;
        return status;
    }
    status = gt_strs_addf(&file->base.warnings, err, "'%s': its header is dropped: htslib cannot parse it", file->bim.path);
    return status ? status : parse(file, false, err);
}
