#include "config.h"

#include "storage/picture/picture.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/module.h"
#include "core/base/outfile.h"
#include "storage/picture/picture_module.h"
#include "storage/text/text_file.h"

#define MODULE_FILE "gt-picture.so"

/* --- the module ------------------------------------------------------------------- */

static int load(const struct gt_picture_module **module, struct gt_err *err)
{
    static const struct gt_picture_module none = {0};
    const void *table = &none;
    int status = GT_OK;
    if (gt_module_is_installed(MODULE_FILE))
        status = gt_module_load(MODULE_FILE, GT_PICTURE_SYMBOL, GT_PICTURE_ABI, "module of pictures", &table, err);
    *module = table;
    return status;
}

static bool is_png(const char *path)
{
    return gt_ends_with(path, ".png");
}

static bool is_pdf(const char *path)
{
    return gt_ends_with(path, ".pdf");
}

static int check_opts(const char *option, const char *path, const struct gt_picture_opts *opts, struct gt_err *err)
{
    if (opts->width > 0 && !is_png(path) && !is_pdf(path))
        return gt_fail(err, GT_USAGE, "%s-width is the size of PNG and PDF; SVG has none", option);
    if (opts->dpi > 0 && !is_png(path))
        return gt_fail(err, GT_USAGE, "%s-dpi is the resolution of PNG; '%s' has none", option, path);
    return GT_OK;
}

int gt_picture_check(const char *option, const char *path, const struct gt_picture_opts *opts, struct gt_err *err)
{
    const struct gt_picture_module *module;
    const bool drawn = is_png(path) || is_pdf(path);
    const size_t stem = gt_text_stem(path);
    int status = opts ? check_opts(option, path, opts, err) : GT_OK;
    if (status || (!drawn && (gt_is_stream(path) || (stem > 4 && memcmp(path + stem - 4, ".svg", 4) == 0))))
        return status;
    if (!drawn)
        return gt_fail(err, GT_USAGE, "%s '%s': the name must end in " GT_PICTURE_SUFFIXES, option, path);
    status = load(&module, err);
    if (status || module->png)
        return status;
    gt_fail(err, GT_USAGE, "%s '%s': this build writes only SVG", option, path);
    gt_hint(err, "name the file .svg, or install librsvg2-dev and build again");
    return GT_USAGE;
}

int gt_picture_check_graph(const char *option, struct gt_err *err)
{
    const struct gt_picture_module *module;
    int status = load(&module, err);
    if (status || module->lay_out)
        return status;
    gt_fail(err, GT_USAGE, "%s: this build cannot draw graphs", option);
    gt_hint(err, "name the file .dot, or install libgraphviz-dev and build again");
    return GT_USAGE;
}

static int add_bytes(void *ctx, const void *bytes, size_t n)
{
    struct gt_str *text = ctx;
    gt_str_addn(text, bytes, n);
    return text->failed;
}

int gt_picture_lay_out(const char *dot, struct gt_str *svg, struct gt_err *err)
{
    char error[GT_PICTURE_ERROR];
    const struct gt_picture_module *module;
    int status = load(&module, err);
    if (!status && !module->lay_out)
        status = gt_fail(err, GT_FAIL, "this build cannot draw graphs");
    if (!status && module->lay_out(dot, add_bytes, svg, error))
        status = gt_fail(err, GT_FAIL, "%s", error);
    return status;
}

/* --- the file: SVG is gathered and drawn at the end ---------------------------------- */

struct gathered {
    struct gt_picture_opts opts;
    struct gt_str svg;
};

struct sink {
    struct gt_outfile *out;
    struct gt_err *err;
    int status;
};

static int put_bytes(void *ctx, const void *bytes, size_t n)
{
    struct sink *sink = ctx;
    sink->status = gt_outfile_put(sink->out, bytes, n, sink->err);
    return sink->status;
}

static int gather(struct gt_outfile *out, const void *data, size_t n, struct gt_err *err)
{
    struct gathered *gathered = out->filter_data;
    gt_str_addn(&gathered->svg, data, n);
    return gt_str_check(&gathered->svg, err);
}

static int draw(struct gt_outfile *out, struct gt_err *err)
{
    const struct gathered *gathered = out->filter_data;
    struct sink sink = {.out = out, .err = err};
    char error[GT_PICTURE_ERROR];
    const struct gt_picture_module *module;
    int status = load(&module, err);
    if (status)
        return status;
    int failed = (is_png(out->path) ? module->png : module->pdf)(gathered->svg.s, gathered->svg.len, gathered->opts.width,
                                                                 gathered->opts.dpi, put_bytes, &sink, error);
    return sink.status ? sink.status : failed ? gt_fail(err, GT_FAIL, "cannot draw '%s': %s", out->path, error) : GT_OK;
}

static void forget(struct gt_outfile *out)
{
    struct gathered *gathered = out->filter_data;
    gt_str_release(&gathered->svg);
    free(gathered);
}

int gt_picture_open(struct gt_outfile *out, const char *path, const struct gt_picture_opts *opts, struct gt_err *err)
{
    static const struct gt_outfile_filter filter = {gather, draw, forget};
    const bool drawn = is_png(path) || is_pdf(path);
    if (!drawn)
        return gt_text_open(out, path, NULL, err);
    int status = gt_outfile_open(out, path, true, err);
    if (status)
        return status;
    struct gathered *gathered = gt_alloc(1, sizeof *gathered, err);
    if (!gathered) {
        gt_outfile_abort(out);
        return GT_FAIL;
    }
    gathered->opts = opts ? *opts : (struct gt_picture_opts){0};
    if (!(gathered->opts.dpi > 0))
        gathered->opts.dpi = GT_PICTURE_DPI;
    out->filter = &filter;
    out->filter_data = gathered;
    return GT_OK;
}
