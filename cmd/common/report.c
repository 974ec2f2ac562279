#include "cmd/common/report.h"

#include <stdio.h>

#include "cmd/common/progress.h"
#include "cmd/common/run_data.h"
#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/model/ploidy.h"
#include "geno/samples/groups.h"
#include "geno/samples/sex.h"
#include "geno/select/filter_table.h"

#define MIB (INT64_C(1) << 20)

/* What filters of samples, or of variants, dropped. */
static void note_drops(struct gt_cli *cli, const struct gt_select_stats *stats, unsigned of, int64_t kept, int64_t in)
{
    const struct gt_filter_row *row;
    char a[GT_NUM_LEN], b[GT_THINGS_LEN];
    if (kept == in)
        return;
    gt_note(cli, "kept %s of %s", gt_format_count(a, kept), gt_format_things(b, in, of ? "sample" : "variant"));
    for (size_t k = 0; (row = gt_filter_row(k)); k++) {
        const int64_t n = (row->traits & GT_FILTER_SAMPLES) == of ? gt_filter_dropped(row, &cli->select, stats) : 0;
        if (n)
            gt_note(cli, "  %s dropped %s", gt_format_count(a, n), row->why);
    }
}

/* How calls were understood that are no plain diploid ones. */
static void note_calls(struct gt_cli *cli, int ploidy, const struct gt_select_stats *s)
{
    char a[GT_THINGS_LEN];
    static const char *const half[] = {"missing", "missing", "haploid", "reference", "error"};
    if (s->half_calls)
        gt_note(cli, "%s, read as %s", gt_format_things(a, s->half_calls, "half call"), half[cli->select.half_call]);
    if (ploidy == GT_HAPLOID)
        gt_note(cli, "haploid data: allele counts are 0 and 1");
    else if (s->haploid_calls)
        gt_note(cli, "%s counted as homozygous, 0 or 2", gt_format_things(a, s->haploid_calls, "haploid call"));
    if (s->het_haploid_calls)
        gt_note(cli, "%s heterozygous on a haploid chromosome, set to missing", gt_format_things(a, s->het_haploid_calls, "call"));
    if (s->polyploid_calls)
        gt_note(cli, "%s of ploidy above 2 set to missing", gt_format_things(a, s->polyploid_calls, "call"));
}

static void note_sexes(struct gt_cli *cli, const struct gt_source *source)
{
    struct gt_sex_counts n;
    char male[GT_THINGS_LEN], female[GT_THINGS_LEN], a[GT_THINGS_LEN];
    if (!gt_source_sexes(source, &n))
        return;
    gt_note(cli, "%s, %s and %s%s", gt_format_things(male, n.male, "male"), gt_format_things(female, n.female, "female"),
            gt_format_things(a, n.unknown, "sample"), cli->select.sex ? " of unknown sex" : " of unknown sex (from the input)");
    if (n.absent)
        gt_note(cli, "%s not in '%s'", gt_format_things(a, n.absent, "sample"), cli->select.sex);
    if (n.unnamed)
        gt_note(cli, "%s of '%s' %s samples that the input does not have", gt_format_things(a, n.unnamed, "line"), cli->select.sex,
                n.unnamed == 1 ? "names" : "name");
    if (n.no_build)
        gt_note(
            cli,
            "contig X has the length of neither GRCh37 nor GRCh38: no pseudoautosomal regions are assumed, males are haploid on all of X");
}

void gt_report_collapsed(struct gt_cli *cli, const struct gt_source *source, bool alleles)
{
    char a[GT_THINGS_LEN];
    const struct gt_select_stats *s = gt_source_stats(source);
    const int64_t pooled = alleles ? s->pooled : s->multiallelic;
    if (s->multiallelic > pooled)
        gt_note(cli, "%s: each ALT allele counts separately", gt_format_things(a, s->multiallelic - pooled, "multiallelic variant"));
    if (pooled)
        gt_note(cli, "%s: all ALT alleles of a variant count as one (1/1 equals 2/2)", gt_format_things(a, pooled, "multiallelic variant"));
}

