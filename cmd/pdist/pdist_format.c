#include "cmd/pdist/pdist_format.h"

#include <string.h>

#include "cmd/common/formats.h"
#include "cmd/common/outputs.h"
#include "core/base/outfile.h"
#include "core/base/str.h"

enum format { TSV, NPY, CONDENSED, TRIANGLE, PAIRS = PDIST_PAIRS, PHYLIP, PLINK, KING, KIN0, COUNTS, GRM, ZARR, FORMATS };

static const struct {
    enum gt_pairs_format writes;
    const char *kind; /* of cmd/common/formats.c */
    const char *metric;
    bool ids;
} formats[FORMATS] = {
    [TSV] = {GT_PAIRS_TSV, "tsv", "euclidean", false},
    [NPY] = {GT_PAIRS_NPY, "npy", "euclidean", true},
    [CONDENSED] = {GT_PAIRS_CONDENSED, "npy", "euclidean", true},
    [TRIANGLE] = {GT_PAIRS_TRIANGLE, "tsv", "euclidean", true},
    [PAIRS] = {GT_PAIRS_LIST, "tsv", "euclidean", false},
    [PHYLIP] = {GT_PAIRS_PHYLIP, "phylip", "euclidean", false},
    [PLINK] = {GT_PAIRS_PLINK, "dist", "allele-count", true},
    [KING] = {GT_PAIRS_PLINK, "king", "king", true},
    [KIN0] = {GT_PAIRS_KIN0, "kin0", "king", false},
    [COUNTS] = {GT_PAIRS_COUNTS, "counts", "euclidean", false},
    [GRM] = {GT_PAIRS_GRM, "bin", "grm", true},
    [ZARR] = {GT_PAIRS_ZARR, "store", "euclidean", false},
};

/* What PLINK's files end in; of any other metric, .dist. */
static const struct {
    const char *metric, *suffix;
} plink[] = {{"ibs", ".mibs"}, {"1-ibs", ".mdist"}, {"grm", ".rel"}, {"grm-vanraden", ".rel"}};

/* Does the name end so, but for what may stand after it? */
static bool is_named(const char *path, const char *suffix)
{
    static const char *const behind[] = {"", ".gz", ".bgz", ".bin"};
    size_t n = strlen(path), len = strlen(suffix), more;
    for (size_t k = 0; k < sizeof behind / sizeof *behind; k++) {
        more = strlen(behind[k]);
        if (n >= len + more && gt_ends_with(path, behind[k]) && memcmp(path + n - more - len, suffix, len) == 0)
            return true;
    }
    return false;
}

const char *pdist_format_metric(const struct pdist_format *chosen, const char *output)
{
    for (size_t k = 0; chosen->format == PLINK && k < sizeof plink / sizeof *plink; k++)
        if (is_named(output, plink[k].suffix))
            return plink[k].metric;
    return formats[chosen->format].metric;
}

/* Its files have names of PLINK's. */
static bool is_plinks(int format)
{
    return format == PLINK || format == KING || format == KIN0;
}

static bool is_set(int format)
{
    return format == PLINK || format == KING;
}

static const char *suffix_of(int format, const char *metric)
{
    static const char *const own[FORMATS] = {[KING] = ".king", [KIN0] = ".kin0", [GRM] = ".grm"};
    if (own[format])
        return own[format];
    for (size_t k = 0; k < sizeof plink / sizeof *plink; k++)
        if (strcmp(metric, plink[k].metric) == 0)
            return plink[k].suffix;
    return ".dist";
}

static bool is_relatedness(const char *metric)
{
    return strcmp(suffix_of(PLINK, metric), ".rel") == 0;
}

/* The three files of a GRM are named by their prefix. */
static int name_grm(struct gt_cli *cli, struct gt_err *err)
{
    static struct gt_str name;
    const char *given = cli->output;
    size_t n = strlen(given);
    if (gt_is_stream(given))
        return gt_fail(err, GT_USAGE, "-O grm writes PREFIX.grm.bin, PREFIX.grm.N.bin and PREFIX.grm.id: it needs -o PREFIX");
    n -= gt_ends_with(given, ".grm.N.bin") ? strlen(".grm.N.bin")
         : gt_ends_with(given, ".grm.bin") ? strlen(".grm.bin")
         : gt_ends_with(given, ".grm")     ? strlen(".grm")
                                           : 0;
    gt_str_addn(&name, given, n);
    gt_str_add(&name, ".grm.bin");
    int status = gt_str_check(&name, err);
    cli->output = status ? given : name.s;
    return status;
}

/* A name that has PLINK's suffix says, too, whether numbers are binary. */
static int check_name(const struct pdist_format *chosen, const char *output, struct gt_err *err)
{
    const bool binary = is_set(chosen->format) && chosen->shape >= GT_PLINK_BIN;
    if (gt_ends_with(output, ".bin") == binary)
        return GT_OK;
    if (binary)
        gt_fail(err, GT_USAGE, "'%s' has the suffix of a text matrix, but --plink-shape asks for a binary one", output);
    else
        gt_fail(err, GT_USAGE, "'%s' has the suffix of a binary matrix, but this one is text", output);
    gt_hint(err, binary ? "omit the suffix, or end the name in .bin" : "use --plink-shape bin or bin-square for a binary matrix");
    return GT_USAGE;
}

