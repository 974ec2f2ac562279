#include "config.h"

#include "geno/vcf/vcf_header.h"

#include <htslib/hts_log.h>
#include <htslib/vcf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

/* htslib makes tables as long as the largest IDX; no real header comes near. */
#define IDX_MAX 10000000L

static int bad(const struct gt_geno_info *info, const char *what, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s': bad VCF header: %s", info->name, what);
}

/* --- the line of columns ------------------------------------------------------------- */

static char *last_line(char *text)
{
    char *line = strncmp(text, "#CHROM", 6) == 0 ? text : strstr(text, "\n#CHROM");
    return line && *line == '\n' ? line + 1 : line;
}

static int add_sample(struct gt_geno_info *info, struct gt_names *seen, const char *name, size_t n, struct gt_err *err)
{
    int64_t had;
    if (!n)
        return bad(info, "a sample has no name", err);
    int status = gt_names_add(seen, name, n, 0, &had, err);
    if (!status && had >= 0)
        status = gt_fail(err, GT_INPUT, "'%s': sample '%.*s' is duplicated", info->name, n < 1000 ? (int)n : 1000, name);
    return status ? status : gt_strs_add(&info->samples, name, n, err);
}

/* Takes the samples and cuts the line after INFO: htslib need not see them, its
 * table of samples is slow to build. */
static int parse_samples(struct gt_geno_info *info, char *line, struct gt_err *err)
{
    static const char *const fixed[] = {"#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"};
    struct gt_names *seen = gt_names_new(info->samples.budget, err);
    char *p = line, *info_end = line;
    int status = seen ? 0 : GT_FAIL;
    for (size_t column = 0; !status; column++, p++) {
        size_t n = strcspn(p, "\t\r\n");
        if (column >= 9)
            status = add_sample(info, seen, p, n, err);
        else if (strlen(fixed[column]) != n || memcmp(p, fixed[column], n) != 0)
            status = gt_fail(err, GT_INPUT, "'%s': bad VCF header: column %zu is not %s", info->name, column + 1, fixed[column]);
        p += n;
        info_end = column == 7 ? p : info_end;
        if (*p == '\t')
            continue;
        if (!status && column < 7)
            status = bad(info, "the #CHROM line has fewer than eight columns", err);
        break;
    }
    gt_names_free(seen);
    info->n_samples = (int64_t)info->samples.n;
    if (!status)
        memcpy(info_end, "\n", 2);
    return status;
}

/* --- lines of meta-information ---------------------------------------------------------- */

/* The pairs that a store keeps; what describes fields and contigs has its own place there. */
static int keep_pairs(struct gt_geno_info *info, const char *text, struct gt_err *err)
{
    static const char *const elsewhere[] = {"INFO", "FORMAT", "FILTER", "contig"};
    int status = 0;
    for (const char *p = text; !status && strncmp(p, "##", 2) == 0;) {
        size_t n = strcspn(p, "\r\n");
        const char *key = p + 2, *equals = memchr(key, '=', n - 2);
        bool keep = equals != NULL;
        for (size_t i = 0; keep && i < sizeof elsewhere / sizeof *elsewhere; i++)
            keep = strlen(elsewhere[i]) != (size_t)(equals - key) || memcmp(key, elsewhere[i], (size_t)(equals - key)) != 0;
        if (keep && (status = gt_strs_add(&info->header, key, (size_t)(equals - key), err)) == 0)
            status = gt_strs_add(&info->header, equals + 1, n - (size_t)(equals + 1 - p), err);
        p += n;
        p += strspn(p, "\r\n");
    }
    return status;
}

static int check_numbers(const struct gt_geno_info *info, const char *text, const char *end, struct gt_err *err)
{
    for (const char *p = text; (p = strstr(p, "IDX=")) && p < end; p += 4)
        if (strtol(p + 4, NULL, 10) > IDX_MAX)
            return bad(info, "an IDX is out of range", err);
    return 0;
}

static int take_contigs(struct gt_vcf_header *header, struct gt_geno_info *info, const bcf_hdr_t *hdr, struct gt_err *err)
{
    int32_t n = hdr->n[BCF_DT_CTG];
    header->contig_declared = gt_alloc((size_t)n, sizeof *header->contig_declared, err);
    int status = header->contig_declared ? 0 : GT_FAIL;
    for (int32_t i = 0; i < n && !status; i++) {
        const bcf_idpair_t *pair = &hdr->id[BCF_DT_CTG][i];
        const char *name = pair->key ? pair->key : "";
        int64_t length = pair->key && pair->val ? (int64_t)pair->val->info[0] : 0;
        header->contig_declared[i] = pair->key != NULL;
        status = gt_strs_add(&info->contigs, name, strlen(name), err);
        if (!status)
            status = gt_names_add(header->contigs, name, strlen(name), i, NULL, err);
        if (!status)
            status = gt_buf_append(&info->contig_lengths, &length, sizeof length, err);
    }
    return status;
}

