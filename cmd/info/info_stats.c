/* --stats: the table of calc/stats/stats.h, as text or JSON. */
#include "cmd/info/info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/stats/stats.h"
#include "cmd/common/report.h"
#include "cmd/info/info_row.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/ploidy.h"
#include "geno/samples/groups.h"

struct stats {
    struct gt_cli *cli;
    struct gt_source *source;
    struct gt_outfile *out;
    struct gt_groups groups;
    bool grouped;
    struct gt_stats_group *group; /* as calc has them */
    struct gt_stats_opts opts;
    struct gt_stats_totals totals;
    bool begun; /* JSON: an object stands before the next one */
};

static double fraction(int64_t part, int64_t all)
{
    return all ? (double)part / (double)all : NAN;
}

static bool is_haploid(const struct stats *s)
{
    return gt_source_info(s->source)->ploidy == GT_HAPLOID;
}

static const char *group_name(const struct stats *s, int g)
{
    return gt_strs_get(&s->groups.names, (size_t)g);
}

/* --- rows -------------------------------------------------------------------------- */

/* het and hom_alt are not distinguished at a collapsed site; haploid data has no het. */
static void add_counts(struct info_row *row, const int64_t counts[4], int64_t more_called, bool collapsed, bool haploid)
{
    int64_t known = counts[0] + counts[1] + counts[2], called = known + more_called;
    info_row_count(row, "called", called);
    info_row_count(row, "missing", counts[3]);
    info_row_real(row, "missing_rate", fraction(counts[3], called + counts[3]));
    info_row_count(row, "hom_ref", counts[0]);
    if (collapsed || haploid)
        info_row_real(row, "het", NAN);
    else
        info_row_count(row, "het", counts[1]);
    if (collapsed)
        info_row_real(row, "hom_alt", NAN);
    else
        info_row_count(row, "hom_alt", counts[2]);
    info_row_real(row, "heterozygosity", collapsed || haploid ? NAN : fraction(counts[1], known));
}

static void add_alts(struct info_row *row, struct gt_str *scratch, const struct gt_block *block, const struct gt_site *site)
{
    gt_str_clear(scratch);
    gt_str_add(scratch, site->n_alleles < 2 ? "." : "");
    for (int32_t a = 1; a < site->n_alleles; a++)
        gt_str_addf(scratch, "%s%s", a > 1 ? "," : "", gt_strs_get(&block->alleles, site->first_allele + (uint32_t)a));
    info_row_text(row, "alt", scratch->s ? scratch->s : "");
}

static void add_site(struct info_row *row, struct gt_str *scratch, const struct gt_block *block, const struct gt_site *site)
{
    info_row_text(row, "contig", site->contig >= 0 ? gt_strs_get(&block->contigs, (size_t)site->contig) : ".");
    info_row_count(row, "position", site->position);
    info_row_text(row, "id", gt_strs_get(&block->ids, site->id));
    info_row_text(row, "ref", site->n_alleles ? gt_strs_get(&block->alleles, site->first_allele) : "");
    add_alts(row, scratch, block, site);
}

static void add_site_stats(struct info_row *row, const struct gt_site_stats *s, bool haploid)
{
    const int64_t counts[4] = {s->hom_ref, s->het, s->hom_alt, s->missing};
    const int64_t ref_alleles_x2 = s->alleles_x2 - s->alt_alleles_x2;
    add_counts(row, counts, 0, s->collapsed, haploid);
    info_row_real(row, "alt_frequency", fraction(s->alt_alleles_x2, s->alleles_x2));
    info_row_real(row, "maf", fraction(s->alt_alleles_x2 < ref_alleles_x2 ? s->alt_alleles_x2 : ref_alleles_x2, s->alleles_x2));
    info_row_real(row, "hwe", s->hwe);
}

static int format_sites(void *ctx, const struct gt_block *block, const struct gt_site_stats *stats, struct gt_buf *bytes,
                        struct gt_err *err)
{
    const struct stats *s = ctx;
    struct gt_str text = {0}, scratch = {0};
    struct info_row row = {.out = &text, .json = s->cli->json};
    for (int64_t v = 0; v < block->n; v++)
        for (int g = 0; g < s->opts.n_groups; g++) {
            if (row.json && text.len)
                gt_str_add(&text, ",\n");
            info_row_begin(&row);
            add_site(&row, &scratch, block, gt_block_sites(block) + v);
            if (s->grouped)
                info_row_text(&row, "group", group_name(s, g));
            add_site_stats(&row, &stats[v * s->opts.n_groups + g], is_haploid(s));
            info_row_end(&row);
        }
    int status = gt_str_check(&text, err);
    status = status ? status : gt_str_check(&scratch, err);
    if (!status && text.len)
        status = gt_buf_append(bytes, text.s, text.len, err);
    gt_str_release(&text);
    gt_str_release(&scratch);
    return status;
}

