/* The options that commands share: names, defaults and help in one place. */
#include "config.h"

#include "cmd/common/options.h"
#include "storage/text/text_file.h"

static struct gt_cli shared = {
    .output = "-",
    .version = true,
    .threads = -1,
    .io_threads = -1,
    .memory = -1,
    .device_memory = -1,
    .ranks = -1,
    .timeout = 60,
    .select = {.geno = -1,
               .mind = -1,
               .maf = -1,
               .hwe = -1,
               .mac = -1,
               .thin = -1,
               .thin_count = -1,
               .bp_space = -1,
               .min_alleles = -1,
               .max_alleles = -1,
               .ploidy = -1},
};
static int64_t plot_width = -1, plot_dpi = -1;
static int half_call = -1, polyploid = -1, rm_dup = -1, concat = 0, overlap = -1,
           missing_chunks = 0; /* indices into the choices; -1 = not given */

static const enum gt_overlap overlaps[] = {GT_OVERLAP_POS, GT_OVERLAP_RECORD, GT_OVERLAP_VARIANT};

static const struct gt_opt output_options[] = {
    {'o', "output", GT_OPT_TEXT, &shared.output, "FILE", NULL, "write to FILE (default: standard output)"},
    {0},
};

static const struct gt_opt force_options[] = {
    {'f', "force", GT_OPT_FLAG, &shared.force, NULL, NULL, "replace an existing store, or a file of another type"},
    {0},
};

static const struct gt_opt store_options[] = {
    {0, "no-version", GT_OPT_NEGATE, &shared.version, NULL, NULL, "do not record the command line, so that output is reproducible"},
    {0},
};

static const struct gt_opt resume_options[] = {
    {0, "resume", GT_OPT_FLAG, &shared.resume, NULL, NULL, "continue an interrupted run from OUT.partial; do nothing if OUT is complete"},
    {0, "verify", GT_OPT_FLAG, &shared.verify, NULL, NULL, "read the output back and compare it before it is renamed to OUT"},
    {0},
};

static const struct gt_opt array_options[] = {
    {0, "array", GT_OPT_TEXT, &shared.array, "PATH", NULL, "array or group inside the store"},
    {0},
};

static const struct gt_opt place_options[] = {
    {'s', "samples", GT_OPT_TEXT, &shared.select.samples, "LIST", NULL, "keep samples A,B,...; ^A,B,... excludes them"},
    {'S', "samples-file", GT_OPT_READS, &shared.select.samples_file, "FILE", NULL,
     "keep the samples listed in FILE, one per line; ^FILE excludes them"},
    {'r', "regions", GT_OPT_TEXT, &shared.select.regions, "LIST", NULL, "keep variants in CHR[:FROM-TO],... (1-based, inclusive)"},
    {'R', "regions-file", GT_OPT_READS, &shared.select.regions_file, "FILE", NULL,
     "keep variants in the regions of FILE (0-based if it ends in .bed)"},
    {0, "regions-overlap", GT_OPT_CHOICE, &overlap, NULL, "pos|record|variant|0|1|2", "what must overlap a region (default record)"},
    {0, "strict", GT_OPT_FLAG, &shared.select.strict, NULL, NULL, "fail if a named sample, contig or variant ID is absent"},
    {0, "skip-absent", GT_OPT_FLAG, &shared.select.skip_absent, NULL, NULL, "continue even if all names that an option gives are absent"},
    {0},
};

