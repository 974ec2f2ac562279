/* gt-unpack: writes the genotypes of a store, or of any other input, as VCF, BCF, PLINK .bed or .pgen, or .npy. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calc/convert/unpack.h"
#include "cmd/common/cli.h"
#include "cmd/common/formats.h"
#include "cmd/common/outputs.h"
#include "cmd/common/report.h"
#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "geno/plink/plink.h"
#include "geno/select/filter_table.h"
#include "geno/vcf/vcf_writers.h"
#include "geno/writers/geno_writers.h"
#include "storage/bgzf/bgzf.h"
#include "storage/input/input.h"
#include "storage/text/text_file.h"

#define FORMATS "vcf|bcf|bed|pgen|npy"
enum { FORMAT_VCF, FORMAT_BCF, FORMAT_BED, FORMAT_PGEN, FORMAT_NPY };

static int format = -1;
/* Of libdeflate, for BCF. */
#define BCF_LEVEL 4

static int64_t level = -1;
static bool skip_multiallelic, no_update;
static bool with_alts; /* the source gives the ALTs of multiallelic calls, beside codes */

static const struct gt_opt options[] = {
    {'O', "output-format", GT_OPT_CHOICE, &format, NULL, FORMATS, "output format (default: by file name, else vcf)"},
    {'I', "no-update", GT_OPT_FLAG, &no_update, NULL, NULL, "keep INFO/AC, AN and AF when samples are selected"},
    {0, "skip-multiallelic", GT_OPT_FLAG, &skip_multiallelic, NULL, NULL, "leave out variants with more than one ALT allele"},
    {0, "level", GT_OPT_COUNT, &level, "N", NULL, "compression level, 1 to 12 (default: BCF 4, VCF.gz 1)"},
    {0},
};

static const char *const names[] = {"VCF", "BCF", "PLINK .bed, .bim, .fam", "PLINK .pgen, .pvar, .psam", "NumPy array of int8"};

/* --- what is written ------------------------------------------------------------- */

static int level_of(const char *path)
{
    bool packed = format == FORMAT_BCF || (format == FORMAT_VCF && gt_text_is_packed(path));
    return !packed ? 0 : level >= 0 ? (int)level : format == FORMAT_BCF ? BCF_LEVEL : GT_TEXT_LEVEL;
}

static bool is_indexed(const char *path)
{
    return level_of(path) && !gt_is_stream(path);
}

static int check_level(const char *path, struct gt_err *err)
{
    if (level < 0)
        return 0;
    if (level < 1 || level > GT_BGZF_MOST)
        return gt_fail(err, GT_USAGE, "--level %lld is not between 1 and %d", (long long)level, GT_BGZF_MOST);
    if (level_of(path))
        return 0;
    return gt_fail(err, GT_USAGE, "--level needs BCF or VCF.gz; the output is %s", names[format]);
}

static int add_outputs(const char *path, struct gt_err *err)
{
    static const char *const kinds[] = {"vcf", "bcf", "bed", "pgen", "npy"};
    int status;

    if (format == FORMAT_BED || format == FORMAT_PGEN)
        return (format == FORMAT_BED ? gt_output_add_bed : gt_output_add_pgen)("-o", path, err);
    status = gt_output_add("-o", path, kinds[format], err);
    if (!status && is_indexed(path))
        status = gt_output_add_sidecar("-o", path, ".csi", "csi", err);
    if (!status && format == FORMAT_NPY && !gt_is_stream(path))
        status = gt_output_add_sidecar("-o", path, ".id", "id", err);
    return status;
}

