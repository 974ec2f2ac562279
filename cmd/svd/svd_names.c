#include "cmd/svd/svd_names.h"

#include <string.h>

#include "cmd/common/formats.h"
#include "cmd/common/outputs.h"
#include "core/base/outfile.h"

static int add(struct gt_str *name, const struct gt_cli *cli, size_t stem, const char *end, const char *kind, struct gt_err *err)
{
    gt_str_addn(name, cli->output, stem);
    gt_str_add(name, end);
    int status = gt_str_check(name, err);
    return status ? status : gt_output_add_late(cli, "-o", name->s, kind, err);
}

/* Length of PREFIX. */
static size_t stem_of(const char *given)
{
    static const char *const ends[] = {".eigenvec", ".tsv", ".tsv.gz", ".npy"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (gt_ends_with(given, ends[i]))
            return strlen(given) - strlen(ends[i]);
    return strlen(given);
}

static int name_all(struct svd_names *names, const struct gt_cli *cli, unsigned beside, struct gt_err *err)
{
    static const char *const kinds[] = {"eigenvec", "tsv", "npy", "store"};
    const size_t stem = stem_of(cli->output), all = strlen(cli->output);
    const bool plink = names->format == SVD_PLINK, store = names->format == SVD_ZARR;
    int status = add(&names->vectors, cli, plink ? stem : all, plink ? ".eigenvec" : "", kinds[names->format], err);
    if (!status && names->format == SVD_NPY)
        status = add(&names->ids, cli, all, ".id", "id", err);
    if (!status && !store && beside & SVD_VALUES)
        status = add(&names->values, cli, stem, ".eigenval", "eigenval", err);
    if (!status && !store && beside & SVD_PRUNED)
        status = add(&names->pruned, cli, stem, ".prune.in", "prune.in", err);
    if (!status && !store && beside & SVD_LOADINGS)
        status = add(&names->loadings, cli, stem, ".eigenvec.var", "eigenvec.var", err);
    return status || store || !(beside & SVD_LOADINGS) ? status : add(&names->model, cli, stem, ".model.zip", "zip", err);
}

int svd_names_choose(struct svd_names *names, struct gt_cli *cli, int given, unsigned beside, struct gt_err *err)
{
    const bool plinks = gt_ends_with(cli->output, ".eigenvec");
    if (plinks && given > SVD_PLINK)
        return gt_fail(err, GT_USAGE, "'%s' is the name of PLINK's table; use -O plink", cli->output);
    int status = plinks ? GT_OK : gt_format_choose("gt-svd", cli->output, SVD_FORMATS, given, &names->format, err);
    names->format = plinks ? SVD_PLINK : names->format;
    names->stream = gt_is_stream(cli->output);
    if (status)
        return status;
    if (names->format == SVD_ZARR && (names->stream || gt_ends_with(cli->output, ".tar")))
        return gt_fail(err, GT_USAGE, "-O zarr writes a directory or a .zip: it needs -o");
    if (!cli->version && names->format != SVD_ZARR && !(beside & SVD_LOADINGS))
        return gt_fail(err, GT_USAGE, "--no-version needs -O zarr or --loadings: no other format records its history");
    if (names->stream && beside & SVD_LOADINGS)
        return gt_fail(err, GT_USAGE, "--loadings writes several files: it needs -o PREFIX");
    return names->stream ? gt_output_add_late(cli, "-o", cli->output, NULL, err) : name_all(names, cli, beside, err);
}

void svd_names_release(struct svd_names *names)
{
    struct gt_str *const all[] = {&names->vectors, &names->values, &names->pruned, &names->ids, &names->loadings, &names->model};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gt_str_release(all[i]);
}
