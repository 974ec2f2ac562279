/* gt-info: shows and checks a store, a genotype file or a .npy; statistics per sample and variant. */
#include <string.h>

#include "cmd/common/formats.h"
#include "cmd/common/outputs.h"
#include "cmd/common/report.h"
#include "cmd/device/device_choice.h"
#include "cmd/info/info.h"
#include "cmd/info/info_plot.h"
#include "cmd/info/info_reports.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/source/source.h"

enum { STATS_NONE = -1, STATS_SAMPLES, STATS_VARIANTS };

static bool check, deep, devices;
static bool are_reports; /* all operands */
static bool reported;    /* --check found damage, and the whole report of it was written */
static int64_t head = -1;
static int stats = STATS_NONE;
static const char *array_path, *groups, *plot, *kinship;

static const struct gt_opt options[] = {
    {0, "check", GT_OPT_FLAG, &check, NULL, NULL, "read and decode everything; exit 3 if there is damage"},
    {0, "deep", GT_OPT_FLAG, &deep, NULL, NULL, "with --check: read a store's variants and genotypes too"},
    {0, "head", GT_OPT_COUNT, &head, "N", NULL, "print the first N items of an array"},
    {0, "stats", GT_OPT_CHOICE, &stats, NULL, "samples|variants", "table of missing rate, het., frequency, HWE, F"},
    {0, "groups", GT_OPT_READS, &groups, "FILE", NULL, "with --stats: statistics by group (FILE: IID GROUP)"},
    {0, "plot", GT_OPT_WRITES, &plot, "FILE", "plot", "plot missing rates, frequencies, heterozygosity (.svg, .png, .pdf)"},
    {0, "kinship", GT_OPT_READS, &kinship, "FILE", NULL, "with --plot: also kinship coefficients of FILE.kin0"},
    {0, "devices", GT_OPT_FLAG, &devices, NULL, NULL, "list the GPUs that other commands can use"},
    {0, "array", GT_OPT_TEXT, &array_path, "PATH", NULL, "array or group inside the store"},
    {0}};

/* --- VCF, BCF, .bed ------------------------------------------------------------- */

static struct json_object *texts_json(const struct gt_strs *texts)
{
    struct json_object *list = json_object_new_array();
    bool ok = list;
    for (size_t i = 0; ok && i < texts->n; i++)
        ok = gt_json_add(list, json_object_new_string(gt_strs_get(texts, i)));
    return gt_json_if_complete(list, ok);
}

static struct json_object *source_json(const struct gt_geno_info *info)
{
    struct json_object *obj = json_object_new_object();

    bool ok = gt_json_set_text(obj, "name", info->name) && gt_json_set_text(obj, "kind", info->kind) &&
              gt_json_set_int(obj, "samples", info->n_samples) &&
              (info->n_variants >= 0 ? gt_json_set_int(obj, "variants", info->n_variants) : gt_json_set_shared(obj, "variants", NULL)) &&
              gt_json_set(obj, "sample_id", texts_json(&info->samples)) && gt_json_set(obj, "contig_id", texts_json(&info->contigs)) &&
              gt_json_set(obj, "filter_id", texts_json(&info->filters));
    return gt_json_if_complete(obj, ok);
}

/* The first few names, and how many more. */
static void add_names(struct gt_str *out, const char *label, const struct gt_strs *names)
{
    gt_str_addf(out, "%s: %zu", label, names->n);
    for (size_t i = 0; i < names->n && i < 5; i++)
        gt_str_addf(out, "%s%s", i ? ", " : " (", gt_strs_get(names, i));
    gt_str_add(out, names->n > 5 ? ", ...)\n" : names->n ? ")\n" : "\n");
}

