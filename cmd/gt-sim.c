/* gt-sim: made-up genotypes and matrices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/size.h"
#include "calc/pack.h"
#include "calc/sim.h"
#include "calc/sim_array.h"
#include "cmd/cli.h"
#include "cmd/formats.h"
#include "cmd/outputs.h"
#include "cmd/report.h"
#include "cmd/sim_uses.h"
#include "cmd/store_files.h"
#include "cmd/store_opts.h"
#include "geno/plink.h"
#include "geno/reader.h"
#include "kernels/kernels.h"
#include "out/calls.h"
#include "out/text.h"
#include "out/truth.h"
#include "store/open.h"

static const char *const format_names[] = {"packed", "vcz", "vcf", "bed", "zarr"};

static int64_t samples = -1, variants = -1, pops = 1, contigs = 1, ld = -1, sim_rank = -1;
static double fst = -1, missing = 0, multiallelic = 0, min_maf = 0.01, noise = 0.01;
static bool phased, normal;
static int format = FORMAT_BY_NAME, spectrum, zarr_format;
static const char *uniform, *dtype, *truth, *chunks, *codec;

static const struct gt_opt options[] = {
    {0, "samples", GT_OPT_COUNT, &samples, "N", NULL, "samples, or columns of a matrix"},
    {0, "variants", GT_OPT_COUNT, &variants, "M", NULL, "variants, or rows of a matrix"},
    {'O', "output-format", GT_OPT_CHOICE, &format, NULL, FORMATS, "what to write (default by name)"},
    {0, "pops", GT_OPT_COUNT, &pops, "P", NULL, "populations, in runs of samples (default 1)"},
    {0, "fst", GT_OPT_REAL, &fst, "F", NULL, "drift of each (default 0.1; 0 for one population)"},
    {0, "missing", GT_OPT_RATE, &missing, "RATE", NULL, "share of missing genotypes (default 0)"},
    {0, "ld", GT_OPT_COUNT, &ld, "BLOCK", NULL, "linkage within blocks of so many variants"},
    {0, "contigs", GT_OPT_COUNT, &contigs, "C", NULL, "chromosomes (default 1)"},
    {0, "phased", GT_OPT_FLAG, &phased, NULL, NULL, "write phased genotypes"},
    {0, "truth", GT_OPT_WRITES, &truth, "FILE", "json", "write populations, frequencies, singular values"},
    {0, "multiallelic", GT_OPT_RATE, &multiallelic, "RATE", NULL, "share of sites with two ALTs (default 0)"},
    {0, "spectrum", GT_OPT_CHOICE, &spectrum, NULL, "neutral|flat", "ancestral frequencies (default neutral, 1/p)"},
    {0, "min-maf", GT_OPT_REAL, &min_maf, "F", NULL, "least ancestral frequency (default 0.01)"},
    {0, "uniform", GT_OPT_TEXT, &uniform, "A..B", NULL, "a matrix of uniform numbers instead"},
    {0, "normal", GT_OPT_FLAG, &normal, NULL, NULL, "a matrix of standard normal numbers instead"},
    {0, "rank", GT_OPT_COUNT, &sim_rank, "R", NULL, "a matrix of rank R with noise instead"},
    {0, "noise", GT_OPT_REAL, &noise, "SD", NULL, "of the noise that --rank adds (default 0.01)"},
    {0, "dtype", GT_OPT_TEXT, &dtype, "T", NULL, "of a matrix: int8, float32, ... (default by content)"},
    {0, "chunks", GT_OPT_TEXT, &chunks, "SHAPE", NULL, "variants=N,samples=M of a store"},
    {0, "codec", GT_OPT_TEXT, &codec, "SPEC", NULL, "compression of a store"},
    {0, "zarr-format", GT_OPT_CHOICE, &zarr_format, NULL, "2|3", "Zarr format of a store (default 2)"},
    {0}};

/* --- options ------------------------------------------------------------------- */

static int parse_uniform(struct gt_sim_array *a, struct gt_err *err)
{
    const char *dots = strstr(uniform, "..");
    char low[64];

    if (!dots || dots == uniform || (size_t)(dots - uniform) >= sizeof low)
        return gt_fail(err, GT_USAGE, "--uniform '%s': expected A..B", uniform);
    memcpy(low, uniform, (size_t)(dots - uniform));
    low[dots - uniform] = '\0';
    if (gt_parse_double(low, &a->low, NULL) || gt_parse_double(dots + 2, &a->high, NULL))
        return gt_fail(err, GT_USAGE, "--uniform '%s': expected A..B", uniform);
    return 0;
}

