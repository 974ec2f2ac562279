#include "calc/pca/pca_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/budget.h"
#include "core/base/size.h"
#include "storage/text/svg_groups.h"

/* Pixels; places of points are half of one apart. */
enum { SIDE = 320, LEFT = 70, TOP = 40, RIGHT = 16, BELOW = 46, PLACES = 2 * SIDE + 1, MOST_PAIRS = 3, MOST_TITLES = 10000 };
#define ONE_COLOUR "#0072b2"

struct panel {
    double left, top; /* of the frame */
    double low[2], high[2];
    int64_t of[2]; /* components; -1: the number of the sample */
};

struct page {
    const struct gt_pca_plot *plot;
    struct gt_svg svg;
    struct gt_buf taken; /* a bit for each place of a panel */
    struct gt_svg_legend legend;
    bool has_legend;
    double width, height, legend_left;
};

/* --- where things stand -------------------------------------------------------------------- */

static double value_of(const struct page *page, int64_t component, int64_t sample)
{
    return component < 0 ? (double)(sample + 1) : page->plot->vectors[component * page->plot->samples + sample];
}

/* With a margin, and around one number where there is but one. */
static void set_range(const struct page *page, struct panel *panel, int axis)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t s = 0; s < page->plot->samples; s++) {
        const double value = value_of(page, panel->of[axis], s);
        low = fmin(low, value);
        high = fmax(high, value);
    }
    const double margin = high > low ? (high - low) / 20 : fabs(high) > 0 ? fabs(high) / 2 : 0.5;
    panel->low[axis] = low - margin;
    panel->high[axis] = high + margin;
}

static struct panel panel_at(int64_t number, double columns)
{
    const int64_t column = number % (int64_t)columns, row = number / (int64_t)columns;
    return (struct panel){.left = LEFT + (double)column * (LEFT + SIDE + RIGHT), .top = TOP + (double)row * (TOP + SIDE + BELOW)};
}

/* --- points ----------------------------------------------------------------------------------- */

static int place_of(const struct panel *panel, int axis, double value)
{
    const double fraction = (value - panel->low[axis]) / (panel->high[axis] - panel->low[axis]);
    return (int)lround((axis ? 1 - fraction : fraction) * (PLACES - 1));
}

/* More points than can be pointed at have none. */
static bool has_titles(const struct gt_pca_plot *plot)
{
    return plot->ids && plot->samples <= MOST_TITLES;
}

static bool take(struct page *page, int x, int y)
{
    const size_t at = (size_t)y * PLACES + (size_t)x;
    const bool is = page->taken.data[at / 8] >> at % 8 & 1;
    page->taken.data[at / 8] |= (uint8_t)(1 << at % 8);
    return !is;
}

/* A point with its sample's name and group, or the place in a path of many. */
static void draw_point(struct page *page, double x, double y, int64_t sample, const struct gt_svg_symbol *symbol)
{
    const struct gt_pca_plot *plot = page->plot;
    const int64_t group = plot->groups ? plot->groups->of[sample] : -1;
    if (!has_titles(plot)) {
        gt_svg_addf(&page->svg, "M%.1f %.1f%s", x, y, symbol->path);
        return;
    }
    gt_svg_addf(&page->svg, "<path d=\"M%.1f %.1f%s\">", x, y, symbol->path);
    gt_svg_title(&page->svg, gt_strs_get(plot->ids, (size_t)sample), group >= 0 ? gt_strs_get(&plot->groups->names, (size_t)group) : NULL);
    gt_svg_addf(&page->svg, "</path>\n");
}

/* Of one group, either who made the axes or who is projected. */
static void draw_points(struct page *page, const struct panel *panel, int64_t group, bool fit, const char *colour)
{
    const struct gt_pca_plot *plot = page->plot;
    const struct gt_svg_symbol *symbol = fit ? gt_svg_group_symbol(group) : &gt_svg_cross;
    const bool titles = has_titles(plot);
    bool any = false;
    memset(page->taken.data, 0, page->taken.len);
    for (int64_t s = 0; s < plot->samples; s++) {
        if ((plot->groups && plot->groups->of[s] != group) || (plot->fit ? plot->fit[s] != 0 : true) != fit)
            continue;
        const int x = place_of(panel, 0, value_of(page, panel->of[0], s)), y = place_of(panel, 1, value_of(page, panel->of[1], s));
        if (!take(page, x, y))
            continue;
        if (!any) {
            gt_svg_symbol_begin(&page->svg, titles ? "g" : "path", symbol, colour);
            gt_svg_addf(&page->svg, titles ? ">\n" : "d=\"");
        }
        any = true;
        draw_point(page, panel->left + x / 2.0, panel->top + y / 2.0, s, symbol);
    }
    if (any)
        gt_svg_addf(&page->svg, titles ? "</g>\n" : "\"/>\n");
}

static void draw_frame(struct page *page, const struct panel *panel)
{
    gt_svg_addf(&page->svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#ccc\"/>\n", panel->left,
                panel->top, SIDE, SIDE);
}