static int show_source(struct gt_cli *cli, const char *path, struct gt_outfile *out, struct gt_err *err)
{
    struct gt_source_opts opts = {.paths = &path, .n_paths = 1};
    struct gt_source *source = NULL;
    const struct gt_geno_info *info;
    struct gt_str text = {0};
    int status = gt_source_open(&source, &cli->engine, &opts, err);

    if (status)
        return status;
    info = gt_source_info(source);
    if (cli->json) {
        status = info_write_json(out, source_json(info), err);
    } else {
        gt_str_addf(&text, "%s: %s\n", info->name, info->kind);
        add_names(&text, "samples", &info->samples);
        if (info->n_variants >= 0)
            gt_str_addf(&text, "variants: %lld\n", (long long)info->n_variants);
        add_names(&text, "contigs", &info->contigs);
        if (info->filters.n)
            add_names(&text, "filters", &info->filters);
        status = gt_text_put(out, &text, 0, err);
    }
    gt_str_release(&text);
    gt_source_free(source);
    return status;
}

/* --- stores ------------------------------------------------------------------------ */

static int show_values(struct gt_cli *cli, struct gt_array *array, struct gt_outfile *out, struct gt_err *err)
{
    const struct gt_matrix_opts opts = {0};
    struct gt_matrix *matrix = NULL;
    if (array->dtype.type > GT_F64)
        return info_head_items(cli, array, head, out, err);
    int status = gt_matrix_open_array(&matrix, &cli->engine, array, &opts, err);
    status = status ? status : info_head_numbers(cli, matrix, head, out, err);
    gt_matrix_free(matrix);
    return status;
}

static int show_head(struct gt_cli *cli, const struct info_store *info, struct gt_outfile *out, struct gt_err *err)
{
    int64_t at = gt_names_find(info->index, info->inner, strlen(info->inner));

    if (at < 0) {
        gt_fail(err, GT_USAGE, "--head needs an array, and '%s' is a group", *info->inner ? info->inner : info->store->name);
        gt_hint(err, "name one of its arrays, such as %s/%s", info->store->name, info->n_arrays ? info->arrays[0].path : "ARRAY");
        return GT_USAGE;
    }
    if (!info->arrays[at].array)
        return gt_fail(err, GT_INPUT, "%s", info->arrays[at].fault);
    return show_values(cli, info->arrays[at].array, out, err);
}

static int show_plan(const struct info_store *info, struct gt_outfile *out, struct gt_err *err)
{
    struct gt_str text = {0};
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN], c[GT_NUM_LEN];
    int64_t chunks = 0;
    int status;

    for (size_t i = 0; i < info->n_arrays; i++)
        chunks += info->arrays[i].present;
    if (check)
        gt_str_addf(&text, "%s of %s %s read and decoded%s, %s in the store\n", gt_format_things(a, chunks, "stored chunk"),
                    gt_format_things(b, (int64_t)info->n_arrays, "array"), chunks == 1 ? "is" : "are",
                    deep ? ", and the genotypes once more" : "", gt_format_size(c, info->bytes));
    else
        gt_str_addf(&text, "metadata of %s%s\n", gt_format_things(b, (int64_t)info->n_arrays, "array"),
                    head >= 0 ? " and the chunks of the values shown" : " and the sizes of all keys");
    status = gt_text_put(out, &text, 0, err);
    gt_str_release(&text);
    return status;
}

static int show_store(struct gt_cli *cli, const char *path, struct gt_input *input, struct gt_outfile *out, struct gt_err *err)
{
    struct gt_str inner = {0}, text = {0};
    char *name = gt_strdup(input->name, err);
    struct info_store info = {0};
    int status = name ? GT_OK : GT_FAIL;

    gt_str_addf(&inner, "%s%s%s", input->inner, *input->inner && array_path ? "/" : "", array_path ? array_path : "");
    info.inner = inner.s;
    if (!status)
        status = gt_str_check(&inner, err);
    if (!status)
        status = info_store_open(&info, cli, input, head < 0, check, err);
    if (!status && cli->dry_run && check)
        status = info_check_plan(cli, &info, path, deep, err);
    else if (!status && cli->dry_run && head >= 0)
        status = show_head(cli, &info, out, err);
    if (!status && cli->dry_run)
        status = show_plan(&info, out, err);
    else if (!status && check)
        status = info_check(cli, &info, path, deep, out, &reported, err);
    else if (!status && head >= 0)
        status = show_head(cli, &info, out, err);
    else if (!status && cli->json)
        status = info_write_json(out, info_store_json(&info, name), err);
    else if (!status) {
        info_store_text(&info, name, &text);
        status = gt_text_put(out, &text, 0, err);
    }
    info_store_release(&info);
    gt_str_release(&inner);
    gt_str_release(&text);
    free(name);
    return status;
}