static int check(struct gt_cli *cli, struct gt_err *err)
{
    int status = gt_format_choose("gt-unpack", cli->output, FORMATS, format, &format, err);

    if (!status && format == FORMAT_BED && gt_is_stdout(cli->output))
        status = gt_fail(err, GT_USAGE, "-O bed writes PREFIX.bed, PREFIX.bim and PREFIX.fam: it needs -o PREFIX");
    if (!status && format == FORMAT_PGEN && gt_is_stdout(cli->output))
        status = gt_fail(err, GT_USAGE, "-O pgen writes PREFIX.pgen, PREFIX.pvar and PREFIX.psam: it needs -o PREFIX");
    status = status ? status : check_level(cli->output, err);
    status = status ? status : gt_check_version(cli, format == FORMAT_VCF || format == FORMAT_BCF, "VCF or BCF", err);
    return status ? status : add_outputs(cli->output, err);
}

/* What the format has that the input has not. */
static int check_has(const struct gt_geno_info *info, struct gt_err *err)
{
    unsigned lacks = (GT_HAS_CONTIGS | GT_HAS_POSITIONS | GT_HAS_ALLELES) & ~info->has;

    if (!(info->has & GT_HAS_DOSAGES))
        return gt_fail(err, GT_USAGE, "--slice selects one allele of each call, which is not a genotype");
    if (!lacks || format == FORMAT_NPY)
        return 0;
    gt_fail(err, GT_INPUT, "'%s' has no %s, which %s needs", info->name,
            lacks & GT_HAS_CONTIGS     ? "contigs"
            : lacks & GT_HAS_POSITIONS ? "positions"
                                       : "alleles",
            names[format]);
    gt_hint(err, "write only genotypes with -O npy");
    return GT_INPUT;
}

/* Records and header of VCF and BCF are filtered, not made anew. */
static bool copies_records(const struct gt_geno_info *info)
{
    return (format == FORMAT_VCF || format == FORMAT_BCF) && (info->has & GT_HAS_RECORDS) && info->head.len;
}

/* All that the input says of a variant is written, where it is a store that has more than dosages, or VCF. */
static bool whole_records(const struct gt_geno_info *info)
{
    return ((format == FORMAT_VCF || format == FORMAT_BCF) && (info->has & GT_HAS_COLUMNS)) || copies_records(info);
}

/* Rules of dosages do nothing to records, but for what filters count. */
static int check_rules(const struct gt_cli *cli, const struct gt_geno_info *info, struct gt_err *err)
{
    const struct gt_select_opts *o = &cli->select;
    const char *rule = o->sex ? "sex" : o->ploidy ? "ploidy" : o->half_call ? "half-call" : o->polyploid ? "polyploid" : NULL;
    if (!rule || !whole_records(info) || gt_filters_given(o, GT_FILTER_CALLS))
        return GT_OK;
    return gt_fail(err, GT_USAGE, "--%s does not apply: the calls of '%s' are written as they are", rule, info->name);
}

/* Calls with ALTs take twice the room; their phases, half a byte each, in the block, have room in that of the text. */
static int64_t variant_bytes(const struct gt_cli *cli, const struct gt_geno_info *info)
{
    const int64_t samples = with_alts ? 2 * info->n_samples : info->n_samples;

    if (copies_records(info))
        return gt_copy_variant_bytes(info, format == FORMAT_BCF, level_of(cli->output));
    if (whole_records(info))
        return gt_record_variant_bytes(info, level_of(cli->output));
    switch (format) {
    case FORMAT_VCF:
        return gt_vcf_variant_bytes(samples, level_of(cli->output));
    case FORMAT_BCF:
        return gt_bcf_variant_bytes(samples);
    case FORMAT_BED:
        return gt_bed_variant_bytes(samples);
    case FORMAT_PGEN:
        return gt_pgen_variant_bytes(info);
    default:
        return gt_npy_variant_bytes(samples);
    }
}

/* stats: of the source, which has chosen its samples. */
static int open_sink(const struct gt_cli *cli, const struct gt_geno_info *info, const struct gt_select_stats *stats,
                     struct gt_calls_sink **sink, struct gt_err *err)
{
    const bool some = cli->select.samples || cli->select.samples_file || info->n_samples < stats->samples_in;
    const struct gt_vcf_opts vcf = {.records = whole_records(info),
                                    .copied = copies_records(info),
                                    .called = with_alts,
                                    .recount = some && !no_update,
                                    .ends = true,
                                    .level = level_of(cli->output),
                                    .index = is_indexed(cli->output),
                                    .key = "gt_unpackCommand",
                                    .history = cli->history};
    const char *path = cli->comm.rank == 0 ? cli->output : NULL;

