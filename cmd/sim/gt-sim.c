/* gt-sim: simulated genotypes and matrices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calc/sim/sim_array.h"
#include "calc/sim/sim_json.h"
#include "cmd/common/cli.h"
#include "cmd/common/formats.h"
#include "cmd/common/outputs.h"
#include "cmd/common/report.h"
#include "cmd/common/store_files.h"
#include "cmd/common/store_opts.h"
#include "cmd/device/device_choice.h"
#include "cmd/sim/sim_output.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "storage/archive/store_create.h"
#include "storage/text/text_file.h"

static struct gt_device device;
static const char *const format_names[] = {"packed", "vcz", "vcf", "bed", "zarr"};

#define SPECTRA "neutral|flat|common|growth"
enum { NEUTRAL, FLAT, COMMON, GROWTH };

static int64_t samples = -1, variants = -1, pops = 1, contigs = 1, ld = -1, sim_rank = -1;
static double fst = -1, missing = 0, multiallelic = 0, min_maf = 0.01, noise = 0.01;
static bool phased, normal;
static int format = FORMAT_BY_NAME, spectrum, zarr_format;
static const char *uniform, *dtype, *truth, *chunks, *shard, *codec;

static const struct gt_opt options[] = {
    {0, "samples", GT_OPT_COUNT, &samples, "N", NULL, "number of samples (columns of a matrix)"},
    {0, "variants", GT_OPT_COUNT, &variants, "M", NULL, "number of variants (rows of a matrix)"},
    {'O', "output-format", GT_OPT_CHOICE, &format, NULL, FORMATS, "output format (default: by the name of OUT)"},
    {0, "pops", GT_OPT_COUNT, &pops, "P", NULL, "number of populations (default 1)"},
    {0, "fst", GT_OPT_REAL, &fst, "F", NULL, "F_ST between populations (default 0.1; 0 for one population)"},
    {0, "missing", GT_OPT_RATE, &missing, "RATE", NULL, "proportion of missing genotypes (default 0)"},
    {0, "ld", GT_OPT_COUNT, &ld, "BLOCK", NULL, "simulate LD within blocks of BLOCK variants"},
    {0, "contigs", GT_OPT_COUNT, &contigs, "C", NULL, "number of chromosomes (default 1)"},
    {0, "phased", GT_OPT_FLAG, &phased, NULL, NULL, "write phased genotypes"},
    {0, "truth", GT_OPT_WRITES, &truth, "FILE", "json", "also write the true parameters as JSON"},
    {0, "multiallelic", GT_OPT_RATE, &multiallelic, "RATE", NULL, "proportion of variants with two ALTs (default 0)"},
    {0, "spectrum", GT_OPT_CHOICE, &spectrum, NULL, SPECTRA, "allele frequency spectrum (default neutral, 1/p)"},
    {0, "min-maf", GT_OPT_REAL, &min_maf, "F", NULL, "smallest ancestral frequency (default 0.01; 0.05 for common)"},
    {0, "uniform", GT_OPT_TEXT, &uniform, "A..B", NULL, "matrix of uniform random integers; real numbers with --dtype float64"},
    {0, "normal", GT_OPT_FLAG, &normal, NULL, NULL, "matrix of standard normal numbers"},
    {0, "rank", GT_OPT_COUNT, &sim_rank, "R", NULL, "matrix of rank R plus noise"},
    {0, "noise", GT_OPT_REAL, &noise, "SD", NULL, "--rank: standard deviation of the noise (default 0.01)"},
    {0, "dtype", GT_OPT_TEXT, &dtype, "T", NULL, "data type of a matrix: int8, float32, ..."},
    {0, "chunks", GT_OPT_TEXT, &chunks, "SHAPE", NULL, "chunk shape, variants=N,samples=M (default: by size)"},
    {0, "shard", GT_OPT_TEXT, &shard, "SHAPE", NULL, "Zarr 3: put chunks into shards of this shape, one file each"},
    {0, "codec", GT_OPT_TEXT, &codec, "SPEC", NULL, "compression: zstd:1, blosc:lz4:5:shuffle, gzip:6, none"},
    {0, "zarr-format", GT_OPT_CHOICE, &zarr_format, NULL, "2|3", "Zarr format (default 2)"},
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
    if ((dtype && (status = gt_type_parse(dtype, &a->type, err))) || (status = gt_chunks_parse(chunks, a->chunk, err)) ||
        (status = gt_shard_parse(shard, a->zarr_format, a->shard, err)))
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
                              .spectrum = spectrum == NEUTRAL  ? GT_SIM_NEUTRAL
                                          : spectrum == GROWTH ? GT_SIM_GROWTH_SPECTRUM
                                                               : GT_SIM_FLAT};
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
        return gt_fail(err, GT_USAGE, "a matrix cannot be written as %s; use -O zarr", format_names[format]);
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
        return gt_fail(err, GT_USAGE, "-O bed writes PREFIX.bed, PREFIX.bim and PREFIX.fam: it needs -o PREFIX");
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
        return gt_fail(err, GT_USAGE, "--uniform, --normal and --rank cannot be combined");
    return 0;
}

static int check_min_maf(const struct gt_cli *cli, struct gt_err *err)
{
    if (!gt_given(cli, "min-maf")) {
        min_maf = spectrum == COMMON ? 0.05 : 0.01;
    } else if (spectrum == GROWTH) {
        gt_fail(err, GT_USAGE, "--min-maf cannot be combined with --spectrum growth");
        gt_hint(err, "select common variants afterwards: gt-pack --maf F");
        return GT_USAGE;
    }
    return 0;
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int check(struct gt_cli *cli, struct gt_err *err)
{
    int status = check_options(err);
    status = status ? status : check_min_maf(cli, err);
    status = status ? status : choose_format(cli->output, err);
    status = status ? status : sim_check_uses(cli, (enum format)format, sim_rank >= 0, err);
    status = status ? status : gt_check_version(cli, format != FORMAT_BED, "a store or -O vcf", err);
    if (!status && is_stdout(truth) && is_stdout(cli->output))
        status = gt_fail(err, GT_USAGE, "--truth - and the data cannot both go to standard output");
    if (status)
        return status;
    return format == FORMAT_BED ? gt_output_add_bed("-o", cli->output, err)
                                : gt_output_add("-o", cli->output, format == FORMAT_VCF ? "vcf" : "store", err);
}

/* --- runs ------------------------------------------------------------------------ */