static bool is_store(const struct gt_input *input)
{
    return input->kind == GT_KIND_ZARR_DIR || input->kind == GT_KIND_ZIP || input->kind == GT_KIND_TAR;
}

/* A pipe, a FIFO, standard input. */
static bool reads_once(const struct gt_input *input)
{
    return input->fd >= 0 && (!input->seekable || strcmp(input->path, "-") == 0);
}

/* A VCF, a BCF or a .bed. */
static int show_file(struct gt_cli *cli, const char *path, struct gt_input *input, struct gt_outfile *out, struct gt_err *err)
{
    bool once = reads_once(input);
    if (head >= 0 || array_path)
        return gt_fail(err, GT_USAGE, "--%s needs a store; '%s' is %s", head >= 0 ? "head" : "array", input->name,
                       gt_input_kind_name(input->kind));
    if (deep)
        return gt_fail(err, GT_USAGE, "--deep needs a store; '%s' is %s, which --check reads in full", input->name,
                       gt_input_kind_name(input->kind));
    if (once && !check) {
        gt_fail(err, GT_USAGE, "'%s' is a stream; only a store (tar) can be shown from a stream, and this is %s", input->name,
                gt_input_kind_name(input->kind));
        gt_hint(err, "use --stats or --check, or give a file");
        return GT_USAGE;
    }
    if (!check)
        return show_source(cli, path, out, err);
    return info_check_file(cli, strcmp(path, "-") == 0 ? "standard input" : path, input, out, &reported, err);
}

static int show_path(struct gt_cli *cli, const char *path, struct gt_outfile *out, struct gt_err *err)
{
    struct gt_input input = {0};
    int status = gt_input_open(&input, path, err);

    if (status)
        return status;
    if (is_store(&input) && deep && reads_once(&input))
        status = gt_fail(err, GT_USAGE, "--deep reads its input twice, and '%s' is a stream", input.name);
    else if (is_store(&input))
        status = show_store(cli, path, &input, out, err);
    else if (input.kind == GT_KIND_NPY && !check)
        status = info_npy(cli, &input, array_path, head, out, err);
    else
        status = show_file(cli, path, &input, out, err);
    gt_input_release(&input);
    return status;
}

static int check_options(const struct gt_cli *cli, struct gt_err *err)
{
    if (devices && (check || head >= 0 || stats != STATS_NONE || plot))
        return gt_fail(err, GT_USAGE, "--devices cannot be combined with --%s",
                       check       ? "check"
                       : head >= 0 ? "head"
                       : plot      ? "plot"
                                   : "stats");
    if ((check != false) + (head >= 0) + (stats != STATS_NONE) + (plot != NULL) > 1 || (deep && !check))
        return gt_fail(err, GT_USAGE, deep && !check ? "--deep needs --check" : "--check, --head, --stats and --plot cannot be combined");
    if (stats == STATS_NONE && (groups || (cli->selected_by && !plot)))
        return gt_fail(err, GT_USAGE, "--%s needs --stats", groups ? "groups" : cli->selected_by);
    int status = gt_plot_check(cli, plot, err);
    if (status)
        return status;
    if (kinship && !plot)
        return gt_fail(err, GT_USAGE, "--kinship needs --plot");
    if (plot && (cli->json || gt_given(cli, "output")))
        return gt_fail(err, GT_USAGE, "--plot cannot be combined with --%s", cli->json ? "json" : "output");
    if (head >= 0 && cli->json)
        return gt_fail(err, GT_USAGE, "--head cannot be combined with --json");
    return GT_OK;
}