static void add_sample(struct info_row *row, const struct gt_sample_stats *s, bool haploid)
{
    const int64_t counts[4] = {s->hom_ref, s->het, s->hom_alt, s->missing};
    add_counts(row, counts, s->collapsed, false, haploid);
    info_row_count(row, "multiallelic", s->collapsed);
    info_row_count(row, "f_sites", s->f_sites);
    info_row_count(row, "hom", s->f_hom);
    info_row_estimate(row, "expected_hom", gt_sample_expected(s));
    info_row_estimate(row, "f", gt_sample_f(s));
}

/* --- writing ------------------------------------------------------------------------ */

static int say(const struct stats *s, const char *text, struct gt_err *err)
{
    return gt_outfile_write(s->out, text, strlen(text), err);
}

/* A piece of the table; rows of JSON have commas between them. */
static int write_rows(void *ctx, const struct gt_buf *bytes, struct gt_err *err)
{
    struct stats *s = ctx;
    int status = GT_OK;
    if (!bytes->len)
        return GT_OK;
    if (s->cli->json)
        status = say(s, s->begun ? ",\n" : "[\n", err);
    s->begun = true;
    return status ? status : gt_outfile_write(s->out, bytes->data, bytes->len, err);
}

static int end_rows(const struct stats *s, struct gt_err *err)
{
    if (!s->cli->json)
        return GT_OK;
    return say(s, s->begun ? "\n]\n" : "[]\n", err);
}

static int write_samples(struct stats *s, const struct gt_sample_stats *stats, struct gt_err *err)
{
    const struct gt_geno_info *info = gt_source_info(s->source);
    struct gt_str text = {0};
    struct info_row row = {.out = &text, .json = s->cli->json};
    int status = GT_OK;
    for (int g = 0; g < s->opts.n_groups; g++)
        for (int64_t i = 0; i < s->opts.groups[g].n && !status; i++, stats++) {
            const uint32_t *samples = s->opts.groups[g].samples;
            gt_str_clear(&text);
            info_row_begin(&row);
            info_row_text(&row, "sample", gt_strs_get(&info->samples, samples ? samples[i] : (size_t)i));
            if (s->grouped)
                info_row_text(&row, "group", group_name(s, g));
            add_sample(&row, stats, is_haploid(s));
            info_row_end(&row);
            status = gt_str_check(&text, err);
            status = status ? status : write_rows(s, &(struct gt_buf){.data = (uint8_t *)text.s, .len = text.len}, err);
        }
    gt_str_release(&text);
    return status;
}

/* --- groups and notes ---------------------------------------------------------------- */

static int make_groups(struct stats *s, const char *path, struct gt_err *err)
{
    const struct gt_geno_info *info = gt_source_info(s->source);
    char a[GT_THINGS_LEN];
    int status = path ? gt_groups_read(&s->groups, path, &info->samples, &info->plink_ids, info->name, err) : GT_OK;
    if (status)
        return status;
    s->grouped = path != NULL;
    s->opts.n_groups = path ? (int)s->groups.names.n : 1;
    s->group = gt_alloc((size_t)s->opts.n_groups, sizeof *s->group, err);
    if (!s->group)
        return GT_FAIL;
    s->group[0] = (struct gt_stats_group){NULL, info->n_samples};
    for (size_t g = 0; g < s->groups.names.n; g++)
        s->group[g] = (struct gt_stats_group){s->groups.samples + s->groups.first[g], s->groups.first[g + 1] - s->groups.first[g]};
    s->opts.groups = s->group;
    gt_report_groups(s->cli, &s->groups, path);
    if (s->groups.left_out)
        gt_note(s->cli, "%s without a group excluded", gt_format_things(a, s->groups.left_out, "sample"));
    return GT_OK;
}

static void say_totals(const struct stats *s)
{
    char a[GT_THINGS_LEN];
    gt_report_source(s->cli, s->source);
    if (s->totals.collapsed)
        gt_note(s->cli, "%s in a packed store: whether calls of two ALT alleles are heterozygous is unknown",
                gt_format_things(a, s->totals.collapsed, "multiallelic variant"));
    if (s->totals.off_autosomes && !s->opts.all_contigs)
        gt_note(s->cli, "%s on X, Y or MT excluded from hwe and f; --contigs all keeps them",
                gt_format_things(a, s->totals.off_autosomes, "variant"));
}

static int open_stats(struct stats *s, unsigned fields, const char *groups, struct gt_err *err)
{
    const struct gt_select_opts *select = &s->cli->select;
    struct gt_source_opts opts = {.paths = s->cli->operands,
                                  .n_paths = s->cli->n_operands,
                                  .array = s->cli->array,
                                  .select = select,
                                  .fields = fields | GT_STATS_FIELDS};
    int status = gt_source_open(&s->source, &s->cli->engine, &opts, err);
    if (!status && !(gt_source_info(s->source)->has & GT_HAS_DOSAGES))
        status = gt_fail(err, GT_USAGE, "--stats needs genotypes, but --slice selects one allele of each call");
    s->opts.all_contigs = select->contigs && strcmp(select->contigs, "all") == 0;
    return status ? status : make_groups(s, groups, err);
}