void gt_print_notes(struct gt_cli *cli, const struct gt_strs *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        gt_note(cli, "%s", gt_strs_get(notes, i));
}

static void report_selection(struct gt_cli *cli, const struct gt_source *source)
{
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN];
    const struct gt_select_stats *s = gt_source_stats(source);
    const struct gt_strs *warnings = gt_source_warnings(source);
    gt_run_data_genotypes(gt_source_info(source)->kind, s->samples_in, s->sites_in);
    gt_progress_hold(true); /* the work is done: the line would only come back stale */
    for (size_t i = 0; i < warnings->n; i++)
        gt_warn(cli, "%s", gt_strs_get(warnings, i));
    gt_print_notes(cli, gt_source_notes(source));
    note_drops(cli, s, GT_FILTER_SAMPLES, s->samples_kept, s->samples_in);
    if (s->split_rows)
        gt_note(cli, "%s split into %s, one per ALT allele", gt_format_things(a, s->sites_in, "variant"),
                gt_format_things(b, s->sites_in + s->split_rows, "row"));
    note_drops(cli, s, 0, s->sites_kept, s->sites_in + s->split_rows);
    if (cli->select.exclude_long_range && !s->dropped_long_range)
        gt_note(cli, "no variant lies in a region of --exclude-long-range %s", cli->select.exclude_long_range);
    if (s->not_known_polymorphic)
        gt_note(cli, "%s of these have two ALT alleles in every call, and the input does not show which",
                gt_format_count(a, s->not_known_polymorphic));
    note_sexes(cli, source);
}

void gt_report_source(struct gt_cli *cli, const struct gt_source *source)
{
    report_selection(cli, source);
    note_calls(cli, gt_source_info(source)->ploidy, gt_source_stats(source));
}

void gt_report_records(struct gt_cli *cli, const struct gt_source *source)
{
    report_selection(cli, source);
    if (gt_filters_given(&cli->select, GT_FILTER_CALLS))
        note_calls(cli, gt_source_info(source)->ploidy, gt_source_stats(source));
}

void gt_print_inputs(const struct gt_cli *cli, const struct gt_geno_info *info)
{
    char a[GT_NUM_LEN];
    gt_run_data_genotypes(info->kind, info->n_samples, info->n_variants);
    printf("input          %s (%s)\n", info->name, info->kind);
    for (int i = 1; i < cli->n_operands; i++)
        printf("               %s\n", cli->operands[i]);
    printf("samples        %s\n", gt_format_count(a, info->n_samples));
    printf("variants       %s\n", info->n_variants < 0 ? "unknown before the end" : gt_format_count(a, info->n_variants));
}

char *gt_format_memory(char text[GT_MEMORY_LEN], const struct gt_engine *engine)
{
    const int64_t most = engine->needs->preferred < engine->limits.memory ? engine->needs->preferred : engine->limits.memory;
    char ceiling[GT_NUM_LEN];

    gt_memory_plan_note(engine, 1, 1); /* what the engine takes is not enough */
    snprintf(text, GT_MEMORY_LEN, "%lldM needed, %lldM used at most; ceiling %s (%s)", (long long)gt_ceil_div(engine->needs->minimum, MIB),
             (long long)gt_ceil_div(most > engine->needs->minimum ? most : engine->needs->minimum, MIB),
             gt_format_size(ceiling, engine->limits.memory), engine->limits.memory_from);
    return text;
}

void gt_print_memory(const struct gt_cli *cli)
{
    char text[GT_MEMORY_LEN];
    printf("memory         %s\n", gt_format_memory(text, &cli->engine));
}

void gt_print_per_rank(const struct gt_per_rank *figures)
{
    const char *const when = figures->each_pass ? "a pass" : "in all", *const most = figures->sends_at_most ? "at most " : "";
    char size[GT_NUM_LEN];
    printf("per rank       ");
    if (figures->reads >= 0)
        printf("reads %s%s of genotypes a pass, ", figures->at_most ? "at most " : "", gt_format_size(size, figures->reads));
    printf("%s %s%s %s%s", figures->passes_on ? "receives and sends" : "sends", most, gt_format_size(size, figures->sends), when,
           figures->passes_on ? ", from rank to rank" : "");
    if (figures->holds > 0)
        printf(", holds %s", gt_format_size(size, figures->holds));
    printf("\nrank 0         receives %s%s", most, gt_format_size(size, figures->sends));
    if (figures->broadcasts > 0)
        printf(", and sends each other rank %s", gt_format_size(size, figures->broadcasts));
    printf(" %s\n", when);
}

