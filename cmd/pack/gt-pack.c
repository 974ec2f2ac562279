/* gt-pack: converts VCF, BCF, PLINK or EIGENSTRAT genotypes to a Zarr store. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "calc/convert/pack.h"
#include "cmd/common/cli.h"
#include "cmd/common/formats.h"
#include "cmd/common/outputs.h"
#include "cmd/common/ranks.h"
#include "cmd/common/report.h"
#include "cmd/common/resume.h"
#include "cmd/common/store_files.h"
#include "cmd/common/store_opts.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "geno/model/ploidy.h"
#include "geno/select/filter_table.h"
#include "storage/archive/store_create.h"

static const char *chunks, *shard, *codec;
static const char *wanted;
static bool local_alleles, no_update, lenient;
static int zarr_format, layout = -1; /* indices into the choices */
enum { LAYOUT_PACKED, LAYOUT_VCZ };

static const struct gt_opt options[] = {
    {0, "layout", GT_OPT_CHOICE, &layout, NULL, "packed|vcz", "packed: 2 bits per genotype (default); vcz: all fields of a VCF"},
    {0, "chunks", GT_OPT_TEXT, &chunks, "SHAPE", NULL, "chunk shape, variants=N,samples=M (default: by data size)"},
    {0, "shard", GT_OPT_TEXT, &shard, "SHAPE", NULL, "Zarr 3: put chunks into shards of this shape, one file each"},
    {0, "codec", GT_OPT_TEXT, &codec, "SPEC", NULL, "compression: zstd:1, gzip:6, lz4, blosc:..., none"},
    {0, "zarr-format", GT_OPT_CHOICE, &zarr_format, NULL, "2|3", "Zarr format version (default 2)"},
    {0, "fields", GT_OPT_TEXT, &wanted, "LIST", NULL, "vcz: fields to keep (default all; INFO/AC,FORMAT/DP,GT; none)"},
    {0, "lenient", GT_OPT_FLAG, &lenient, NULL, NULL, "vcz: read a missing number in a list such as '5,' as a missing value"},
    {'I', "no-update", GT_OPT_FLAG, &no_update, NULL, NULL, "vcz: keep INFO/AC, AN and AF when samples are selected"},
    {0, "local-alleles", GT_OPT_FLAG, &local_alleles, NULL, NULL, "vcz: store AD and PL only for the alleles of each call"},
    {0},
};

static void print_ranks(int ranks, int dealt, int inputs)
{
    char n[GT_THINGS_LEN];
    printf("ranks          %d: each ", ranks);
    if (dealt == inputs)
        printf("parses its share of the lines");
    else if (dealt)
        printf("parses its share of the lines of %s, reads all of %d other%s", gt_format_things(n, dealt, "input"), inputs - dealt,
               inputs - dealt == 1 ? " input" : "s");
    else
        printf("reads all of the input");
    printf(" and encodes its share of the row groups; rank 0 writes\n");
}

/* dealt: inputs, see gt_source_dealt. */
static void print_plan(const struct gt_cli *cli, const struct gt_pack_plan *plan, const struct gt_geno_info *info, int dealt)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];

    gt_print_inputs(cli, info);
    printf("output         %s, Zarr %d, %s\n", gt_is_stdout(cli->output) ? "standard output (tar stream)" : cli->output, zarr_format + 2,
           codec ? codec : "zstd:1");
    gt_print_chunks((int64_t[]){plan->shape.chunk_variants, plan->shape.chunk_samples},
                    (int64_t[]){plan->shape.inner_variants, plan->shape.inner_samples});
    printf("sites          %s variants in a chunk\n", gt_format_count(a, plan->shape.site_variants));
    gt_print_files(&plan->shape, cli->output);
    if (plan->row_groups >= 0)
        printf("row groups     %s, of %lld genotype %s each\n", gt_format_count(a, plan->row_groups), (long long)plan->sample_chunks,
               plan->shape.inner_variants ? "shards" : "chunks");
    printf("row group      %s of buffers, %s for those in flight\n", gt_format_size(a, plan->shape.row_group_bytes),
           gt_format_size(b, plan->allotment[GT_PACK_ROW_GROUPS].size));
    if (cli->comm.size > 1)
        print_ranks(cli->comm.size, dealt, cli->n_operands);
    gt_print_memory(cli);
    printf("threads        %d\n", cli->engine.limits.threads);
}