/* Samples have a table of results; the line of a variant is some LINE bytes. */
static int settle(struct stats *s, bool of_samples, struct gt_err *err)
{
    enum { LINE = 160, READING = 0, COUNTING, TABLE, ALLOTMENTS };
    const struct gt_geno_info *info = gt_source_info(s->source);
    int64_t n = s->grouped ? s->groups.first[s->groups.names.n] : info->n_samples;
    int64_t table = of_samples ? gt_bytes_mul(n, (int64_t)sizeof(struct gt_sample_stats)) : 0;
    struct gt_allotment allotment[ALLOTMENTS] = {{.name = "reading", .minimum = info->read_minimum, .preferred = info->read_preferred},
                                                 {0},
                                                 {.name = "the table", .minimum = table, .preferred = table}};
    gt_stats_share(&allotment[COUNTING], &s->cli->engine, info, &s->opts, of_samples ? 0 : LINE);
    gt_plan_record_step(s->cli->engine.plan,
                        &(struct gt_plan_step){.flow = "stats", .read = "collect", .work = "count", .tasks = -1, .passes = 1});
    int status = gt_memory_plan_fit(allotment, ALLOTMENTS, &s->cli->engine, err);
    gt_source_set_memory(s->source, allotment[READING].size);
    s->opts.memory = allotment[COUNTING].size;
    return status;
}

static void close_stats(struct stats *s)
{
    gt_source_free(s->source);
    gt_groups_release(&s->groups);
    free(s->group);
}

/* --dry-run */
static int show_plan(const struct stats *s, struct gt_err *err)
{
    const struct gt_geno_info *info = gt_source_info(s->source);
    struct gt_str text = {0};
    char a[GT_NUM_LEN];
    gt_str_addf(&text, "input          %s (%s)\n", info->name, info->kind);
    gt_str_addf(&text, "samples        %s\n", gt_format_count(a, info->n_samples));
    if (s->grouped)
        gt_str_addf(&text, "groups         %d\n", s->opts.n_groups);
    gt_str_addf(&text, "variants       %s\n", info->n_variants < 0 ? "unknown before the end" : gt_format_count(a, info->n_variants));
    int status = gt_text_put(s->out, &text, 0, err);
    gt_str_release(&text);
    return status;
}

/* --- both --------------------------------------------------------------------------- */

static int count_samples(struct stats *s, struct gt_err *err)
{
    struct gt_buf stats = {.budget = &s->cli->engine.budget};
    int64_t n = s->grouped ? s->groups.first[s->groups.names.n] : gt_source_info(s->source)->n_samples;
    int status = gt_buf_resize(&stats, (size_t)n * sizeof(struct gt_sample_stats), err);
    if (!status)
        status = gt_stats_samples(&s->cli->engine, s->source, &s->opts, (struct gt_sample_stats *)stats.data, &s->totals, err);
    if (!status && !s->cli->json)
        status = say(s, s->grouped ? "sample\tgroup\t" : "sample\t", err);
    if (!status && !s->cli->json)
        status = say(
            s, "called\tmissing\tmissing_rate\thom_ref\thet\thom_alt\theterozygosity\tmultiallelic\tf_sites\thom\texpected_hom\tf\n", err);
    if (!status)
        status = write_samples(s, (const struct gt_sample_stats *)stats.data, err);
    gt_buf_release(&stats);
    return status;
}

static int count_variants(struct stats *s, struct gt_err *err)
{
    const struct gt_stats_sink sink = {format_sites, write_rows, s};
    int status = GT_OK;
    if (!s->cli->json)
        status = say(s, s->grouped ? "contig\tposition\tid\tref\talt\tgroup\t" : "contig\tposition\tid\tref\talt\t", err);
    if (!status && !s->cli->json)
        status = say(s, "called\tmissing\tmissing_rate\thom_ref\thet\thom_alt\theterozygosity\talt_frequency\tmaf\thwe\n", err);
    return status ? status : gt_stats_variants(&s->cli->engine, s->source, &s->opts, &sink, &s->totals, err);
}

int info_stats(struct gt_cli *cli, bool of_samples, const char *groups, struct gt_outfile *out, struct gt_err *err)
{
    struct stats s = {.cli = cli, .out = out};
    int status = open_stats(&s, of_samples ? GT_SITE_NONE : GT_SITE_POS | GT_SITE_ALLELES | GT_SITE_ID, groups, err);
    status = status ? status : settle(&s, of_samples, err);
    if (!status && cli->dry_run) {
        status = show_plan(&s, err);
        gt_print_notes(cli, gt_source_notes(s.source));
    } else if (!status) {
        status = of_samples ? count_samples(&s, err) : count_variants(&s, err);
        status = status ? status : end_rows(&s, err);
        if (!status)
            say_totals(&s);
    }
    close_stats(&s);
    return status;
}