static void print_term(const char *name, double seconds, double amount, const char *unit, double rate)
{
    if (seconds > 0)
        printf("  %-12s %.4g s: %.4g %s, %.4g per second\n", name, seconds, amount, unit, rate);
}

static void print_terms(const struct gt_work *work, const struct gt_estimate *e, double cores)
{
    const double last_cores = work->last_threads < cores ? work->last_threads : cores;
    if (e->start > 0)
        printf("  start        %.3g s\n", e->start);
    print_term("read", e->read, work->reads, "bytes", e->rates.read);
    print_term("decode", e->decode, work->decodes, "bytes", e->rates.decode * cores);
    print_term("compute", e->compute, work->operations, work->unit, e->rates.compute * cores);
    print_term("send", e->send, work->moved, "bytes", e->rates.link);
    if (e->latency > 0)
        printf("  latency      %.3g s: %.0f messages, %.3g s each\n", e->latency, work->messages, e->rates.latency);
    print_term("finish", e->finish, work->last, work->last_unit, e->rates.last * last_cores);
    print_term("write", e->write, work->writes, "bytes", e->rates.write);
}

/* Of ranks that do not run, each has a CPU for each thread that -@ gives. */
static double cores_of(const struct gt_cli *cli)
{
    const struct gt_limits *limits = &cli->engine.limits;
    const bool elsewhere = cli->ranks && cli->threads;
    return elsewhere || limits->threads < limits->cpus ? limits->threads : limits->cpus;
}

int gt_print_estimate(const struct gt_cli *cli, const struct gt_work *work, struct gt_err *err)
{
    const double cores = cores_of(cli);
    const int ranks = cli->engine.comm.size;
    char n[GT_THINGS_LEN];
    struct gt_rates given;
    struct gt_estimate estimate;
    int status = gt_rates_get(&given, err);
    if (status)
        return status;
    if (work->operations < 0) {
        printf("estimate       unknown: the number of variants is not known in advance\n");
        return GT_OK;
    }
    gt_estimate_make(&estimate, work, &given, ranks, cores);
    printf("estimate       %s%.3g s with %s, %.3g cores each", work->at_most ? "at most " : "", estimate.total,
           gt_format_things(n, ranks, "rank"), cores);
    if (work->passes)
        printf(", if it takes %lld passes", (long long)work->passes);
    printf("%s\n", estimate.read > 0 ? "; reading overlaps computing" : "");
    print_terms(work, &estimate, cores);
    return GT_OK;
}

int gt_print_summary(const struct gt_cli *cli, struct json_object *summary, struct gt_err *err)
{
    struct gt_str text = {0};
    if (!summary)
        return gt_no_memory(err);
    if (cli->comm.rank > 0) { /* rank 0 speaks for all */
        json_object_put(summary);
        return GT_OK;
    }
    gt_json_print(&text, summary, false);
    int status = gt_str_check(&text, err);
    if (!status)
        fprintf(gt_is_stdout(cli->output) ? stderr : stdout, "%s\n", text.s);
    gt_str_release(&text);
    json_object_put(summary);
    return status;
}

void gt_report_groups(struct gt_cli *cli, const struct gt_groups *groups, const char *path)
{
    char a[GT_THINGS_LEN];
    if (groups->other_family)
        gt_note(cli, "%s of '%s' with another family id than the input; samples were found by their own ids",
                gt_format_things(a, groups->other_family, "line"), path);
    if (groups->absent)
        gt_note(cli, "%s of '%s' %s samples that the input does not have", gt_format_things(a, groups->absent, "line"), path,
                groups->absent == 1 ? "names" : "name");
}