/* Options that say how calls become dosages, or rows. */
static const char *of_dosages(const struct gt_select_opts *s)
{
    return s->split                               ? "--split-multiallelic"
           : gt_filters_given(s, GT_FILTER_CALLS) ? NULL
           : s->sex                               ? "--sex"
           : s->half_call != GT_HALF_UNSAID       ? "--half-call"
           : s->polyploid != GT_POLYPLOID_UNSAID  ? "--polyploid"
                                                  : NULL;
}

static int check_layout(const struct gt_cli *cli, struct gt_err *err)
{
    const char *option = of_dosages(&cli->select);

    if (layout == LAYOUT_VCZ && cli->comm.size > 1) {
        gt_fail(err, GT_USAGE, "--layout vcz runs in one process, and %d were started", cli->comm.size);
        gt_hint(err, "pack contigs as tasks of an array job: see gt-cluster(7)");
        return GT_USAGE;
    }
    if (layout == LAYOUT_VCZ && option)
        return gt_fail(err, GT_USAGE, "%s changes how allele counts are made, but --layout vcz keeps the calls as they are", option);
    if (wanted && !*wanted)
        return gt_fail(err, GT_USAGE, "--fields '': use 'none' for no fields, 'all' for all");
    if (layout == LAYOUT_PACKED && (wanted || local_alleles || no_update || lenient))
        return gt_fail(err, GT_USAGE, "%s needs --layout vcz",
                       wanted          ? "--fields"
                       : local_alleles ? "--local-alleles"
                       : no_update     ? "--no-update"
                                       : "--lenient");
    if (local_alleles && cli->select.ploidy && cli->select.ploidy != GT_DIPLOID)
        return gt_fail(err, GT_USAGE, "--local-alleles is for diploid calls, and --ploidy says %lld", (long long)cli->select.ploidy);
    return 0;
}

static int check(struct gt_cli *cli, struct gt_err *err)
{
    int status = gt_format_choose("gt-pack", cli->output, "packed|vcz", layout, &layout, err);
    status = status ? status : check_layout(cli, err);
    status = status ? status : gt_ranks_need_directory(cli, NULL, err);
    return status ? status : gt_output_add("-o", cli->output, "store", err);
}

enum { SPEED_LEN = 2 * GT_NUM_LEN + 16 };

struct summary {
    const struct gt_pack_stats *pack;
    const struct gt_select_stats *select;
    double seconds, missing_rate, bits;
};

/* "512 MiB read at 300 MiB/s"; of inputs whose bytes are not counted, the genotypes made. */
static const char *speed_of(const struct gt_cli *cli, const struct summary *s, char text[SPEED_LEN])
{
    const int64_t read = atomic_load(&cli->engine.pass.done);
    const double seconds = s->seconds > 0.001 ? s->seconds : 0.001;
    char a[GT_NUM_LEN], b[GT_NUM_LEN];

    if (read > 0)
        snprintf(text, SPEED_LEN, "%s read at %s/s", gt_format_size(a, read), gt_format_size(b, (int64_t)((double)read / seconds)));
    else
        snprintf(text, SPEED_LEN, "%.3g genotypes/s", (double)s->pack->samples * (double)s->pack->variants / seconds);
    return text;
}

static void say_summary(struct gt_cli *cli, const struct summary *s)
{
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN], c[GT_NUM_LEN], d[GT_NUM_LEN], speed[SPEED_LEN];

    gt_note(cli, "%s, %s, %.4g %% missing: genotypes %s (%.3g bits each), all arrays %s, %.2f s (%s)",
            gt_format_things(a, s->pack->samples, "sample"), gt_format_things(b, s->pack->variants, "variant"), 100 * s->missing_rate,
            gt_format_size(c, s->pack->bytes_stored), s->bits, gt_format_size(d, s->pack->bytes_all), s->seconds, speed_of(cli, s, speed));
}

static struct json_object *json_dropped(const struct gt_select_stats *s)
{
    struct json_object *o = json_object_new_object();
    const struct gt_filter_row *row;
    bool ok = o;
    for (size_t k = 0; ok && (row = gt_filter_row(k)); k++)
        ok = !row->key || gt_json_set_int(o, row->key, *(const int64_t *)((const char *)s + row->counter));

    return gt_json_if_complete(o, ok);
}

