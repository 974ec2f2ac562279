#include "storage/picture/picture_module.h"

#include <stdbool.h>
#include <stdio.h>

#ifdef GT_HAVE_RSVG
#include <cairo-pdf.h>
#include <cairo.h>
#include <librsvg/rsvg.h>
#include <math.h>
#endif
#ifdef GT_HAVE_GRAPHVIZ
#include <gvc.h>
#endif

#ifdef GT_HAVE_RSVG

enum { MOST_PIXELS = 30000 };

struct target {
    gt_picture_put *put;
    void *ctx;
};

static cairo_status_t write_bytes(void *closure, const unsigned char *bytes, unsigned n)
{
    const struct target *target = closure;
    return target->put(target->ctx, bytes, n) ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static RsvgHandle *parse(const char *svg, size_t n, double *width, double *height, char error[GT_PICTURE_ERROR])
{
    GError *said = NULL;
    GInputStream *stream = g_memory_input_stream_new_from_data(svg, (gssize)n, NULL);
    RsvgHandle *handle = rsvg_handle_new_from_stream_sync(stream, NULL, RSVG_HANDLE_FLAG_UNLIMITED, NULL, &said);
    g_object_unref(stream);
    if (!handle) {
        snprintf(error, GT_PICTURE_ERROR, "%s", said->message);
        g_error_free(said);
        return NULL;
    }
    if (rsvg_handle_get_intrinsic_size_in_pixels(handle, width, height) && *width > 0 && *height > 0)
        return handle;
    snprintf(error, GT_PICTURE_ERROR, "the picture has no size");
    g_object_unref(handle);
    return NULL;
}

/* Draws the picture in that many units of the surface, which is released. */
static int draw(RsvgHandle *handle, cairo_surface_t *surface, double width, double height, const struct target *png,
                char error[GT_PICTURE_ERROR])
{
    cairo_t *cairo = cairo_create(surface);
    GError *said = NULL;
    const bool drawn = rsvg_handle_render_document(handle, cairo, &(RsvgRectangle){.width = width, .height = height}, &said);
    cairo_destroy(cairo);
    cairo_status_t status = cairo_surface_status(surface);
    if (drawn && !status && png)
        status = cairo_surface_write_to_png_stream(surface, write_bytes, (void *)png);
    cairo_surface_finish(surface);
    status = status ? status : cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (!drawn)
        snprintf(error, GT_PICTURE_ERROR, "%s", said->message);
    else if (status)
        snprintf(error, GT_PICTURE_ERROR, "%s", cairo_status_to_string(status));
    g_clear_error(&said);
    return !drawn || status;
}

static int png(const char *svg, size_t n, double width, double dpi, gt_picture_put *put, void *ctx, char error[GT_PICTURE_ERROR])
{
    double own_width, own_height;
    RsvgHandle *handle = parse(svg, n, &own_width, &own_height, error);
    if (!handle)
        return 1;
    const double scale = (width > 0 ? width / own_width : 1) * dpi / 96;
    const double across = ceil(own_width * scale), down = ceil(own_height * scale);
    int failed = across > MOST_PIXELS || down > MOST_PIXELS;
    if (failed)
        snprintf(error, GT_PICTURE_ERROR, "%.0f x %.0f pixels are too many (at most %d a side)", across, down, MOST_PIXELS);
    else
        failed = draw(handle, cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)across, (int)down), own_width * scale, own_height * scale,
                      &(struct target){put, ctx}, error);
    g_object_unref(handle);
    return failed;
}

static int pdf(const char *svg, size_t n, double width, double dpi, gt_picture_put *put, void *ctx, char error[GT_PICTURE_ERROR])
{
    struct target target = {put, ctx};
    double own_width, own_height;
    RsvgHandle *handle = parse(svg, n, &own_width, &own_height, error);
    (void)dpi;
    if (!handle)
        return 1;
    const double scale = (width > 0 ? width / own_width : 1) * 72 / 96;
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(write_bytes, &target, own_width * scale, own_height * scale);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z"); /* the same bytes each time */
    int failed = draw(handle, surface, own_width * scale, own_height * scale, NULL, error);
    g_object_unref(handle);
    return failed;
}

#endif

#ifdef GT_HAVE_GRAPHVIZ

static int lay_out(const char *dot, gt_picture_put *put, void *ctx, char error[GT_PICTURE_ERROR])
{
    GVC_t *gvc = gvContext();
    Agraph_t *graph = gvc ? agmemread(dot) : NULL;
    char *svg = NULL;
    unsigned n = 0;
    const bool placed = graph && gvLayout(gvc, graph, "dot") == 0;
    int failed = !placed || gvRenderData(gvc, graph, "svg", &svg, &n) != 0 || put(ctx, svg, n);
    if (failed)
        snprintf(error, GT_PICTURE_ERROR, "Graphviz cannot lay out the graph");
    if (svg)
        gvFreeRenderData(svg);
    if (placed)
        gvFreeLayout(gvc, graph);
    if (graph)
        agclose(graph);
    if (gvc)
        gvFreeContext(gvc);
    return failed;
}

#endif

extern const struct gt_picture_module gt_picture_module __attribute__((visibility("default")));
const struct gt_picture_module gt_picture_module = {
    .abi = GT_PICTURE_ABI,
#ifdef GT_HAVE_RSVG
    .png = png,
    .pdf = pdf,
#endif
#ifdef GT_HAVE_GRAPHVIZ
    .lay_out = lay_out,
#endif
};