/* shape: NULL where no store of genotypes is written; sim: of a matrix. */
static void print_plan(const struct gt_cli *cli, const char *path, const struct gt_vcz_shape *shape, const struct gt_sim *sim)
{
    static const char *const names[] = {"packed store", "VCF Zarr", "VCF", "PLINK .bed, .bim, .fam", "Zarr array"};
    char a[GT_NUM_LEN], b[GT_NUM_LEN];

    printf("output         %s (%s)\n", strcmp(path, "-") == 0 ? "standard output" : path, names[format]);
    printf("shape          %s variants x %s samples\n", gt_format_count(a, variants), gt_format_count(b, samples));
    printf("values         %.3g\n", (double)variants * (double)samples);
    if (cli->comm.size > 1)
        printf("ranks          %d: each generates its share of the row groups; rank 0 writes\n", cli->comm.size);
    if (shape) {
        gt_print_chunks((int64_t[]){shape->chunk_variants, shape->chunk_samples}, (int64_t[]){shape->inner_variants, shape->inner_samples});
        gt_print_files(shape, path);
    }
    gt_print_memory(cli);
    const struct gt_device_work work = sim ? gt_sim_device_work(sim, cli->engine.limits.threads) : (struct gt_device_work){0};
    printf("device         %s, %d threads\n", gt_device_text((char[GT_DEVICE_TEXT_LEN]){0}, &device, &work), cli->engine.limits.threads);
}

static int dry_run(struct gt_cli *cli, const struct gt_sim *sim, const struct sim_output *to, struct gt_err *err)
{
    struct gt_vcz_shape shape;
    bool store = format == FORMAT_PACKED || format == FORMAT_VCZ;
    int status = store ? sim_output_shape(cli, sim, to, &shape, err) : 0;

    if (!status)
        print_plan(cli, to->path, store ? &shape : NULL, sim);
    return status;
}

