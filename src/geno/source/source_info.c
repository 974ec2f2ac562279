/* What a source tells of its inputs together: their name, tables, samples and counts. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/ploidy.h"
#include "geno/select/filter_table.h"
#include "geno/select/select_check.h"
#include "geno/source/source_internal.h"

/* --- joining -------------------------------------------------------------------- */

static int same_samples(const struct gt_geno_info *a, const struct gt_geno_info *b, struct gt_err *err)
{
    char n[GT_THINGS_LEN], other[GT_NUM_LEN];
    if (a->n_samples != b->n_samples)
        return gt_fail(err, GT_INPUT, "'%s' has %s and '%s' has %s", b->name, gt_format_things(n, b->n_samples, "sample"), a->name,
                       gt_format_count(other, a->n_samples));
    for (size_t i = 0; i < a->samples.n; i++) {
        const char *x = gt_strs_get(&a->samples, i), *y = gt_strs_get(&b->samples, i);
        if (strcmp(x, y) != 0)
            return gt_fail(err, GT_INPUT, "sample %zu is '%s' in '%s' and '%s' in '%s'", i + 1, y, b->name, x, a->name);
    }
    return 0;
}

static int set_name(struct gt_concat *c, const struct gt_geno_info *first, struct gt_err *err)
{
    struct gt_str name = {0};
    gt_str_add(&name, first->name);
    if (c->n > 1)
        gt_str_addf(&name, " (and %d more)", c->n - 1);
    if (gt_str_take(&name, &c->tables.info.name, err))
        return GT_FAIL;
    c->tables.info.to_utf8 = first->to_utf8;
    c->tables.info.kind = gt_strdup(first->kind, err);
    return c->tables.info.kind ? 0 : GT_FAIL;
}

/* Descriptions of the filters that the input is about to add. */
static int add_filter_texts(struct gt_geno_info *all, const struct gt_geno_info *in, struct gt_err *err)
{
    int status = 0;
    for (size_t i = 0; i < in->filter_texts.n && !status; i++) {
        bool known = false;
        for (size_t k = 0; k < all->filters.n && !known; k++)
            known = strcmp(gt_strs_get(&all->filters, k), gt_strs_get(&in->filters, i)) == 0;
        const char *text = gt_strs_get(&in->filter_texts, i);
        status = known ? 0 : gt_strs_add(&all->filter_texts, text, strlen(text), err);
    }
    return status;
}

/* Bytes of a line that say what it declares: "##INFO=<ID=AC"; of other lines all. */
static size_t declares(const char *line, size_t n)
{
    const char *id = memmem(line, n, "=<ID=", 5);
    const char *end = id ? id + 5 : NULL;
    while (end && end < line + n && *end != ',' && *end != '>')
        end++;
    return end ? (size_t)(end - line) : n;
}

static bool has_line(const struct gt_buf *head, const char *line, size_t n)
{
    const size_t least = declares(line, n);
    for (const char *p = (const char *)head->data, *end = p + head->len; p < end;
         p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1) {
        const size_t length = (size_t)((const char *)memchr(p, '\n', (size_t)(end - p)) - p);
        if (declares(p, length) == least && memcmp(p, line, least) == 0)
            return true;
    }
    return false;
}

/* Lines of the header that the inputs before it do not have. */
static int add_head(struct gt_buf *head, const struct gt_buf *more, struct gt_err *err)
{
    const bool first = !head->len;
    int status = GT_OK;
    if (first || (head->len == more->len && memcmp(head->data, more->data, head->len) == 0))
        return first && more->len ? gt_buf_append(head, more->data, more->len, err) : GT_OK;
    const size_t before = head->len;
    for (const char *p = (const char *)more->data, *end = p + more->len, *next; p < end && !status; p = next) {
        next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
        const struct gt_buf old = {.data = head->data, .len = before};
        if (strncmp(p, "##fileformat", 12) != 0 && !has_line(&old, p, (size_t)(next - 1 - p)))
            status = gt_buf_append(head, p, (size_t)(next - p), err);
    }
    return status;
}

/* The part of segment i in what all are. */
static int join_segment(struct gt_concat *c, int i, struct gt_err *err)
{
    struct gt_segment *segment = c->segment[i];
    struct gt_geno_info *all = &c->tables.info;
    const struct gt_geno_info *in = &segment->reader->info;
    segment->sites = in->n_variants;
    gt_geno_info_join_alleles(all, in, i == 0);
    all->open_contigs |= in->open_contigs;
    all->has = i == 0 ? in->has : (all->has & in->has) | ((all->has | in->has) & GT_HAS_OF_ONE);
    all->record_bytes = gt_max_i64(all->record_bytes, in->record_bytes);
    all->record_text = gt_max_i64(all->record_text, in->record_text);
    int status = same_samples(&c->segment[0]->reader->info, in, err);
    status = status ? status : add_head(&all->head, &in->head, err);
    if (!status && (c->start.fields & (GT_SITE_RECORD | GT_SITE_COLUMNS)))
        status = gt_vcf_fields_merge(&all->fields, &in->fields, c->segment[0]->reader->info.name, in->name,
                                     c->start.fields & GT_SITE_COLUMNS, err);
    if (!status && all->filter_texts.n == all->filters.n)
        status = add_filter_texts(all, in, err);
    return status ? status : gt_tables_add(&c->tables, in, &segment->contigs, &segment->filters, err);
}