static int take_filters(struct gt_vcf_header *header, struct gt_geno_info *info, const bcf_hdr_t *hdr, struct gt_err *err)
{
    int64_t number;
    int status = gt_names_number(header->filters, &info->filters, "PASS", 4, &number, err);
    for (int i = 0; i < hdr->nhrec; i++) {
        const bcf_hrec_t *hrec = hdr->hrec[i];
        for (int k = 0; !status && hrec->type == BCF_HL_FLT && k < hrec->nkeys; k++) {
            const char *id = hrec->vals[k];
            if (strcmp(hrec->keys[k], "ID") == 0 && id)
                status = gt_names_number(header->filters, &info->filters, id, strlen(id), &number, err);
        }
    }
    header->n_dict = hdr->n[BCF_DT_ID];
    header->bcf_filters = gt_alloc((size_t)header->n_dict, sizeof *header->bcf_filters, err);
    if (status || !header->bcf_filters)
        return status ? status : GT_FAIL;
    header->gt_key = -1;
    for (int32_t i = 0; i < header->n_dict; i++) {
        const bcf_idpair_t *pair = &hdr->id[BCF_DT_ID][i];
        header->bcf_filters[i] = pair->key ? (int32_t)gt_names_find(header->filters, pair->key, strlen(pair->key)) : -1;
        if (pair->key && strcmp(pair->key, "GT") == 0)
            header->gt_key = i;
        const char *key = pair->key ? pair->key : "";
        if ((status = gt_strs_add(&header->keys, key, strlen(key), err)) != 0)
            return status;
    }
    return 0;
}

static const char *value_of(const bcf_hrec_t *hrec, const char *key)
{
    int k = bcf_hrec_find_key((bcf_hrec_t *)hrec, key);
    return k >= 0 && hrec->vals[k] ? hrec->vals[k] : "";
}

/* Without the quotes around it, which htslib keeps. */
static int add_unquoted(struct gt_strs *texts, const char *text, struct gt_err *err)
{
    size_t n = strlen(text);
    bool quoted = n >= 2 && text[0] == '"' && text[n - 1] == '"';
    return gt_strs_add(texts, text + quoted, n - 2 * quoted, err);
}

/* INFO and FORMAT, and what filters are described as. */
static int take_fields(struct gt_geno_info *info, const bcf_hdr_t *hdr, struct gt_err *err)
{
    struct gt_strs texts = {.budget = info->samples.budget};
    int status = 0;
    for (int i = 0; i < hdr->nhrec && !status; i++) {
        const bcf_hrec_t *hrec = hdr->hrec[i];
        if (hrec->type != BCF_HL_INFO && hrec->type != BCF_HL_FMT)
            continue;
        struct gt_vcf_field field = {.format = hrec->type == BCF_HL_FMT,
                                     .type = gt_vcf_type_of(value_of(hrec, "Type")),
                                     .number = gt_vcf_number_of(value_of(hrec, "Number"))};
        status = add_unquoted(&texts, value_of(hrec, "Description"), err);
        if (!status)
            status = gt_vcf_fields_add(&info->fields, &field, value_of(hrec, "ID"), gt_strs_get(&texts, texts.n - 1), err);
    }
    gt_strs_release(&texts);
    for (size_t f = 0; f < info->filters.n && !status; f++) {
        bcf_hrec_t *hrec = bcf_hdr_get_hrec(hdr, BCF_HL_FLT, "ID", gt_strs_get(&info->filters, f), NULL);
        status = add_unquoted(&info->filter_texts, hrec ? value_of(hrec, "Description") : "", err);
    }
    return status;
}

/* What htslib takes for a line, about; it asks nobody. */
#define LINE_BYTES 750

static size_t parse_bytes(const char *text, size_t n)
{
    size_t lines = 0;
    for (const char *p = text; (p = memchr(p, '\n', n - (size_t)(p - text))) != NULL; p++)
        lines++;
    return n + lines * LINE_BYTES;
}

static int parse(struct gt_vcf_header *header, struct gt_geno_info *info, bcf_hdr_t *hdr, char *text, struct gt_err *err)
{
    if (bcf_hdr_parse(hdr, text) < 0 || bcf_hdr_sync(hdr) < 0)
        return bad(info, "htslib cannot parse it", err);
    int status = take_contigs(header, info, hdr, err);
    status = status ? status : take_filters(header, info, hdr, err);
    return status ? status : take_fields(info, hdr, err);
}

int gt_vcf_header_parse(struct gt_vcf_header *header, struct gt_geno_info *info, char *text, size_t n, struct gt_err *err)
{
    *header = (struct gt_vcf_header){.gt_key = -1};
    if (memchr(text, '\0', n))
        return bad(info, "it holds a NUL byte", err);
    text[n] = '\0';
    char *columns = last_line(text);
    if (!columns)
        return bad(info, "there is no #CHROM line", err);
    int status = parse_samples(info, columns, err);
    if (!status)
        status = check_numbers(info, text, columns, err);
    if (status)
        return status;
    hts_set_log_level(HTS_LOG_OFF);
    bcf_hdr_t *hdr = bcf_hdr_init("r");
    if (!hdr)
        return gt_no_memory(err);
    header->keys.budget = info->samples.budget;
    header->contigs = gt_names_new(info->samples.budget, err);
    header->filters = gt_names_new(info->samples.budget, err);
    status = header->contigs && header->filters ? keep_pairs(info, text, err) : GT_FAIL;
    const size_t bytes = parse_bytes(text, n);
    struct gt_budget *budget = info->samples.budget;
    if (!status && budget)
        status = gt_budget_take(budget, bytes, err);
    const bool taken = !status && budget;
    status = status ? status : parse(header, info, hdr, text, err);
    bcf_hdr_destroy(hdr);
    if (taken)
        gt_budget_give(budget, bytes);
    return status;
}

void gt_vcf_header_release(struct gt_vcf_header *header)
{
    if (header->contigs)
        gt_names_free(header->contigs);
    if (header->filters)
        gt_names_free(header->filters);
    free(header->bcf_filters);
    gt_strs_release(&header->keys);
    free(header->contig_declared);
    *header = (struct gt_vcf_header){.gt_key = -1};
}