static const struct gt_opt select_options[] = {
    {0, "keep-fam", GT_OPT_READS, &shared.select.keep_fam, "FILE", NULL, "keep samples of the families in FILE; ^FILE excludes them"},
    {0, "contigs", GT_OPT_TEXT, &shared.select.contigs, "LIST", NULL, "keep contigs A,B or 1-22, 'autosomes' or 'all'; ^LIST excludes"},
    {0, "not-chr", GT_OPT_TEXT, &shared.select.not_chr, "LIST", NULL, "exclude contigs A,B,..., as --contigs ^A,B"},
    {0, "exclude-long-range", GT_OPT_READS, &shared.select.exclude_long_range, "b37|b38|FILE", NULL, "exclude regions of long-range LD"},
    {0, "extract", GT_OPT_READS, &shared.select.extract, "FILE", NULL, "keep variants whose IDs are in FILE"},
    {0, "exclude", GT_OPT_READS, &shared.select.exclude, "FILE", NULL, "exclude variants whose IDs are in FILE"},
    {0, "concat", GT_OPT_CHOICE, &concat, NULL, "variants|samples", "axis along which inputs are concatenated (default variants)"},
    {0, "sites", GT_OPT_READS, &shared.select.sites, "STORE", NULL, "take positions and alleles from STORE, for calls stored without them"},
    {0, "set-all-var-ids", GT_OPT_TEXT, &shared.select.var_ids, "FORM", NULL,
     "make variant IDs such as @:#:$r:$a: contig, position, REF, ALT"},
    {0, "mask", GT_OPT_READS, &shared.select.mask, "STORE[/ARRAY]", NULL, "keep variants where a boolean array is true"},
    {0, "geno", GT_OPT_RATE, &shared.select.geno, "F", NULL, "exclude variants with a missing rate above F"},
    {0, "mind", GT_OPT_RATE, &shared.select.mind, "F", NULL, "exclude samples with a missing rate above F, before --geno and --maf"},
    {0, "maf", GT_OPT_RATE, &shared.select.maf, "F", NULL, "exclude variants with a minor allele frequency below F"},
    {0, "mac", GT_OPT_COUNT, &shared.select.mac, "N", NULL, "exclude variants with a minor allele count below N"},
    {0, "hwe", GT_OPT_RATE, &shared.select.hwe, "P", NULL, "exclude variants with a Hardy-Weinberg exact test p-value below P"},
    {0, "ld-prune", GT_OPT_TEXT, &shared.select.ld_prune, "WINDOW,R2", NULL,
     "prune by LD as plink --indep-pairwise: 1000kb,0.1 or 50,5,0.2"},
    {0, "snps", GT_OPT_FLAG, &shared.select.snps, NULL, NULL, "keep SNPs only"},
    {0, "biallelic", GT_OPT_FLAG, &shared.select.biallelic, NULL, NULL, "keep records with REF and one ALT, as bcftools view -m2 -M2"},
    {0, "min-alleles", GT_OPT_COUNT, &shared.select.min_alleles, "N", NULL, "keep records with at least N alleles, counting REF"},
    {0, "max-alleles", GT_OPT_COUNT, &shared.select.max_alleles, "N", NULL, "keep records with at most N alleles, counting REF"},
    {0, "polymorphic", GT_OPT_FLAG, &shared.select.polymorphic, NULL, NULL, "keep variants with two or more alleles in the kept samples"},
    {0, "split-multiallelic", GT_OPT_FLAG, &shared.select.split, NULL, NULL, "make one row per ALT; the other ALTs count as REF"},
    {0, "rm-dup", GT_OPT_CHOICE, &rm_dup, NULL, "force-first|error",
     "of variants with the same position and alleles, keep the first or fail"},
    {0, "pass", GT_OPT_FLAG, &shared.select.pass, NULL, NULL, "keep variants whose FILTER is PASS"},
    {0, "thin", GT_OPT_COUNT, &shared.select.thin, "N", NULL, "keep every Nth variant"},
    {0, "thin-count", GT_OPT_COUNT, &shared.select.thin_count, "N", NULL, "keep N random variants of those that pass the filters"},
    {0, "bp-space", GT_OPT_COUNT, &shared.select.bp_space, "N", NULL, "drop variants less than N bases after the one kept before"},
    {0, "slice", GT_OPT_TEXT, &shared.select.slice, "SLICE", NULL, "NumPy slice of variants and samples, such as '::10,:100'"},
    {0, "require-sites", GT_OPT_COUNT, &shared.select.require_sites, "N", NULL, "fail if fewer than N variants remain"},
    {0, "ploidy", GT_OPT_COUNT, &shared.select.ploidy, "N", NULL, "ploidy of the data, 1 or 2 (default: detected from the calls)"},
    {0, "sex", GT_OPT_READS, &shared.select.sex, "FILE|auto", NULL,
     "treat males as haploid on X and Y (FILE: IID SEX; auto: sexes of the input)"},
    {0, "half-call", GT_OPT_CHOICE, &half_call, NULL, "missing|haploid|reference|error",
     "how to treat calls such as ./1 (default missing)"},
    {0, "polyploid", GT_OPT_CHOICE, &polyploid, NULL, "error|missing", "how to treat calls of more than two alleles (default error)"},
    {0},
};

static const struct gt_opt resource_options[] = {
    {'@', "threads", GT_OPT_COUNT, &shared.threads, "N", NULL, "computing threads (default: GT_THREADS, else all CPUs available)"},
    {0, "memory", GT_OPT_SIZE, &shared.memory, "SIZE", NULL, "memory limit of the whole process (default: GT_MEMORY, else 60 % of RAM)"},
    {0},
};

static const struct gt_opt device_options[] = {
    {0, "device", GT_OPT_TEXT, &shared.device, "cpu|cuda[:N]|auto", NULL, "where to compute (default: GT_DEVICE, else cpu)"},
    {0, "device-memory", GT_OPT_SIZE, &shared.device_memory, "SIZE", NULL, "memory limit on the device (default: 90 % of what is free)"},
    {0},
};