/* A table, a text or JSON: --json, else the output's name, says which. */
static int check_all(struct gt_cli *cli, struct gt_err *err)
{
    bool table = stats != STATS_NONE || head >= 0;
    const char *choices = cli->json ? "json" : head >= 0 ? "tsv|txt" : table ? "tsv|json|txt" : "txt|json|tsv";
    int format, status = check_options(cli, err);
    cli->no_input = devices;
    status = status ? status : gt_format_choose(cli->json ? "gt-info --json" : "gt-info", cli->output, choices, -1, &format, err);
    if (status)
        return status;
    cli->json |= head < 0 && format == 1;
    return gt_output_add("-o", cli->output, cli->json ? "json" : table ? "tsv" : "txt", err);
}

static int check_operands(struct gt_cli *cli, struct gt_err *err)
{
    are_reports = info_are_reports(cli);
    if (are_reports && (plot || check || head >= 0 || stats != STATS_NONE || array_path))
        return gt_fail(err, GT_USAGE, "'%s' is a report: --check, --head, --stats, --plot and --array do not apply", cli->operands[0]);
    return GT_OK;
}

static int show_memory(const struct gt_cli *cli, struct gt_outfile *out, struct gt_err *err)
{
    char memory[GT_MEMORY_LEN];
    struct gt_str text = {0};

    gt_str_addf(&text, "memory         %s\n", gt_format_memory(memory, &cli->engine));
    int status = gt_text_put(out, &text, 0, err);
    gt_str_release(&text);
    return status;
}

static int list_devices(struct gt_cli *cli, struct gt_err *err)
{
    struct gt_outfile out = {0};
    struct gt_str text = {0};
    int status = gt_text_open(&out, cli->dry_run ? "-" : cli->output, &cli->engine.budget, err);
    status = status ? status : gt_device_list(&text, cli->json, err);
    status = status ? status : gt_text_put(&out, &text, 0, err);
    status = status ? status : gt_outfile_commit(&out, err);
    gt_outfile_abort(&out);
    gt_str_release(&text);
    return status;
}

static int run(struct gt_cli *cli, struct gt_err *err)
{
    struct gt_outfile out = {0};
    int status = GT_OK;

    if (devices)
        return list_devices(cli, err);
    if (!are_reports && !plot && stats == STATS_NONE && cli->n_operands > 1)
        return gt_fail(err, GT_USAGE, "give one input, not %d", cli->n_operands);
    cli->array = array_path;
    status = gt_text_open(&out, cli->dry_run ? "-" : cli->output, &cli->engine.budget, err);
    if (status)
        return status;
    if (plot && !are_reports)
        status = info_plot(cli, plot, kinship, err);
    else if (are_reports)
        status = info_reports(cli, &out, err);
    else if (stats != STATS_NONE)
        status = info_stats(cli, stats == STATS_SAMPLES, groups, &out, err);
    else
        status = show_path(cli, cli->operands[0], &out, err);
    if (!status && cli->dry_run)
        status = show_memory(cli, &out, err);
    if (!status || reported) {
        int written = gt_outfile_commit(&out, status ? NULL : err);
        status = status ? status : written;
    }
    gt_outfile_abort(&out);
    return status;
}

static const struct gt_cmd command = {
    .name = "gt-info",
    .summary = "show and check a store or genotype file; statistics",
    .synopsis = "[--check|--head N|--stats WHAT] [--json] [IN...]",
    .examples = "  gt-info cohort.zarr\n"
                "  gt-info --head 5 cohort.zarr/variant_position\n"
                "  gt-info --head 3 dist.npy\n"
                "  gt-info --stats samples cohort.vcf.gz >samples.tsv\n"
                "  gt-info first.json second.json\n",
    .options = options,
    .shared = GT_SHARED_RESOURCES | GT_SHARED_WATCH | GT_SHARED_SELECT | GT_SHARED_FILE | GT_SHARED_PLOT,
    .check = check_all,
    .check_operands = check_operands,
    .takes_input = true,
    .run = run,
};

int main(int argc, char **argv)
{
    return gt_cli_main(argc, argv, &command);
}