    if (vcf.copied)
        return gt_sink_copy(sink, path, format == FORMAT_BCF, &vcf, err);
    if (format == FORMAT_VCF)
        return gt_sink_vcf(sink, path, &vcf, err);
    if (format == FORMAT_BCF)
        return gt_sink_bcf(sink, path, &vcf, err);
    if (format == FORMAT_NPY)
        return gt_sink_npy(sink, path, err);
    char *prefix = path ? gt_strndup(path, gt_plink_stem(path), err) : NULL;
    int status = path && !prefix         ? GT_FAIL
                 : format == FORMAT_PGEN ? gt_sink_pgen(sink, prefix, cli->engine.tmpdir, err)
                                         : gt_sink_bed(sink, prefix, NULL, err);
    free(prefix);
    return status;
}

/* --- runs ---------------------------------------------------------------------------- */

static void print_plan(const struct gt_cli *cli, const struct gt_unpack_plan *plan, const struct gt_geno_info *info)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];

    gt_print_inputs(cli, info);
    printf("output         %s (%s%s)\n", gt_is_stdout(cli->output) ? "standard output" : cli->output, names[format],
           is_indexed(cli->output) ? ", with .csi" : "");
    printf("row group      %s variants, %s of buffers, %s for those in flight\n", gt_format_count(a, plan->row_group),
           gt_format_size(b, plan->row_group_bytes), gt_format_size((char[GT_NUM_LEN]){0}, plan->allotment[GT_UNPACK_ROW_GROUPS].size));
    if (cli->comm.size > 1)
        printf("ranks          %d: each reads all of the input and formats its share of the row groups; rank 0 writes\n", cli->comm.size);
    gt_print_memory(cli);
    printf("threads        %d\n", cli->engine.limits.threads);
}

static int print_json(const struct gt_cli *cli, const struct gt_select_stats *s, int64_t samples, int64_t variants, double seconds,
                      struct gt_err *err)
{
    struct json_object *o = json_object_new_object();
    bool ok = gt_json_set_int(o, "samples", samples) && gt_json_set_int(o, "variants", variants) &&
              gt_json_set_int(o, "samples_in", s->samples_in) && gt_json_set_int(o, "variants_in", s->sites_in) &&
              gt_json_set_int(o, "dropped_multiallelic", s->dropped_multiallelic) && gt_json_set_text(o, "format", names[format]) &&
              gt_json_set_real(o, "seconds", seconds);

    return gt_print_summary(cli, gt_json_if_complete(o, ok), err);
}

static int unpack(struct gt_cli *cli, struct gt_source *source, const struct gt_unpack_plan *plan, struct gt_err *err)
{
    const struct gt_geno_info *info = gt_source_info(source);
    struct gt_calls_sink *sink = NULL;
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN];
    int64_t variants = 0;
    int status = open_sink(cli, info, gt_source_stats(source), &sink, err);

    status = status ? status : gt_unpack_run(&cli->engine, source, plan, sink, &variants, err);
    if (!status) {
        (whole_records(info) ? gt_report_records : gt_report_source)(cli, source);
        if (!whole_records(info) && (info->has & GT_HAS_CALLS) && format != FORMAT_BED && format != FORMAT_NPY)
            gt_note(cli, with_alts ? "only GT was written" : "only GT was written, unphased");
        if (sink->note)
            gt_warn(cli, "'%s' has no index: %s", cli->output, sink->note);
        gt_note(cli, "%s, %s: %.2f s", gt_format_things(a, info->n_samples, "sample"), gt_format_things(b, variants, "variant"),
                gt_elapsed(cli));
    }
    if (sink)
        sink->ops->free(sink);
    if (!status && cli->json)
        status = print_json(cli, gt_source_stats(source), info->n_samples, variants, gt_elapsed(cli), err);
    return status;
}

