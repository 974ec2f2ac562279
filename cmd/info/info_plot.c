#include "config.h"

#include "cmd/info/info_plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/report.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/ploidy.h"

/* --- counting -------------------------------------------------------------------------- */

static void add_bin(struct info_histogram *histogram, int64_t bin)
{
    histogram->count[bin < 0 ? 0 : bin < INFO_BINS ? bin : INFO_BINS - 1]++;
    histogram->n++;
}

/* The bins of a variant: its missing rate, its minor allele frequency or -1. */
struct bins {
    int16_t missing, maf;
};

static int bins_of_sites(void *ctx, const struct gt_block *block, const struct gt_site_stats *stats, struct gt_buf *bytes,
                         struct gt_err *err)
{
    (void)ctx;
    int status = GT_OK;
    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site_stats *s = &stats[v];
        const int64_t all = s->hom_ref + s->het + s->hom_alt + s->missing, ref = s->alleles_x2 - s->alt_alleles_x2,
                      minor = s->alt_alleles_x2 < ref ? s->alt_alleles_x2 : ref;
        const struct bins bins = {.missing = (int16_t)(all ? s->missing * INFO_BINS / all : 0),
                                  .maf = (int16_t)(s->alleles_x2 ? minor * INFO_BINS / s->alleles_x2 : -1)};
        status = gt_buf_append(bytes, &bins, sizeof bins, err);
    }
    return status;
}

static int add_sites(void *ctx, const struct gt_buf *bytes, struct gt_err *err)
{
    struct info_plot *plot = ctx;
    (void)err;
    for (size_t at = 0; at + sizeof(struct bins) <= bytes->len; at += sizeof(struct bins)) {
        struct bins bins;
        memcpy(&bins, bytes->data + at, sizeof bins);
        add_bin(&plot->variant_missing, bins.missing);
        if (bins.maf >= 0)
            add_bin(&plot->maf, bins.maf < INFO_BINS / 2 ? bins.maf : INFO_BINS / 2 - 1);
    }
    return GT_OK;
}

static void add_samples(struct info_plot *plot)
{
    for (size_t i = 0; i < plot->samples->n; i++) {
        const struct gt_sample_stats *s = &plot->stats[i];
        const int64_t all = s->hom_ref + s->het + s->hom_alt + s->collapsed + s->missing;
        add_bin(&plot->sample_missing, all ? s->missing * INFO_BINS / all : 0);
    }
}

/* --- the table of kinship ------------------------------------------------------------------ */

/* The field of that number, tabs or blanks between; NULL: the line has fewer. */
static char *field_of(char *line, int number)
{
    char *save = NULL, *field = strtok_r(line, "\t \r\n", &save);
    while (field && number-- > 0)
        field = strtok_r(NULL, "\t \r\n", &save);
    return field;
}

static int find_column(char *line, const char *path, struct gt_err *err)
{
    char *save = NULL, *field = strtok_r(line, "\t \r\n", &save);
    for (int i = 0; field; i++, field = strtok_r(NULL, "\t \r\n", &save))
        if (!strcasecmp(field, "kinship"))
            return i;
    gt_fail(err, GT_INPUT, "'%s' has no column KINSHIP", path);
    gt_hint(err, "make it with gt-pdist -m king -O kin0");
    return -1;
}