/* PLINK's suffix after a name that has none of them. */
static int complete_name(const struct pdist_format *chosen, struct gt_cli *cli, const char *metric, struct gt_err *err)
{
    static const char *const ends[] = {".dist", ".mdist", ".mibs", ".king", ".kin0", ".rel", ".grm"};
    static struct gt_str name;
    const char *suffix = suffix_of(chosen->format, metric);
    if (chosen->format == GRM)
        return name_grm(cli, err);
    if (!is_plinks(chosen->format) || gt_is_stream(cli->output))
        return GT_OK;
    if (is_named(cli->output, suffix))
        return check_name(chosen, cli->output, err);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        if (is_named(cli->output, ends[k]))
            return gt_fail(err, GT_USAGE, "'%s' is not PLINK's name for '%s', which ends in %s", cli->output, metric, suffix);
    gt_str_addf(&name, "%s%s%s", cli->output, suffix, chosen->shape >= GT_PLINK_BIN ? ".bin" : "");
    int status = gt_str_check(&name, err);
    cli->output = status ? cli->output : name.s;
    return status;
}

static const char *kind_of(int format, const char *metric)
{
    return format == PLINK && is_relatedness(metric) ? "rel" : formats[format].kind;
}

static int list_outputs(const struct pdist_format *chosen, const struct gt_cli *cli, const char *metric, struct gt_err *err)
{
    const char *kind = is_set(chosen->format) && chosen->shape >= GT_PLINK_BIN ? "bin" : kind_of(chosen->format, metric);
    struct gt_str stem = {0};
    int status = gt_output_add("-o", cli->output, kind, err);
    if (status || !formats[chosen->format].ids || gt_is_stream(cli->output))
        return status;
    gt_str_addn(&stem, cli->output, strlen(cli->output) - (strcmp(kind, "bin") == 0 && gt_ends_with(cli->output, ".bin") ? 4 : 0));
    if (!(status = gt_str_check(&stem, err)))
        status = gt_output_add_sidecar("-o", stem.s, ".id", "id", err);
    if (!status && chosen->format == GRM)
        status = gt_output_add_sidecar("-o", stem.s, ".N.bin", "bin", err);
    gt_str_release(&stem);
    return status;
}

static int check_choice(const struct pdist_format *chosen, const struct gt_cli *cli, const char *metric, struct gt_err *err)
{
    if (chosen->shape >= 0 && !is_set(chosen->format))
        return gt_fail(err, GT_USAGE, "--plink-shape needs -O plink or -O king");
    if (chosen->format == GRM && !is_relatedness(metric))
        return gt_fail(err, GT_USAGE, "GCTA's format holds relatedness, and %s is not one; use -m grm or -m grm-vanraden", metric);
    if ((chosen->format == KING || chosen->format == KIN0) && strcmp(metric, "king") != 0)
        return gt_fail(err, GT_USAGE, "KING's format holds kinship, and %s is not one; use -m king", metric);
    return gt_check_version(cli, chosen->format == ZARR, "-O zarr", err);
}

/* What PLINK writes of a sample and itself, without data too. */
static const double *self_of(int format, const char *metric)
{
    static const double half = 0.5, one = 1, zero = 0;
    if (format == KING)
        return &half;
    if (format != PLINK || is_relatedness(metric))
        return NULL;
    return strcmp(metric, "ibs") == 0 ? &one : strcmp(metric, "1-ibs") == 0 || strcmp(metric, "allele-count") == 0 ? &zero : NULL;
}

/* Whether PLINK writes the diagonal, in a triangle or a square0. Its .mibs have it as text only. */
static bool has_diagonal(int format, const char *metric, enum gt_plink_shape shape)
{
    if (format == PLINK && is_relatedness(metric))
        return true;
    if (format == PLINK && strcmp(metric, "ibs") == 0)
        return shape < GT_PLINK_BIN;
    return gt_plink_is_square0(shape);
}

/* What -O kin0 wants in addition to kinship. */
static const char *const *counts_beside(const char *metric)
{
    static const char *const kin0[] = {"hethet", "ibs0", NULL}, *const none[] = {NULL};
    return strcmp(metric, "king") == 0 ? kin0 : none;
}

int pdist_format_check(struct pdist_format *chosen, struct gt_cli *cli, const char *metric, struct gt_pairs_opts *opts, struct gt_err *err)
{
    const enum gt_plink_shape shape = chosen->shape < 0 ? GT_PLINK_TRIANGLE : (enum gt_plink_shape)chosen->shape;
    int status = check_choice(chosen, cli, metric, err);
    if (status)
        return status;
    *opts = (struct gt_pairs_opts){.format = formats[chosen->format].writes,
                                   .shape = shape,
                                   .value = metric,
                                   .diagonal = has_diagonal(chosen->format, metric, shape),
                                   .self = self_of(chosen->format, metric),
                                   .fid_header = chosen->format == KING || (chosen->format == PLINK && is_relatedness(metric)),
                                   .counts = counts_beside(metric),
                                   .store = {.replace = cli->force, .plan = cli->command_line, .history = cli->history}};
    status = complete_name(chosen, cli, metric, err);
    return status ? status : list_outputs(chosen, cli, metric, err);
}