static int print_json(const struct gt_cli *cli, const struct summary *s, struct gt_err *err)
{
    const int64_t read = atomic_load(&cli->engine.pass.done); /* of inputs whose bytes are not counted, 0 */
    struct json_object *o = json_object_new_object();
    bool ok = gt_json_set_int(o, "samples", s->pack->samples) && gt_json_set_int(o, "variants", s->pack->variants) &&
              gt_json_set_int(o, "samples_in", s->select->samples_in) && gt_json_set_int(o, "variants_in", s->select->sites_in) &&
              gt_json_set_int(o, "split_rows", s->select->split_rows) && gt_json_set(o, "dropped", json_dropped(s->select)) &&
              gt_json_set_int(o, "multiallelic", s->select->multiallelic) && gt_json_set_int(o, "half_calls", s->select->half_calls) &&
              gt_json_set_int(o, "haploid_calls", s->select->haploid_calls) &&
              gt_json_set_int(o, "het_haploid_calls", s->select->het_haploid_calls) &&
              gt_json_set_int(o, "polyploid_calls", s->select->polyploid_calls) && gt_json_set_real(o, "missing_rate", s->missing_rate) &&
              gt_json_set_int(o, "genotype_bytes_raw", s->pack->bytes_raw) &&
              gt_json_set_int(o, "genotype_bytes_stored", s->pack->bytes_stored) && gt_json_set_real(o, "bits_per_genotype", s->bits) &&
              gt_json_set_int(o, "bytes_stored", s->pack->bytes_all) && gt_json_set_int(o, "row_groups_kept", s->pack->kept) &&
              gt_json_set_int(o, "files", gt_store_is_directory(cli->output) ? s->pack->files : 1) &&
              gt_json_set_real(o, "seconds", s->seconds) &&
              (read > 0 ? gt_json_set_int(o, "bytes_read", read) : gt_json_set_shared(o, "bytes_read", NULL)) &&
              gt_json_set_int(o, "threads", cli->engine.limits.threads);

    return gt_print_summary(cli, gt_json_if_complete(o, ok), err);
}

/* *there: under --resume it was finished before. */
static int write_store(struct gt_cli *cli, struct gt_source *source, const struct gt_pack_opts *opts, struct gt_pack_stats *stats,
                       bool *there, struct gt_err *err)
{
    struct gt_store *out;
    int rc = gt_resume_create(cli, &out, err);
    *there = !rc && !out;
    if (!out)
        return rc;
    rc = gt_pack_run(&cli->engine, source, out, opts, stats, err);
    return gt_resume_finish(cli, out, rc, err);
}

static int pack(struct gt_cli *cli, struct gt_source *source, struct gt_pack_opts *opts, struct gt_err *err)
{
    struct gt_pack_stats stats;
    struct summary s = {.pack = &stats, .select = gt_source_stats(source)};
    double genotypes;
    char n[GT_THINGS_LEN];
    bool there;
    int rc = write_store(cli, source, opts, &stats, &there, err);

    if (rc || there)
        return rc;
    if (stats.kept)
        gt_note(cli, "%s were already complete", gt_format_things(n, stats.kept, "row group"));
    if (!(gt_source_info(source)->has & GT_HAS_DOSAGES))
        gt_warn(cli, "--slice selects one allele of each call; its index is stored as the allele count");
    genotypes = (double)stats.variants * (double)stats.samples;
    s.seconds = gt_elapsed(cli);
    s.missing_rate = s.select->genotypes ? (double)s.select->missing / (double)s.select->genotypes : 0;
    s.bits = genotypes > 0 ? 8 * (double)stats.bytes_stored / genotypes : 0;
    if (layout == LAYOUT_PACKED) {
        gt_report_source(cli, source);
        gt_report_collapsed(cli, source, false);
    } else {
        gt_report_records(cli, source);
    }
    if (stats.undeclared)
        gt_warn(cli, "%s of fields that the header does not declare %s dropped; the first is %s",
                gt_format_things(n, stats.undeclared, "value"), stats.undeclared == 1 ? "is" : "are", stats.undeclared_name);
    if (stats.literals.n)
        gt_warn(cli,
                "%s -1 or -2 (%s): VCF Zarr uses these numbers for missing values; gt-unpack restores them, other programs read them as "
                "missing",
                gt_format_things(n, stats.literals.n, "value"), stats.literals.names);
    if (stats.local_literals.n)
        gt_warn(cli, "%s -1 or -2 (%s): VCF Zarr uses these numbers for missing values, and with --local-alleles they become missing",
                gt_format_things(n, stats.local_literals.n, "value"), stats.local_literals.names);
    say_summary(cli, &s);
    gt_note_files(cli, cli->output, stats.files, false);
    return cli->json ? print_json(cli, &s, err) : 0;
}

