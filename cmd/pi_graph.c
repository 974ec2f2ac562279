#include "config.h"

#include "cmd/pi_graph.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/outfile.h"
#include "base/size.h"
#include "base/str.h"

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

static void svg_box(struct gt_str *out, int64_t x, int64_t y, int64_t width, const char *fill, int radius)
{
    gt_str_addf(out,
                "<rect x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%" PRId64 "\" height=\"%d\" rx=\"%d\" fill=\"%s\" stroke=\"#333\"/>\n",
                x - width / 2, y, width, BOX_H, radius, fill);
}

static void svg_text(struct gt_str *out, int64_t x, int64_t y, const char *text)
{
    gt_str_addf(out, "<text x=\"%" PRId64 "\" y=\"%" PRId64 "\">%s</text>\n", x, y, text);
}

static void svg_line(struct gt_str *out, int64_t x1, int64_t y1, int64_t x2, int64_t y2)
{
    gt_str_addf(out, "<path d=\"M%" PRId64 " %" PRId64 "L%" PRId64 " %" PRId64 "\" stroke=\"#888\" marker-end=\"url(#tip)\"/>\n", x1, y1,
                x2, y2);
}

static void draw_svg(const struct gt_pi_plan *plan, struct gt_str *out)
{
    int64_t width = 2 * MARGIN + (plan->chunks * COLUMN > TOP_W ? plan->chunks * COLUMN : TOP_W), middle = width / 2;
    const int64_t y_pi = MARGIN, y_all = y_pi + ROW, y_sum = y_all + ROW + 60, y_chunk = y_sum + ROW, height = y_chunk + BOX_H + MARGIN;
    char text[128];
    gt_str_addf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRId64 "\" height=\"%" PRId64 "\" viewBox=\"0 0 %" PRId64 " %" PRId64
                "\" font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n"
                "<title>gt-pi: chunks, partial sums, aggregate</title>\n"
                "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">"
                "<path d=\"M0 0L8 4L0 8z\" fill=\"#888\"/></marker></defs>\n",
                width, height, width, height);
    svg_line(out, middle, y_all, middle, y_pi + BOX_H);
    svg_box(out, middle, y_pi, TOP_W, "#cfe8cf", 4);
    svg_text(out, middle, y_pi + 27, "pi = 4 inside / points");
    svg_box(out, middle, y_all, TOP_W, "#fbe3b5", 22);
    svg_text(out, middle, y_all + 27, "aggregate: inside");
    for (int64_t i = 0; i < plan->chunks; i++) {
        int64_t x = middle - plan->chunks * COLUMN / 2 + i * COLUMN + COLUMN / 2;
        int64_t first = gt_pi_chunk_first(plan, i), end = gt_pi_chunk_first(plan, i + 1);
        svg_line(out, x, y_chunk, x, y_sum + BOX_H);
        svg_line(out, x, y_sum, middle, y_all + BOX_H);
        svg_box(out, x, y_sum, BOX_W, "#fff4d6", 22);
        snprintf(text, sizeof text, "partial sum %" PRId64, i);
        svg_text(out, x, y_sum + 27, text);
        svg_box(out, x, y_chunk, BOX_W, "#d6e4f5", 4);
        snprintf(text, sizeof text, "chunk %" PRId64, i);
        svg_text(out, x, y_chunk + 18, text);
        snprintf(text, sizeof text, "%.4g points from %.4g", (double)(end - first), (double)first);
        svg_text(out, x, y_chunk + 35, text);
    }
    gt_str_add(out, "</svg>\n");
}

int gt_pi_graph_write(const struct gt_pi_plan *plan, const char *path, struct gt_err *err)
{
    struct gt_str text = {0};
    struct gt_outfile out = {0};
    int status = gt_pi_graph_check(plan, path, err);
    if (!status)
        status = gt_outfile_open(&out, path, false, err);
    if (!status) {
        if (gt_ends_with(path, ".svg"))
            draw_svg(plan, &text);
        else
            draw_dot(plan, &text);
        status = gt_str_check(&text, err);
    }
    if (!status)
        status = gt_outfile_write(&out, text.s, text.len, err);
    if (!status)
        status = gt_outfile_commit(&out, err);
    gt_outfile_abort(&out);
    gt_str_release(&text);
    return status;
}
