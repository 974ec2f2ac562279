#include "geno/vcf/header_writer.h"

#include <string.h>

#include "geno/vcf/vcf_writers.h"
#include "storage/text/id_text.h"

/* Lines that stand there anyway. */
static bool is_ours(const char *key)
{
    static const char *const keys[] = {"fileformat", "contig", "FILTER", "INFO", "FORMAT"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* What the input's header said in addition to fields, contigs and filters. */
static void add_pairs(struct gt_str *text, const struct gt_strs *header)
{
    for (size_t i = 0; i + 1 < header->n; i += 2) {
        const char *key = gt_strs_get(header, i), *value = gt_strs_get(header, i + 1);
        if (*key && !is_ours(key) && !strpbrk(key, "=\r\n") && !strpbrk(value, "\r\n"))
            gt_str_addf(text, "##%s=%s\n", key, value);
    }
}

static void add_contigs(struct gt_str *text, const struct gt_geno_info *info)
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

/* Between quotes: what has none before is escaped, and a line stays one. */
static void add_quoted(struct gt_str *text, const char *value)
{
    gt_str_add(text, "\"");
    for (const char *p = value; *p; p++) {
        const char c = *p == '\n' || *p == '\r' ? ' ' : *p;
        if (c == '"' && (p == value || p[-1] != '\\'))
            gt_str_add(text, "\\");
        gt_str_addn(text, &c, 1);
    }
    gt_str_add(text, "\"");
}

static void add_filters(struct gt_str *text, const struct gt_geno_info *info)
{
    for (size_t f = 1; f < info->filters.n; f++) {
        gt_str_addf(text, "##FILTER=<ID=%s,Description=", gt_strs_get(&info->filters, f));
        add_quoted(text, f < info->filter_texts.n ? gt_strs_get(&info->filter_texts, f) : "");
        gt_str_add(text, ">\n");
    }
}

static void add_field(struct gt_str *text, const struct gt_vcf_fields *fields, size_t i)
{
    static const char *const types[] = {"Integer", "Float", "Flag", "Character", "String"};
    static const char letters[] = "ARG.";
    const struct gt_vcf_field *field = gt_vcf_field(fields, i);

    gt_str_addf(text, "##%s=<ID=%s,Number=", field->format ? "FORMAT" : "INFO", gt_vcf_field_name(fields, i));
    if (field->number < 0)
        gt_str_addn(text, &letters[-1 - field->number], 1);
    else
        gt_str_addf(text, "%d", (int)field->number);
    gt_str_addf(text, ",Type=%s,Description=", types[field->type]);
    add_quoted(text, gt_strs_get(&fields->texts, field->description));
    gt_str_add(text, ">\n");
}

static void add_columns(struct gt_str *text, const struct gt_geno_info *info)
{
    gt_str_add(text, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO");
    for (size_t s = 0; s < info->samples.n; s++) {
        gt_str_add(text, s == 0 ? "\tFORMAT\t" : "\t");
        gt_str_add(text, gt_strs_get(&info->samples, s));
    }
    gt_str_add(text, "\n");
}

/* FILTERs come first in BCF's dictionary, and have their numbers there. */
int gt_vcf_head(struct gt_str *text, const struct gt_geno_info *info, const struct gt_vcf_opts *opts, struct gt_err *err)
{
    int status = gt_check_ids(&info->samples, err);
    if (opts->copied) {
        gt_str_addn(text, (const char *)info->head.data, info->head.len);
        if (opts->history)
            gt_str_addf(text, "##%s=%s\n", opts->key, opts->history);
        add_columns(text, info);
        return status ? status : gt_str_check(text, err);
    }
    gt_str_add(text, "##fileformat=VCFv4.3\n##FILTER=<ID=PASS,Description=\"All filters passed\">\n");
    add_pairs(text, &info->header);
    if (opts->history)
        gt_str_addf(text, "##%s=%s\n", opts->key, opts->history);
    add_contigs(text, info);
    add_filters(text, info);
    for (size_t i = 0; i < gt_vcf_fields_n(&info->fields) && opts->records; i++)
        add_field(text, &info->fields, i);
    if (!opts->records)
        gt_str_add(text, "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n");
    if (!opts->records && opts->ends)
        gt_str_add(text, "##INFO=<ID=END,Number=1,Type=Integer,Description=\"End position of the variant\">\n");
    add_columns(text, info);
    return status ? status : gt_str_check(text, err);
}

int gt_pvar_head(struct gt_str *text, const struct gt_geno_info *info, struct gt_err *err)
{
    add_pairs(text, &info->header);
    add_contigs(text, info);
    add_filters(text, info);
    gt_str_add(text, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\n");
    return gt_str_check(text, err);
}