/* Whole bounds ask for whole numbers, in the smallest type that has them. */
static enum gt_type uniform_type(const struct gt_sim_array *a)
{
    double low = a->low, high = a->high;
    if (low != (double)(int64_t)low || high != (double)(int64_t)high)
        return GT_F64;
    return low >= INT8_MIN && high <= INT8_MAX     ? GT_I8
           : low >= INT16_MIN && high <= INT16_MAX ? GT_I16
           : low >= INT32_MIN && high <= INT32_MAX ? GT_I32
                                                   : GT_I64;
}

static int array_options(const struct gt_cli *cli, struct gt_sim_array *a, struct gt_err *err)
{
    int status = 0;

    *a = (struct gt_sim_array){.seed = (uint64_t)cli->seed,
                               .rows = variants,
                               .columns = samples,
                               .kind = uniform  ? GT_SIM_UNIFORM
                                       : normal ? GT_SIM_NORMAL
                                                : GT_SIM_RANK,
                               .rank = sim_rank,
                               .noise = noise,
                               .type = GT_F64,
                               .codec = codec,
                               .zarr_format = 2 + zarr_format,
                               .history = cli->history};
    if (uniform && (status = parse_uniform(a, err)))
        return status;
    if (uniform && a->low >= -0x1p53 && a->high <= 0x1p53)
        a->type = uniform_type(a);
    if ((dtype && (status = gt_type_parse(dtype, &a->type, err))) || (status = gt_chunks_parse(chunks, a->chunk, err)))
        return status;
    if (a->chunk[1] < 0)
        a->chunk[1] = samples;
    return gt_sim_array_check(a, err);
}

static int geno_options(const struct gt_cli *cli, struct gt_sim_opts *o, struct gt_err *err)
{
    if (ld == 0)
        return gt_fail(err, GT_USAGE, "--ld must be at least 1");
    if (fst < 0 && fst != -1)
        return gt_fail(err, GT_USAGE, "--fst must be at least 0 and below 1");
    *o = (struct gt_sim_opts){.seed = (uint64_t)cli->seed,
                              .samples = samples,
                              .variants = variants,
                              .pops = pops,
                              .contigs = contigs,
                              .ld = ld < 0 ? 0 : ld,
                              .fst = fst != -1  ? fst
                                     : pops > 1 ? 0.1
                                                : 0,
                              .missing = missing,
                              .multiallelic = multiallelic,
                              .min_maf = min_maf,
                              .flat = spectrum == 1};
    return 0;
}

static bool is_plain(void)
{
    return uniform || normal || sim_rank >= 0;
}

static int choose_plain(const char *path, struct gt_err *err)
{
    const char *how = uniform ? "gt-sim --uniform" : normal ? "gt-sim --normal" : "gt-sim --rank";
    int only;
    if (format != FORMAT_BY_NAME && format != FORMAT_ZARR)
        return gt_fail(err, GT_USAGE, "a matrix cannot be written as %s: -O zarr only", format_names[format]);
    format = FORMAT_ZARR;
    return gt_format_choose(how, path, "zarr", -1, &only, err);
}

/* -O, else the output's name, decides. */
static int choose_format(const char *path, struct gt_err *err)
{
    if (is_plain())
        return choose_plain(path, err);
    if (format == FORMAT_ZARR)
        return gt_fail(err, GT_USAGE, "-O zarr needs --uniform, --normal or --rank");
    int status = gt_format_choose("gt-sim", path, FORMATS, format, &format, err);
    if (status)
        return status;
    if (format == FORMAT_BED && strcmp(path, "-") == 0)
        return gt_fail(err, GT_USAGE, "-O bed writes three files: give their prefix with -o");
    return 0;
}