static int read_kinship(struct info_plot *plot, const char *path, struct gt_err *err)
{
    char *line = NULL;
    size_t room = 0;
    int column = 0, status = GT_OK;
    FILE *file = fopen(path, "re");
    if (!file)
        return gt_fail_errno(err, errno, "cannot open '%s'", path);
    if (getline(&line, &room, file) < 0 || (column = find_column(line, path, err)) < 0)
        status = err && err->status ? err->status : gt_fail(err, GT_INPUT, "'%s' is empty", path);
    for (int64_t number = 2; !status && getline(&line, &room, file) >= 0; number++) {
        char *end = NULL, *field = field_of(line, column);
        const double value = field ? strtod(field, &end) : 0;
        if (!field || end == field || *end)
            status = gt_fail(err, GT_INPUT, "'%s', line %lld: no number in column %d", path, (long long)number, column + 1);
        else if (!isnan(value))
            add_bin(&plot->kinship, (int64_t)floor(fmin(fmax(value, -0.5), 0.5) * INFO_BINS + INFO_BINS / 2.0));
    }
    if (!status && ferror(file))
        status = gt_fail_errno(err, errno, "cannot read '%s'", path);
    free(line);
    fclose(file);
    plot->has_kinship = true;
    return status;
}

/* --- both passes ----------------------------------------------------------------------------- */

static int measure(struct info_plot *plot, struct gt_cli *cli, struct gt_source *source, struct gt_sample_stats *table, struct gt_err *err)
{
    enum { BYTES = sizeof(struct bins), READING = 0, COUNTING, ALLOTMENTS };
    const struct gt_geno_info *info = gt_source_info(source);
    const struct gt_stats_group all = {NULL, info->n_samples};
    struct gt_stats_opts opts = {.groups = &all, .n_groups = 1};
    const struct gt_stats_sink sink = {bins_of_sites, add_sites, plot};
    struct gt_stats_totals totals = {0};
    struct gt_allotment allotment[ALLOTMENTS] = {{.name = "reading", .minimum = info->read_minimum, .preferred = info->read_preferred}};
    gt_stats_share(&allotment[COUNTING], &cli->engine, info, &opts, BYTES);
    gt_plan_record_step(cli->engine.plan,
                        &(struct gt_plan_step){.flow = "stats", .read = "collect", .work = "count", .tasks = -1, .passes = 2});
    int status = gt_memory_plan_fit(allotment, ALLOTMENTS, &cli->engine, err);
    if (status || cli->dry_run)
        return status;
    gt_source_set_memory(source, allotment[READING].size);
    opts.memory = allotment[COUNTING].size;
    status = gt_stats_samples(&cli->engine, source, &opts, table, &totals, err);
    status = status ? status : gt_source_rewind(source, err);
    status = status ? status : gt_stats_variants(&cli->engine, source, &opts, &sink, &totals, err);
    if (!status)
        add_samples(plot);
    return status;
}

int info_plot(struct gt_cli *cli, const char *path, const char *kinship, struct gt_err *err)
{
    const struct gt_source_opts how = {.paths = cli->operands,
                                       .n_paths = cli->n_operands,
                                       .array = cli->array,
                                       .select = &cli->select,
                                       .fields = GT_STATS_FIELDS,
                                       .again = true};
    struct gt_buf table = {.budget = &cli->engine.budget};
    struct gt_outfile file = {0};
    struct gt_source *source = NULL;
    struct info_plot *plot = gt_alloc(1, sizeof *plot, err);
    int status = plot ? gt_source_open(&source, &cli->engine, &how, err) : GT_FAIL;
    if (!status && kinship)
        status = read_kinship(plot, kinship, err);
    if (!status) {
        plot->samples = &gt_source_info(source)->samples;
        plot->haploid = gt_source_info(source)->ploidy == GT_HAPLOID;
        status = gt_buf_zeros(&table, plot->samples->n * sizeof *plot->stats + 1, err);
        plot->stats = (const struct gt_sample_stats *)(const void *)table.data;
    }
    status = status ? status : measure(plot, cli, source, (struct gt_sample_stats *)(void *)table.data, err);
    if (!status && !cli->dry_run) {
        gt_report_source(cli, source);
        status = gt_picture_open(&file, path, &cli->picture, err);
        status = status ? status : info_plot_draw(&file, plot, err);
        status = status ? status : gt_outfile_commit(&file, err);
    }
    gt_outfile_abort(&file);
    gt_source_free(source);
    gt_buf_release(&table);
    free(plot);
    return status;
}