static int check_source(const struct gt_source *source, struct gt_err *err)
{
    const struct gt_geno_info *other = layout == LAYOUT_VCZ ? gt_source_lacking(source, GT_HAS_RECORDS) : NULL;

    if (!other)
        return 0;
    gt_fail(err, GT_USAGE, "--layout vcz reads VCF, BCF, PLINK and EIGENSTRAT; '%s' is a %s", other->name, other->kind);
    gt_hint(err, "convert it first: gt-unpack -O vcf %s", other->name);
    return GT_USAGE;
}

static int run(struct gt_cli *cli, struct gt_err *err)
{
    struct gt_pack_opts opts = {.codec = codec, .zarr_format = zarr_format + 2, .history = cli->history};
    struct gt_source_opts from = {.paths = cli->operands,
                                  .n_paths = cli->n_operands,
                                  .array = cli->array,
                                  .select = &cli->select,
                                  .fields = GT_SITE_ALL,
                                  .deal = true};
    struct gt_source *source = NULL;
    struct gt_pack_plan plan;
    int64_t chunk[2] = {0, 0}, in_shard[2] = {0, 0};
    int rc = gt_chunks_parse(chunks, chunk, err);

    rc = rc ? rc : gt_shard_parse(shard, opts.zarr_format, in_shard, err);
    opts.chunk_variants = chunk[0];
    opts.chunk_samples = chunk[1];
    opts.shard_variants = in_shard[0];
    opts.shard_samples = in_shard[1];
    opts.fields = layout == LAYOUT_VCZ;
    opts.wanted = wanted;
    opts.ploidy = cli->select.ploidy;
    opts.local_alleles = local_alleles;
    opts.lenient = lenient;
    cli->select.no_update = no_update;
    opts.recount = gt_select_recounts(&cli->select);
    from.fields |= opts.fields ? GT_SITE_RECORD : 0;
    opts.stream = gt_store_is_stream(cli->output);
    rc = rc ? rc : gt_source_open(&source, &cli->engine, &from, err);
    rc = rc ? rc : check_source(source, err);
    rc = rc ? rc : gt_pack_plan_make(&plan, &cli->engine, gt_source_info(source), &opts, err);
    if (!rc && cli->dry_run) {
        print_plan(cli, &plan, gt_source_info(source), gt_source_dealt(source));
        gt_print_notes(cli, gt_source_notes(source));
        rc = cli->resume ? gt_resume_print(cli, -1, err) : 0;
    }
    if (!rc && !cli->dry_run)
        rc = pack(cli, source, &opts, err);
    if (!rc && opts.fields && !chunk[0] && !shard && plan.shape.chunk_variants < 1000)
        gt_note(cli, "chunks have %lld variants, since 1,000 do not fit in --memory", (long long)plan.shape.chunk_variants);
    gt_source_free(source);
    return rc;
}

static const struct gt_cmd command = {
    .name = "gt-pack",
    .summary = "convert VCF, BCF, PLINK or EIGENSTRAT genotypes to a Zarr store",
    .synopsis = "[-o OUT] [--layout packed|vcz] [--codec SPEC] [IN...]",
    .examples = "  gt-pack cohort.vcf.gz -o cohort.zarr\n"
                "  gt-pack -@ 8 --maf 0.01 chr*.bcf -o cohort.zip\n"
                "  gt-pack cohort.vcf.gz -o cohort.vcz\n"
                "  bcftools view -v snps x.bcf | gt-pack | gt-pdist -o dist.tsv\n",
    .options = options,
    .shared = GT_SHARED_RESOURCES | GT_SHARED_WATCH | GT_SHARED_SELECT | GT_SHARED_OUTPUT | GT_SHARED_RESUME,
    .check = check,
    .takes_input = true,
    .ranks = true,
    .run = run,
};

int main(int argc, char **argv)
{
    return gt_cli_main(argc, argv, &command);
}
