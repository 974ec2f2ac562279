#include "config.h"

#include "cmd/pi/pi_graph.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/size.h"
#include "storage/text/svg.h"
#include "storage/text/text_file.h"

int gt_pi_graph_check(const struct gt_pi_plan *plan, const char *path, struct gt_err *err)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    if (strcmp(path, "-") && !gt_ends_with(path, ".dot") && !gt_ends_with(path, ".gv") && !gt_ends_with(path, ".svg"))
        return gt_fail(err, GT_USAGE, "--graph '%s': the name must end in .dot or .svg", path);
    if (plan->chunks > GT_PI_GRAPH_MAX) {
        gt_fail(err, GT_USAGE, "--graph: %s chunks are too many to draw (at most %s)", gt_format_count(a, plan->chunks),
                gt_format_count(b, GT_PI_GRAPH_MAX));
        gt_hint(err, "draw fewer with --chunks");
        return GT_USAGE;
    }
    return GT_OK;
}

static void draw_dot(const struct gt_pi_plan *plan, struct gt_str *out)
{
    gt_str_add(out, "digraph gt_pi {\n  rankdir=BT;\n  node [fontname=\"sans-serif\"];\n");
    for (int64_t i = 0; i < plan->chunks; i++) {
        int64_t first = gt_pi_chunk_first(plan, i), end = gt_pi_chunk_first(plan, i + 1);
        gt_str_addf(out, "  chunk%" PRId64 " [shape=box, label=\"chunk %" PRId64 "\\npoints %" PRId64 " to %" PRId64 "\"];\n", i, i, first,
                    end - 1);
        gt_str_addf(out, "  sum%" PRId64 " [label=\"partial sum %" PRId64 "\"];\n", i, i);
        gt_str_addf(out, "  chunk%" PRId64 " -> sum%" PRId64 " -> aggregate;\n", i, i);
    }
    gt_str_add(out,
               "  aggregate [label=\"aggregate: inside\"];\n  pi [shape=box, label=\"pi = 4 inside / points\"];\n  aggregate -> pi;\n}\n");
}

/* Columns of chunks at the bottom, a partial sum above each, the aggregate and the result on top. */
enum { COLUMN = 170, BOX_W = 156, BOX_H = 44, ROW = 110, MARGIN = 14, TOP_W = 200 };

struct places {
    int64_t middle;              /* of the drawing */
    int64_t pi, all, sum, chunk; /* upper ends of the rows */
};

static void draw_box(struct gt_svg *svg, int64_t x, int64_t y, int64_t width, const char *fill, int radius)
{
    gt_svg_addf(svg,
                "<rect x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%" PRId64 "\" height=\"%d\" rx=\"%d\" fill=\"%s\" stroke=\"#333\"/>\n",
                x - width / 2, y, width, BOX_H, radius, fill);
}

static void draw_text(struct gt_svg *svg, int64_t x, int64_t y, const char *text)
{
    gt_svg_text(svg, (double)x, (double)y, &(struct gt_svg_font){.size = 12, .anchor = GT_SVG_MIDDLE}, text);
}

static void draw_arrow(struct gt_svg *svg, int64_t x1, int64_t y1, int64_t x2, int64_t y2)
{
    gt_svg_addf(svg, "<path d=\"M%" PRId64 " %" PRId64 "L%" PRId64 " %" PRId64 "\" stroke=\"#888\" marker-end=\"url(#tip)\"/>\n", x1, y1,
                x2, y2);
}

static void draw_chunk(const struct gt_pi_plan *plan, struct gt_svg *svg, int64_t i, int64_t x, const struct places *at)
{
    const int64_t first = gt_pi_chunk_first(plan, i), end = gt_pi_chunk_first(plan, i + 1);
    char text[128];
    draw_arrow(svg, x, at->chunk, x, at->sum + BOX_H);
    draw_arrow(svg, x, at->sum, at->middle, at->all + BOX_H);
    draw_box(svg, x, at->sum, BOX_W, "#fff4d6", 22);
    snprintf(text, sizeof text, "partial sum %" PRId64, i);
    draw_text(svg, x, at->sum + 27, text);
    draw_box(svg, x, at->chunk, BOX_W, "#d6e4f5", 4);
    snprintf(text, sizeof text, "chunk %" PRId64, i);
    draw_text(svg, x, at->chunk + 18, text);
    snprintf(text, sizeof text, "%.4g points from %.4g", (double)(end - first), (double)first);
    draw_text(svg, x, at->chunk + 35, text);
}

static int draw_svg(const struct gt_pi_plan *plan, struct gt_outfile *out, struct gt_err *err)
{
    const int64_t wide = plan->chunks * COLUMN, width = 2 * MARGIN + (wide > TOP_W ? wide : TOP_W);
    const struct places at = {width / 2, MARGIN, MARGIN + ROW, MARGIN + 2 * ROW + 60, MARGIN + 3 * ROW + 60};
    struct gt_svg svg;
    gt_svg_begin(&svg, out, (double)width, (double)(at.chunk + BOX_H + MARGIN), "gt-pi: chunks, partial sums, aggregate", err);
    gt_svg_addf(&svg, "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
                      "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#888\"/></marker></defs>\n");
    draw_arrow(&svg, at.middle, at.all, at.middle, at.pi + BOX_H);
    draw_box(&svg, at.middle, at.pi, TOP_W, "#cfe8cf", 4);
    draw_text(&svg, at.middle, at.pi + 27, "pi = 4 inside / points");
    draw_box(&svg, at.middle, at.all, TOP_W, "#fbe3b5", 22);
    draw_text(&svg, at.middle, at.all + 27, "aggregate: inside");
    for (int64_t i = 0; i < plan->chunks; i++)
        draw_chunk(plan, &svg, i, at.middle - wide / 2 + i * COLUMN + COLUMN / 2, &at);
    return gt_svg_end(&svg);
}

static int write_dot(const struct gt_pi_plan *plan, struct gt_outfile *out, struct gt_err *err)
{
    struct gt_str text = {0};
    draw_dot(plan, &text);
    int status = gt_text_put(out, &text, 0, err);
    gt_str_release(&text);
    return status;
}

int gt_pi_graph_write(const struct gt_pi_plan *plan, const char *path, struct gt_err *err)
{
    struct gt_outfile out = {0};
    int status = gt_pi_graph_check(plan, path, err);
    if (!status)
        status = gt_outfile_open(&out, path, false, err);
    if (!status)
        status = gt_ends_with(path, ".svg") ? draw_svg(plan, &out, err) : write_dot(plan, &out, err);
    if (!status)
        status = gt_outfile_commit(&out, err);
    gt_outfile_abort(&out);
    return status;
}