/* Of VCF and BCF the records are wanted, unless calls are made anew; of a .pgen, the ALTs. */
static int look_at_first(const struct gt_cli *cli, struct gt_source_opts *from, struct gt_input *first, struct gt_err *err)
{
    const struct gt_select_opts *o = &cli->select;
    const bool anew = o->split || o->concat_samples || o->sex || o->ploidy || o->half_call || o->polyploid;
    if (!(from->fields & GT_SITE_COLUMNS))
        return GT_OK;
    int status = gt_input_open(first, from->paths[0], err);
    if (status)
        return status;
    from->opened = first;
    if (anew || first->kind == GT_KIND_PGEN)
        from->fields |= GT_SITE_MULTI | GT_SITE_CALLS | GT_SITE_PHASES;
    else if (first->kind == GT_KIND_VCF || first->kind == GT_KIND_VCF_BGZF || first->kind == GT_KIND_VCF_GZIP || first->kind == GT_KIND_BCF)
        from->fields |= GT_SITE_RECORD;
    return GT_OK;
}

static int run(struct gt_cli *cli, struct gt_err *err)
{
    struct gt_source_opts from = {.paths = cli->operands,
                                  .n_paths = cli->n_operands,
                                  .array = cli->array,
                                  .select = &cli->select,
                                  .fields = format == FORMAT_NPY    ? GT_SITE_MULTI
                                            : format == FORMAT_BED  ? GT_SITE_ALL
                                            : format == FORMAT_PGEN ? GT_SITE_ALL | GT_SITE_MULTI | GT_SITE_CALLS | GT_SITE_PHASES
                                                                    : GT_SITE_ALL | GT_SITE_COLUMNS};
    struct gt_source *source = NULL;
    struct gt_unpack_plan plan;
    struct gt_input first = {.fd = -1};

    cli->select.one_alt = skip_multiallelic;
    cli->select.no_update = no_update;
    int status = look_at_first(cli, &from, &first, err);
    status = status ? status : gt_source_open(&source, &cli->engine, &from, err);
    gt_input_release(&first);
    if (!status)
        with_alts = from.fields & GT_SITE_CALLS;
    status = status ? status : check_has(gt_source_info(source), err);
    status = status ? status : check_rules(cli, gt_source_info(source), err);
    if (!status) {
        const struct gt_geno_info *info = gt_source_info(source);
        status = gt_unpack_plan_make(&plan, &cli->engine, info, variant_bytes(cli, info),
                                     format == FORMAT_PGEN ? gt_pgen_row_group_bytes(info) : 0, err);
    }
    if (!status && cli->dry_run) {
        print_plan(cli, &plan, gt_source_info(source));
        gt_print_notes(cli, gt_source_notes(source));
    } else if (!status) {
        status = unpack(cli, source, &plan, err);
    }
    gt_source_free(source);
    return status;
}

static const struct gt_cmd command = {
    .name = "gt-unpack",
    .summary = "convert a genotype store to VCF, BCF, PLINK or NumPy",
    .synopsis = "[-O vcf|bcf|bed|pgen|npy] [-o OUT] [IN...]",
    .examples = "  gt-unpack cohort.zarr | bcftools view -H | head\n"
                "  gt-unpack cohort.zarr -r 22:16050000-17000000 -o part.vcf.gz\n"
                "  gt-unpack --skip-multiallelic cohort.zarr -o cohort.bed\n",
    .options = options,
    .shared = GT_SHARED_RESOURCES | GT_SHARED_WATCH | GT_SHARED_SELECT | GT_SHARED_OUTPUT,
    .check = check,
    .takes_input = true,
    .ranks = true,
    .run = run,
};

int main(int argc, char **argv)
{
    return gt_cli_main(argc, argv, &command);
}