static int check_options(struct gt_err *err)
{
    if (samples < 0 || variants < 0) {
        gt_fail(err, GT_USAGE, "--samples and --variants are needed");
        gt_hint(err, "gt-sim --samples 1000 --variants 100000 --pops 3 -o sim.zarr");
        return GT_USAGE;
    }
    if (!!uniform + normal + (sim_rank >= 0) > 1)
        return gt_fail(err, GT_USAGE, "--uniform, --normal and --rank exclude one another");
    return 0;
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int check(struct gt_cli *cli, struct gt_err *err)
{
    int status = check_options(err);
    status = status ? status : choose_format(cli->output, err);
    status = status ? status : sim_check_uses(cli, (enum format)format, sim_rank >= 0, err);
    if (!status && is_stdout(truth) && is_stdout(cli->output))
        status = gt_fail(err, GT_USAGE, "--truth - and the data cannot both go to standard output");
    if (status)
        return status;
    return format == FORMAT_BED ? gt_output_add_bed("-o", cli->output, err)
                                : gt_output_add("-o", cli->output, format == FORMAT_VCF ? "vcf" : "store", err);
}

/* --- output --------------------------------------------------------------------- */

static int create_store(const struct gt_cli *cli, const char *path, struct gt_store **store, struct gt_err *err)
{
    return gt_store_create(store, path, cli->force, cli->command_line, err);
}

/* With --dry-run the plan alone is made. */
static int write_packed(struct gt_cli *cli, const struct gt_sim *sim, const char *path, struct gt_err *err)
{
    struct gt_source_opts how = {.fields = GT_SITE_ALL};
    struct gt_pack_opts pack = {
        .codec = codec, .zarr_format = 2 + zarr_format, .history = cli->history, .stream = gt_store_is_stream(path)};
    struct gt_pack_stats stats;
    struct gt_pack_plan plan;
    struct gt_reader *reader = NULL;
    struct gt_source *source = NULL;
    struct gt_store *store = NULL;
    int64_t chunk[2] = {0, 0};
    int status = gt_chunks_parse(chunks, chunk, err);

    pack.chunk_variants = chunk[0];
    pack.chunk_samples = chunk[1];
    status = status ? status : gt_sim_reader(&reader, &cli->engine, sim, err);
    status = status ? status : gt_source_from_reader(&source, &cli->engine, reader, &how, err);
    status = status ? status : gt_pack_plan_make(&plan, &cli->engine, gt_source_info(source), &pack, err);
    if (!cli->dry_run) {
        status = status ? status : create_store(cli, path, &store, err);
        status = status ? status : gt_pack_run(&cli->engine, source, store, &pack, &stats, err);
        status = status ? status : gt_store_finish(store, err);
        if (!status)
            gt_note_files(cli, path, stats.files, false);
    }
    gt_source_free(source);
    gt_store_free(store);
    return status;
}

static int name_families(const struct gt_sim *sim, struct gt_strs *families, struct gt_err *err)
{
    char name[32];
    int status = GT_OK;
    for (int64_t k = 0; k < gt_sim_options(sim)->pops; k++)
        for (int64_t s = gt_sim_pop_first(sim, k); s < gt_sim_pop_first(sim, k + 1) && !status; s++)
            status = gt_strs_add(families, name, (size_t)snprintf(name, sizeof name, GT_POP_NAME, (long long)k + 1), err);
    return status;
}

/* In which chunks a store is written, by --chunks and the shape. */
static int choose_shape(struct gt_cli *cli, const struct gt_sim *sim, const char *path, struct gt_vcz_shape *shape, struct gt_err *err)
{
    struct gt_source_info info = {0};
    struct gt_vcz_wish wish = {.layout = format == FORMAT_VCZ ? GT_VCZ_CALLS : GT_VCZ_PACKED,
                               .zarr_format = 2 + zarr_format,
                               .stream = gt_store_is_stream(path),
                               .codec = codec,
                               .memory = cli->engine.budget.limit / 2};
    int64_t chunk[2] = {0, 0};
    int status = gt_chunks_parse(chunks, chunk, err);

    gt_source_info_count_in(&info, &cli->engine.budget);
    wish.chunk_variants = chunk[0];
    wish.chunk_samples = chunk[1];
    status = status ? status : gt_sim_info(sim, &info, err);
    status = status ? status : gt_vcz_shape_choose(shape, &info, &wish, err);
    gt_source_info_release(&info);
    return status;
}

static int open_vcz(struct gt_cli *cli, const struct gt_sim *sim, const char *path, struct gt_calls_sink **sink, struct gt_err *err)
{
    struct gt_vcz_shape shape;
    struct gt_store *store = NULL;
    int status = choose_shape(cli, sim, path, &shape, err);

    if (status)
        return status;
    const struct gt_vcz_opts opts = {.layout = GT_VCZ_CALLS,
                                     .phased = phased,
                                     .alleles = multiallelic > 0 ? 3 : 2,
                                     .chunk_variants = shape.chunk_variants,
                                     .chunk_samples = shape.chunk_samples,
                                     .codec = codec,
                                     .codec_bytes = shape.codec_bytes,
                                     .zarr_format = 2 + zarr_format,
                                     .history = cli->history,
                                     .stream = gt_store_is_stream(path)};
    gt_note_files(cli, path, shape.files, false);
    status = create_store(cli, path, &store, err);
    status = status ? status : gt_sink_vcz(sink, store, &opts, &cli->engine.budget, err);
    if (status)
        gt_store_free(store);
    return status;
}

static int open_sink(struct gt_cli *cli, const struct gt_sim *sim, const char *path, struct gt_calls_sink **sink, struct gt_err *err)
{
    if (format == FORMAT_VCF) {
        bool packed = gt_text_is_packed(path);
        const struct gt_vcf_opts opts = {.phased = phased, .alts = multiallelic > 0, .level = packed ? 1 : 0, .key = "source", .history = cli->history};
        return gt_sink_vcf(sink, path, &opts, err);
    }
    if (format == FORMAT_VCZ)
        return open_vcz(cli, sim, path, sink, err);
    struct gt_strs families = {0};
    struct gt_str prefix = {0};
    int status = name_families(sim, &families, err);
    gt_str_addn(&prefix, path, gt_plink_stem(path));
    if (!status)
        status = gt_str_check(&prefix, err);
    if (!status)
        status = gt_sink_bed(sink, prefix.s, &families, err);
    gt_str_release(&prefix);
    gt_strs_release(&families);
    return status;
}

/* Is there memory for names and stripes? */
static int settle(struct gt_cli *cli, const struct gt_sim *sim, const char *path, struct gt_err *err)
{
    struct gt_sim_needs needs = {.want = (phased ? GT_CALLS_PHASE : 0) | (multiallelic > 0 ? GT_CALLS_ALTS : 0)};
    struct gt_vcz_shape shape;
    int64_t memory;

    if (format == FORMAT_VCF)
        needs.variant_bytes = gt_vcf_variant_bytes(samples, gt_text_is_packed(path));
    else if (format == FORMAT_BED)
        needs.variant_bytes = gt_bed_variant_bytes(samples);
    int status = gt_sim_settle(sim, &cli->engine, &needs, &memory, err);
    if (status || format != FORMAT_VCZ)
        return status;
    status = choose_shape(cli, sim, path, &shape, err);
    needs.stripe = shape.chunk_variants < variants ? shape.chunk_variants : variants;
    needs.variant_bytes = gt_vcz_variant_bytes(samples, shape.chunk_samples);
    needs.stripe_bytes = shape.codec_bytes;
    return status ? status : gt_sim_settle(sim, &cli->engine, &needs, &memory, err);
}

static int write_genotypes(struct gt_cli *cli, const struct gt_sim *sim, const char *path, struct gt_err *err)
{
    struct gt_calls_sink *sink = NULL;
    int status = settle(cli, sim, path, err);

    if (!status && format == FORMAT_PACKED)
        return write_packed(cli, sim, path, err);
    if (status || cli->dry_run)
        return status;
    status = open_sink(cli, sim, path, &sink, err);
    if (!status)
        status = gt_sim_write(sim, &cli->engine, sink, err);
    if (sink)
        sink->ops->free(sink);
    return status;
}

/* --- runs ------------------------------------------------------------------------ */

/* shape: NULL where no store of genotypes is written. */
static void print_plan(const struct gt_cli *cli, const char *path, const struct gt_vcz_shape *shape)
{
    static const char *const names[] = {"packed store", "VCF Zarr", "VCF", "PLINK .bed, .bim, .fam", "Zarr array"};
    char a[GT_NUM_LEN], b[GT_NUM_LEN];

    printf("output         %s (%s)\n", strcmp(path, "-") == 0 ? "standard output" : path, names[format]);
    printf("shape          %s variants x %s samples\n", gt_format_count(a, variants), gt_format_count(b, samples));
    printf("values         %.3g\n", (double)variants * (double)samples);
    if (shape) {
        printf("chunks         %s variants x %s samples\n", gt_format_count(a, shape->chunk_variants),
               gt_format_count(b, shape->chunk_samples));
        gt_print_files(shape, path);
    }
    printf("memory         %s for buffers, %s for the process\n", gt_format_size(a, cli->engine.budget.limit),
           gt_format_size(b, cli->engine.limits.memory));
    printf("device         cpu, %d threads, kernels %s\n", cli->engine.limits.threads, gt_kernels()->name);
}

static int dry_run(struct gt_cli *cli, const struct gt_sim *sim, const char *path, struct gt_err *err)
{
    struct gt_vcz_shape shape;
    bool store = format == FORMAT_PACKED || format == FORMAT_VCZ;
    int status = store ? choose_shape(cli, sim, path, &shape, err) : 0;

    if (!status)
        print_plan(cli, path, store ? &shape : NULL);
    return status;
}

static int run_array(struct gt_cli *cli, const char *path, struct gt_outfile *facts, struct gt_err *err)
{
    struct gt_sim_array array;
    struct gt_store *store = NULL;
    int64_t memory;
    int status = array_options(cli, &array, err);

    status = status ? status : gt_sim_array_settle(&array, &cli->engine, &memory, err);
    if (status || cli->dry_run) {
        if (!status)
            print_plan(cli, path, NULL);
        return status;
    }
    if (truth)
        status = gt_text_open(facts, truth, &cli->engine.budget, err);
    status = status ? status : create_store(cli, path, &store, err);
    status = status ? status : gt_sim_array_run(&array, &cli->engine, store, err);
    if (!status && truth)
        status = gt_truth_write_array(facts, &array, err);
    status = status ? status : gt_store_finish(store, err);
    gt_store_free(store);
    return status;
}

static int run_genotypes(struct gt_cli *cli, const char *path, struct gt_outfile *facts, struct gt_err *err)
{
    struct gt_sim_opts opts;
    struct gt_sim *sim = NULL;
    int64_t memory;
    int status = geno_options(cli, &opts, err);

    status = status ? status : gt_sim_new(&sim, &opts, err);
    if (!status && truth)
        status = gt_truth_settle(sim, &cli->engine, &memory, err);
    if (cli->dry_run) {
        status = status ? status : write_genotypes(cli, sim, path, err);
        status = status ? status : dry_run(cli, sim, path, err);
        gt_sim_free(sim);
        return status;
    }
    if (!status && truth)
        status = gt_text_open(facts, truth, &cli->engine.budget, err);
    if (!status && truth)
        status = gt_truth_write(facts, sim, &cli->engine, err);
    status = status ? status : write_genotypes(cli, sim, path, err);
    gt_sim_free(sim);
    return status;
}

static struct json_object *summary(const struct gt_cli *cli)
{
    struct json_object *o = json_object_new_object();
    bool ok = gt_json_set(o, "samples", json_object_new_int64(samples)) && gt_json_set(o, "variants", json_object_new_int64(variants)) &&
              gt_json_set(o, "format", json_object_new_string(format_names[format])) &&
              gt_json_set(o, "seed", json_object_new_int64(cli->seed));
    return gt_json_whole(o, ok);
}

static int run(struct gt_cli *cli, struct gt_err *err)
{
    const char *path = cli->output;
    struct gt_outfile facts = {0};
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN];
    int status = is_plain() ? run_array(cli, path, &facts, err) : run_genotypes(cli, path, &facts, err);

    if (!status && facts.path)
        status = gt_outfile_commit(&facts, err);
    gt_outfile_abort(&facts);
    if (!status && !cli->dry_run && cli->json)
        status = gt_print_summary(cli, summary(cli), err);
    else if (!status && !cli->dry_run)
        gt_note(cli, "%s x %s", gt_format_things(a, samples, "sample"), gt_format_things(b, variants, "variant"));
    return status;
}

static const struct gt_cmd command = {
    .name = "gt-sim",
    .summary = "made-up genotypes and matrices",
    .synopsis = "--samples N --variants M [OPTION...] [-O FORMAT] [-o OUT]",
    .examples = "  gt-sim --samples 2504 --variants 1e6 --pops 5 --missing 0.01 -o sim.zarr\n"
                "  gt-sim --samples 500 --variants 2e4 --ld 100 --phased -o sim.vcf.gz\n"
                "  gt-sim --samples 1000 --variants 1e5 --uniform 0..2 -o random.zarr\n",
    .options = options,
    .shared = GT_SHARED_RESOURCES | GT_SHARED_WATCH | GT_SHARED_OUTPUT | GT_SHARED_SEED,
    .check = check,
    .run = run,
};

int main(int argc, char **argv)
{
    return gt_cli_main(argc, argv, &command);
}
