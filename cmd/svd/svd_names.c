#include "cmd/svd/svd_names.h"

#include <string.h>

#include "calc/pca/pca_table.h"
#include "calc/svd/svd_files.h"
#include "cmd/common/formats.h"
#include "cmd/common/outputs.h"
#include "core/base/outfile.h"

#define ROW(id, name, kind, end, other, suffix, components, arrays) {name, kind, {end, other}, suffix, components, arrays},
const struct svd_format svd_formats[SVD_N_FORMATS] = {SVD_FORMAT_LIST(ROW)};

static int add(struct gt_str *name, const struct gt_cli *cli, size_t stem, const char *end, const char *kind, struct gt_err *err)
{
    gt_str_addn(name, cli->output, stem);
    gt_str_add(name, end);
    int status = gt_str_check(name, err);
    return status ? status : gt_output_add_late(cli, "-o", name->s, kind, err);
}

bool svd_name_asks(const struct svd_format *format, const char *name)
{
    return gt_ends_with(name, format->ends[0]) || (format->ends[1] && gt_ends_with(name, format->ends[1]));
}

size_t svd_prefix_len(const char *name)
{
    for (size_t i = 0; i < SVD_N_FORMATS; i++)
        for (size_t e = 0; e < 2 && svd_formats[i].ends[e]; e++)
            if (gt_ends_with(name, svd_formats[i].ends[e]))
                return strlen(name) - strlen(svd_formats[i].ends[e]);
    return strlen(name);
}

static int name_all(struct svd_names *names, const struct gt_cli *cli, unsigned beside, struct gt_err *err)
{
    const struct svd_format *format = &svd_formats[names->format];
    const size_t stem = svd_prefix_len(cli->output), all = strlen(cli->output);
    const bool store = !format->components;
    int status = add(&names->vectors, cli, *format->suffix ? stem : all, format->suffix, format->kind, err);
    if (!status && !store && format->components->binary)
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
    if (!svd_formats[names->format].components && (names->stream || gt_ends_with(cli->output, ".tar")))
        return gt_fail(err, GT_USAGE, "-O zarr writes a directory or a .zip: it needs -o");
    status = gt_check_version(cli, !svd_formats[names->format].components || beside & SVD_LOADINGS, "-O zarr or --loadings", err);
    if (status)
        return status;
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