static const struct gt_opt rank_options[] = {
    {0, "mpi", GT_OPT_CHOICE, &shared.mpi, NULL, "auto|off|node|openmpi|mpich", "how ranks talk (default: GT_MPI, else auto)"},
    {0},
};

static const struct gt_opt plan_options[] = {
    {0, "ranks", GT_OPT_COUNT, &shared.ranks, "N", NULL, "with -n: plan for N ranks (default: those that run)"},
    {0},
};

static const struct gt_opt input_options[] = {
    {0, "io", GT_OPT_COUNT, &shared.io_threads, "N", NULL, "reader threads, or requests in flight for URLs (default 2; URLs 8)"},
    {0, "timeout", GT_OPT_REAL, &shared.timeout, "SECONDS", NULL, "URLs: give up after SECONDS without data (default 60)"},
    {0, "missing-403", GT_OPT_FLAG, &shared.missing_403, NULL, NULL, "URLs: treat status 403 as a missing chunk"},
    {0, "missing-chunks", GT_OPT_CHOICE, &missing_chunks, NULL, "fill|error",
     "treat missing chunks as fill values, or fail (default fill)"},
    {0, "tmpdir", GT_OPT_TEXT, &shared.tmpdir, "DIR", NULL, "directory for temporary files (default: TMPDIR, else /tmp)"},
    {0},
};

static const struct gt_opt plot_options[] = {
    {0, "plot-width", GT_OPT_COUNT, &plot_width, "N", NULL, "width of --plot FILE.png or FILE.pdf in pixels of 1/96 inch"},
    {0, "plot-dpi", GT_OPT_COUNT, &plot_dpi, "N", NULL, "resolution of --plot FILE.png (default 192)"},
    {0},
};

static const struct gt_opt seed_options[] = {
    {0, "seed", GT_OPT_COUNT, &shared.seed, "N", NULL, "random seed (default 0)"},
    {0},
};

static const struct gt_opt watch_options[] = {
    {'n', "dry-run", GT_OPT_FLAG, &shared.dry_run, NULL, NULL, "print the plan and stop"},
    {0, "json", GT_OPT_FLAG, &shared.json, NULL, NULL, "print the summary as JSON"},
    {0, "progress", GT_OPT_YES, &shared.progress, NULL, "line|full", "show progress: a line (default on a terminal), or a few lines"},
    {0, "no-progress", GT_OPT_NO, &shared.progress, NULL, NULL, "do not show progress"},
    {0, "trace", GT_OPT_WRITES, &shared.trace, "FILE", "trace", "write a timeline of all threads (Chrome trace JSON)"},
    {0, "report", GT_OPT_WRITES, &shared.report, "FILE", "report", "write where the time went, as a page (.html) or figures (.json)"},
    {0, "graph", GT_OPT_WRITES, &shared.graph, "FILE", "graph", "draw the plan: steps, passes, data (.dot, .svg, .png, .pdf)"},
    {0, "log", GT_OPT_WRITES, &shared.log, "FILE", "log", "also write messages to FILE"},
    {'q', "quiet", GT_OPT_FLAG, &shared.quiet, NULL, NULL, "no notes or warnings on standard error"},
    {'v', "verbose", GT_OPT_FLAG, &shared.verbose, NULL, NULL, "report threads, memory and the time of each stage"},
    {0},
};

size_t gt_shared_groups(const struct gt_cmd *cmd, struct gt_opt_group_part *parts)
{
    const struct {
        bool taken;
        struct gt_opt_group_part part;
    } all[GT_SHARED_PARTS] = {
        {cmd->shared & (GT_SHARED_OUTPUT | GT_SHARED_FILE), {GT_GROUP_OUTPUT, output_options}},
        {cmd->shared & (GT_SHARED_OUTPUT | GT_SHARED_FILE | GT_SHARED_WATCH), {GT_GROUP_OUTPUT, force_options}},
        {cmd->shared & GT_SHARED_OUTPUT, {GT_GROUP_OUTPUT, store_options}},
        {cmd->shared & GT_SHARED_RESUME, {GT_GROUP_OUTPUT, resume_options}},
        {cmd->shared & GT_SHARED_SELECT, {GT_GROUP_SELECT, array_options}},
        {cmd->shared & (GT_SHARED_SELECT | GT_SHARED_PLACES), {GT_GROUP_SELECT, place_options}},
        {cmd->shared & GT_SHARED_SELECT, {GT_GROUP_SELECT, select_options}},
        {cmd->shared & GT_SHARED_RESOURCES, {GT_GROUP_RESOURCES, resource_options}},
        {cmd->shared & GT_SHARED_PLOT, {GT_GROUP_OUTPUT, plot_options}},
        {cmd->shared & GT_SHARED_DEVICE, {GT_GROUP_RESOURCES, device_options}},
        {cmd->ranks, {GT_GROUP_RESOURCES, rank_options}},
        {cmd->shared & GT_SHARED_RANKS, {GT_GROUP_RESOURCES, plan_options}},
        {(cmd->shared & GT_SHARED_RESOURCES) && cmd->takes_input, {GT_GROUP_RESOURCES, input_options}},
        {cmd->shared & GT_SHARED_SEED, {GT_GROUP_SEED, seed_options}},
        {cmd->shared & GT_SHARED_WATCH, {GT_GROUP_WATCH, watch_options}},
    };
    size_t n = 0;
    for (size_t i = 0; i < GT_SHARED_PARTS; i++)
        if (all[i].taken)
            parts[n++] = all[i].part;
    return n;
}