/* See geno/model/ploidy.h. */
static int settle_ploidy(struct gt_concat *c, struct gt_err *err)
{
    struct gt_select_opts *select = &c->select;
    struct gt_geno_info *info = &c->tables.info;
    const bool whole = select->records || ((c->start.fields & GT_SITE_COLUMNS) && (info->has & GT_HAS_COLUMNS));
    const bool asked = select->ploidy,
               counted = !whole || gt_filters_given(select, GT_FILTER_CALLS); /* records keep their calls as they are */
    int shown = GT_PLOIDY_UNKNOWN, status = GT_OK;
    for (int i = 0; i < c->n && !asked && !select->sex && !select->sex_counts && counted; i++)
        shown = gt_ploidy_add(shown, c->segment[i]->reader->info.ploidy);
    if (asked)
        shown = select->ploidy == GT_HAPLOID ? GT_HAPLOID : GT_DIPLOID;
    info->ploidy = select->data_ploidy = shown ? shown : GT_DIPLOID;
    if (select->hwe > 0)
        status = gt_ploidy_need_diploid(info, "--hwe", err);
    if (!status && select->haplotypes)
        status = gt_ploidy_need_diploid(info, "--haplotypes", err);
    return status;
}

int gt_concat_join_infos(struct gt_concat *c, struct gt_err *err)
{
    const struct gt_select_opts *select = &c->select;
    const struct gt_geno_info *first = &c->segment[0]->reader->info;
    int status = set_name(c, first, err);
    if (!status)
        status = gt_strs_copy(&c->tables.info.header, &first->header, err);
    for (int i = 0; i < c->n && !status; i++)
        status = join_segment(c, i, err);
    for (int i = 0; i < c->n && !status; i++) {
        const struct gt_geno_info *in = &c->segment[i]->reader->info;
        status = gt_select_check(select, in, in->has | (c->tables.info.has & GT_HAS_OF_ONE), err);
    }
    status = status ? status : settle_ploidy(c, err);
    c->tables.info.two_alleles |= select->split || select->biallelic || (select->max_alleles && select->max_alleles <= 2);
    return status;
}

/* --- what the selection leaves ---------------------------------------------------- */

static int64_t bound_of(const struct gt_segment *segment)
{
    int64_t n = segment->sites >= 0 ? segment->sites : segment->reader->info.n_variants_max;
    return gt_filter_count_max(segment->filter, n);
}

void gt_concat_set_counts(struct gt_concat *c)
{
    int64_t n = 0, max = 0, guess = 0;
    for (int i = 0; i < c->n; i++) {
        int64_t count = gt_filter_count(c->segment[i]->filter, c->segment[i]->sites), bound = bound_of(c->segment[i]);
        n = n < 0 || count < 0 ? -1 : n + count;
        max = max < 0 || bound < 0 ? -1 : max + bound;
        guess += bound < 0 ? c->segment[i]->reader->info.n_variants_guess : bound;
    }
    c->tables.info.n_variants = n;
    c->tables.info.n_variants_max = n >= 0 ? n : max;
    c->tables.info.n_variants_guess = guess;
}

static int take_chosen(struct gt_strs *to, const struct gt_strs *from, const uint32_t *chosen, int64_t n, struct gt_err *err)
{
    int status = GT_OK;
    gt_strs_clear(to);
    for (int64_t i = 0; i < n && !status; i++) {
        const char *name = gt_strs_get(from, chosen ? chosen[i] : (size_t)i);
        status = gt_strs_add(to, name, strlen(name), err);
    }
    return status;
}

/* ID_0 and ID_1 of each. */
static int double_samples(struct gt_strs *samples, struct gt_err *err)
{
    struct gt_strs both = {.budget = samples->budget};
    int status = GT_OK;
    for (size_t i = 0; i < 2 * samples->n && !status; i++)
        status = gt_strs_addf(&both, err, "%s_%zu", gt_strs_get(samples, i / 2), i % 2);
    gt_strs_release(samples);
    *samples = both;
    return status;
}

int gt_concat_set_samples(struct gt_concat *c, struct gt_err *err)
{
    const struct gt_geno_info *in = &c->segment[0]->reader->info;
    int64_t n;
    const uint32_t *chosen = gt_filter_samples(c->segment[0]->filter, &n);
    int status = take_chosen(&c->tables.info.samples, &in->samples, chosen, n, err);
    const bool haplotypes = gt_filter_wants_haplotypes(c->segment[0]->filter);
    if (in->plink_ids.n && !haplotypes && !status)
        status = take_chosen(&c->tables.info.plink_ids, &in->plink_ids, chosen, n, err);
    if (in->pedigree.n && !haplotypes && !status)
        status = take_chosen(&c->tables.info.pedigree, &in->pedigree, chosen, n, err);
    if (haplotypes && !status)
        status = double_samples(&c->tables.info.samples, err);
    c->tables.info.has &= haplotypes ? ~(unsigned)GT_HAS_DOSAGES : ~0u;
    c->tables.info.n_samples = haplotypes ? 2 * n : n;
    c->stage.stats.samples_in = c->segment[0]->reader->info.n_samples;
    c->stage.stats.samples_kept = n;
    return status;
}