static int run_array(struct gt_cli *cli, const char *path, struct gt_outfile *facts, struct gt_err *err)
{
    const bool writes = cli->comm.rank == 0;
    struct gt_sim_array array;
    struct gt_store *store = NULL;
    int64_t memory;
    int status = array_options(cli, &array, err);

    status = status ? status : gt_device_choose(cli, NULL, "a matrix", &device, err);
    status = status ? status : gt_sim_array_fit_memory(&array, &cli->engine, &memory, err);
    if (status || cli->dry_run) {
        if (!status)
            print_plan(cli, path, NULL, NULL);
        return status;
    }
    if (truth && writes)
        status = gt_text_open(facts, truth, &cli->engine.budget, err);
    if (!status && writes)
        status = gt_store_create(&store, path, cli->force, cli->command_line, err);
    status = status ? status : gt_sim_array_run(&array, &cli->engine, store, err);
    if (!status && facts->path)
        status = gt_sim_json_write_array(facts, &array, err);
    if (!status && writes)
        status = gt_store_finish(store, err);
    gt_store_free(store);
    return status;
}

static int run_genotypes(struct gt_cli *cli, const char *path, struct gt_outfile *facts, struct gt_err *err)
{
    const struct sim_output to = {.format = (enum format)format,
                                  .path = path,
                                  .chunks = chunks,
                                  .shard = shard,
                                  .codec = codec,
                                  .zarr_format = 2 + zarr_format,
                                  .phased = phased};
    struct gt_sim_opts opts;
    struct gt_sim *sim = NULL;
    int64_t memory;
    int status = geno_options(cli, &opts, err);

    status = status ? status : gt_sim_new(&sim, &opts, err);
    if (!status) {
        const struct gt_device_work work = gt_sim_device_work(sim, cli->engine.limits.threads);
        status = gt_device_choose(cli, &work, gt_sim_no_device(&opts), &device, err);
        if (device.ops)
            gt_sim_use_device(sim, &device);
    }
    if (!status && truth)
        status = gt_sim_json_fit_memory(sim, &cli->engine, &memory, err);
    if (cli->dry_run) {
        status = status ? status : sim_output_write(cli, sim, &to, err);
        status = status ? status : dry_run(cli, sim, &to, err);
        gt_sim_free(sim);
        gt_device_close(&device);
        return status;
    }
    if (!status && truth && cli->comm.rank == 0)
        status = gt_text_open(facts, truth, &cli->engine.budget, err);
    if (!status && facts->path)
        status = gt_sim_json_write(facts, sim, &cli->engine, err);
    status = status ? status : sim_output_write(cli, sim, &to, err);
    gt_sim_free(sim);
    gt_device_close(&device);
    return status;
}

static struct json_object *summary(const struct gt_cli *cli)
{
    struct json_object *o = json_object_new_object();
    bool ok = gt_json_set_int(o, "samples", samples) && gt_json_set_int(o, "variants", variants) &&
              gt_json_set_text(o, "format", format_names[format]) && gt_json_set_int(o, "seed", cli->seed);
    return gt_json_if_complete(o, ok);
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
    .summary = "simulate genotypes, or matrices of random numbers",
    .synopsis = "--samples N --variants M [OPTION...] [-O FORMAT] [-o OUT]",
    .examples = "  gt-sim --samples 2504 --variants 1e6 --pops 5 --missing 0.01 -o sim.zarr\n"
                "  gt-sim --samples 500 --variants 2e4 --ld 100 --phased -o sim.vcf.gz\n"
                "  gt-sim --samples 1000 --variants 1e5 --uniform 0..2 -o random.zarr\n",
    .options = options,
    .shared = GT_SHARED_RESOURCES | GT_SHARED_DEVICE | GT_SHARED_WATCH | GT_SHARED_OUTPUT | GT_SHARED_SEED,
    .ranks = true,
    .check = check,
    .run = run,
};

int main(int argc, char **argv)
{
    return gt_cli_main(argc, argv, &command);
}