struct gt_cli *gt_shared_cli(void)
{
    return &shared;
}

enum { MOST_RANKS = 100000 }; /* of a plan */

/* A count that was not given is -1 until here and 0 from here on. */
static int check_positive(const char *name, int64_t *value, int64_t max, struct gt_err *err)
{
    if (*value == 0)
        return gt_fail(err, GT_USAGE, "option '--%s' must be at least 1", name);
    if (*value > max)
        return gt_fail(err, GT_USAGE, "option '--%s' must be at most %lld", name, (long long)max);
    if (*value < 0)
        *value = 0;
    return GT_OK;
}

int gt_shared_check(struct gt_err *err)
{
    int status = check_positive("threads", &shared.threads, GT_MAX_THREADS, err);
    if (!status)
        status = check_positive("io", &shared.io_threads, GT_MAX_THREADS, err);
    if (!status)
        status = check_positive("memory", &shared.memory, INT64_MAX, err);
    if (!status)
        status = check_positive("device-memory", &shared.device_memory, INT64_MAX, err);
    if (!status)
        status = check_positive("ranks", &shared.ranks, MOST_RANKS, err);
    if (!status && shared.ranks && !shared.dry_run)
        status = gt_fail(err, GT_USAGE, "--ranks needs --dry-run; mpirun or srun starts ranks");
    if (!status)
        status = check_positive("thin", &shared.select.thin, INT64_MAX, err);
    if (!status)
        status = check_positive("thin-count", &shared.select.thin_count, INT64_MAX, err);
    if (!status)
        status = check_positive("bp-space", &shared.select.bp_space, INT64_MAX, err);
    if (!status)
        status = check_positive("mac", &shared.select.mac, INT64_MAX, err);
    if (!status)
        status = check_positive("plot-width", &plot_width, 30000, err);
    if (!status)
        status = check_positive("plot-dpi", &plot_dpi, 2400, err);
    if (!status && shared.select.hwe == 0)
        status = gt_fail(err, GT_USAGE, "option '--hwe' must be above 0");
    if (!status)
        status = check_positive("min-alleles", &shared.select.min_alleles, INT64_MAX, err);
    if (!status)
        status = check_positive("max-alleles", &shared.select.max_alleles, INT64_MAX, err);
    if (!status)
        status = check_positive("ploidy", &shared.select.ploidy, INT64_MAX, err);
    if (!status && !(shared.timeout > 0 && shared.timeout <= 86400))
        status = gt_fail(err, GT_USAGE, "option '--timeout' must be above 0 and at most 86400");
    if (!status && shared.select.maf > 0.5)
        status = gt_fail(err, GT_USAGE, "option '--maf' must be at most 0.5");
    if (!status && shared.output && !*shared.output)
        status = gt_fail(err, GT_USAGE, "option '--output' has an empty name");
    if (!status && shared.log && gt_text_is_packed(shared.log))
        status = gt_fail(err, GT_USAGE, "--log '%s': a log cannot be compressed; choose another suffix", shared.log);
    if (!status && shared.dry_run && shared.json)
        status = gt_fail(err, GT_USAGE, "--dry-run cannot be combined with --json: the plan is text");
    if (!status && shared.quiet && shared.verbose && !shared.log)
        status = gt_fail(err, GT_USAGE, "--quiet cannot be combined with --verbose, except with --log");
    shared.picture = (struct gt_picture_opts){.width = (double)plot_width, .dpi = (double)plot_dpi};
    shared.select.seed = shared.seed;
    shared.select.overlap_given = overlap >= 0;
    shared.select.overlap = overlap < 0 ? GT_OVERLAP_RECORD : overlaps[overlap % 3];
    shared.all_chunks = missing_chunks == 1;
    shared.select.concat_samples = concat == 1;
    shared.select.rm_dup = (enum gt_rm_dup)(rm_dup + 1);
    shared.select.half_call = (enum gt_half_call)(half_call + 1);
    shared.select.polyploid = (enum gt_polyploid)(polyploid + 1);
    return status;
}