/* ticks: of the one below, at most; 0: as many as are usual */
static void draw_axes(struct page *page, const struct panel *panel, int ticks, const char *below, const char *beside)
{
    gt_svg_axis(&page->svg, &(struct gt_svg_axis){.side = GT_SVG_BELOW,
                                                  .low = panel->low[0],
                                                  .high = panel->high[0],
                                                  .from = panel->left,
                                                  .to = panel->left + SIDE,
                                                  .at = panel->top + SIDE,
                                                  .ticks = ticks,
                                                  .label = below});
    gt_svg_axis(&page->svg, &(struct gt_svg_axis){.side = GT_SVG_LEFT,
                                                  .low = panel->low[1],
                                                  .high = panel->high[1],
                                                  .from = panel->top + SIDE,
                                                  .to = panel->top,
                                                  .at = panel->left,
                                                  .label = beside});
}

static const char *name_of(const struct page *page, int64_t component, char text[64])
{
    const double fraction = page->plot->trace > 0 && component >= 0 ? 100 * page->plot->values[component] / page->plot->trace : 0;
    if (component < 0)
        snprintf(text, 64, "sample");
    else if (fraction > 0)
        snprintf(text, 64, "PC%lld (%.3g %%)", (long long)component + 1, fraction);
    else
        snprintf(text, 64, "PC%lld", (long long)component + 1);
    return text;
}

static void draw_pair(struct page *page, struct panel panel, int64_t first, int64_t second)
{
    const struct gt_groups *groups = page->plot->groups;
    char colour[GT_SVG_COLOUR_LEN], below[64], beside[64];
    panel.of[0] = first, panel.of[1] = second;
    set_range(page, &panel, 0);
    set_range(page, &panel, 1);
    draw_frame(page, &panel);
    for (int fit = 0; fit < 2; fit++) {
        draw_points(page, &panel, -1, fit, groups ? GT_SVG_NO_GROUP : ONE_COLOUR);
        for (int64_t g = 0; groups && g < (int64_t)groups->names.n; g++) {
            gt_svg_group_colour(g, colour);
            draw_points(page, &panel, g, fit, colour);
        }
    }
    draw_axes(page, &panel, 0, name_of(page, first, below), name_of(page, second, beside));
}

/* --- eigenvalues -------------------------------------------------------------------------- */

static void draw_scree(struct page *page, struct panel panel)
{
    const struct gt_pca_plot *plot = page->plot;
    const double times = plot->trace > 0 ? 100 / plot->trace : 1, step = (double)SIDE / (double)plot->k;
    panel.low[0] = 0.5, panel.high[0] = (double)plot->k + 0.5;
    panel.low[1] = 0, panel.high[1] = plot->values[0] > 0 ? times * plot->values[0] * 1.05 : 1;
    draw_frame(page, &panel);
    for (int64_t c = 0; c < plot->k; c++) {
        const double height = SIDE * times * plot->values[c] / panel.high[1];
        gt_svg_rect(&page->svg, panel.left + ((double)c + 0.15) * step, panel.top + SIDE - height, 0.7 * step, height, "#7f8fa6");
    }
    draw_axes(page, &panel, plot->k < 10 ? (int)plot->k + 1 : 10, "PC", plot->trace > 0 ? "% of variance explained" : "eigenvalue");
}

/* --- the whole ---------------------------------------------------------------------------- */

static void draw(struct page *page, int64_t pairs)
{
    const struct gt_pca_plot *plot = page->plot;
    const double columns = pairs > 0 ? 2 : 1;
    for (int64_t p = 0; p < pairs; p++)
        if (plot->k == 1)
            draw_pair(page, panel_at(p, columns), -1, 0);
        else if (2 * p + 1 < plot->k)
            draw_pair(page, panel_at(p, columns), 2 * p, 2 * p + 1);
        else /* the last of an odd number */
            draw_pair(page, panel_at(p, columns), 0, 2 * p);
    draw_scree(page, panel_at(pairs, columns));
    if (page->has_legend)
        gt_svg_legend_draw(&page->svg, &page->legend, page->legend_left, TOP);
}

int gt_pca_plot_write(struct gt_outfile *file, const struct gt_pca_plot *plot, struct gt_err *err)
{
    const int64_t pairs = gt_min_i64(gt_ceil_div(plot->k, 2), MOST_PAIRS), rows = gt_ceil_div(pairs + 1, 2);
    const double height = (double)rows * (TOP + SIDE + BELOW);
    struct page page = {.plot = plot,
                        .legend = {.names = plot->groups ? &plot->groups->names : NULL,
                                   .symbols = true,
                                   .no_group = plot->groups && plot->groups->left_out,
                                   .projected = plot->fit != NULL,
                                   .height = height - TOP},
                        .has_legend = plot->groups || plot->fit,
                        .legend_left = 2 * (LEFT + SIDE + RIGHT) + RIGHT};
    char title[128], samples[GT_THINGS_LEN];
    page.width = page.legend_left + (page.has_legend ? gt_svg_legend_width(&page.legend) : 0);
    page.height = fmax(height, page.has_legend ? TOP + gt_svg_legend_height(&page.legend) + RIGHT : 0);
    int status = gt_buf_resize(&page.taken, (size_t)PLACES * PLACES / 8 + 1, err);
    if (status)
        return status;
    snprintf(title, sizeof title, "PCs of %s", gt_format_things(samples, plot->samples, "sample"));
    gt_svg_begin(&page.svg, file, page.width, page.height, title, err);
    gt_svg_text(&page.svg, LEFT, TOP - 14, &(struct gt_svg_font){.size = 13}, title);
    draw(&page, pairs);
    gt_buf_release(&page.taken);
    return gt_svg_end(&page.svg);
}
