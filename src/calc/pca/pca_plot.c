#include "calc/pca/pca_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/budget.h"
#include "core/base/size.h"
#include "storage/text/svg.h"

/* Pixels; places of points are half of one apart. */
enum { SIDE = 320, LEFT = 70, TOP = 40, RIGHT = 16, BELOW = 46, LINE = 16, PLACES = 2 * SIDE + 1, MOST_PAIRS = 3 };
#define NO_GROUP "#999999"
#define ONE_COLOUR "#1f77b4"

struct panel {
    double left, top; /* of the frame */
    double low[2], high[2];
    int64_t of[2]; /* components; -1: the number of the sample */
};

struct page {
    const struct gt_pca_plot *plot;
    struct gt_svg svg;
    struct gt_buf taken; /* a bit for each place of a panel */
    double width, height, legend;
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

static bool take(struct page *page, int x, int y)
{
    const size_t at = (size_t)y * PLACES + (size_t)x;
    const bool is = page->taken.data[at / 8] >> at % 8 & 1;
    page->taken.data[at / 8] |= (uint8_t)(1 << at % 8);
    return !is;
}

/* Of one group, either who made the axes or who is projected: one path. */
static void draw_points(struct page *page, const struct panel *panel, int64_t group, bool fit, const char *colour)
{
    const struct gt_pca_plot *plot = page->plot;
    bool any = false;
    memset(page->taken.data, 0, page->taken.len);
    for (int64_t s = 0; s < plot->samples; s++) {
        if ((plot->groups && plot->groups->of[s] != group) || (plot->fit ? plot->fit[s] != 0 : true) != fit)
            continue;
        const int x = place_of(panel, 0, value_of(page, panel->of[0], s)), y = place_of(panel, 1, value_of(page, panel->of[1], s));
        if (!take(page, x, y))
            continue;
        if (!any)
            gt_svg_addf(&page->svg, "<path fill=\"none\" stroke=\"%s\" stroke-opacity=\"0.7\" %s d=\"", colour,
                        fit ? "stroke-width=\"4.5\" stroke-linecap=\"round\"" : "stroke-width=\"1\"");
        any = true;
        gt_svg_addf(&page->svg, fit ? "M%.1f %.1fh0" : "M%.1f %.1fm-3 0h6m-3 -3v6", panel->left + x / 2.0, panel->top + y / 2.0);
    }
    if (any)
        gt_svg_addf(&page->svg, "\"/>\n");
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
        draw_points(page, &panel, -1, fit, groups ? NO_GROUP : ONE_COLOUR);
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

/* --- who is who ---------------------------------------------------------------------------- */

enum { MOST_NAMES = 40 };

/* Lines of the legend, from the top down; drawn where page->legend is set. */
static void draw_legend(struct page *page)
{
    const struct gt_groups *groups = page->plot->groups;
    const int64_t n = groups ? (int64_t)groups->names.n : 0, shown = n <= MOST_NAMES ? n : MOST_NAMES - 1;
    double y = TOP;
    char text[64], number[GT_NUM_LEN], colour[GT_SVG_COLOUR_LEN];
    for (int64_t g = 0; g < shown; g++, y += LINE) {
        gt_svg_group_colour(g, colour);
        gt_svg_rect(&page->svg, page->legend, y, 10, 10, colour);
        gt_svg_text(&page->svg, page->legend + LINE, y + 9, &(struct gt_svg_font){0}, gt_strs_get(&groups->names, (size_t)g));
    }
    if (shown < n) {
        snprintf(text, sizeof text, "and %s more", gt_format_count(number, n - shown));
        gt_svg_text(&page->svg, page->legend + LINE, y + 9, &(struct gt_svg_font){0}, text);
        y += LINE;
    }
    if (groups && groups->left_out) {
        gt_svg_rect(&page->svg, page->legend, y, 10, 10, NO_GROUP);
        gt_svg_text(&page->svg, page->legend + LINE, y + 9, &(struct gt_svg_font){0}, "no group");
        y += LINE;
    }
    if (page->plot->fit) {
        gt_svg_addf(&page->svg, "<path fill=\"none\" stroke=\"#222\" d=\"M%.1f %.1fh8m-4 -4v8\"/>\n", page->legend + 1, y + 5);
        gt_svg_text(&page->svg, page->legend + LINE, y + 9, &(struct gt_svg_font){0}, "projected");
    }
}

static double legend_height(const struct gt_pca_plot *plot)
{
    const struct gt_groups *groups = plot->groups;
    const int64_t n = groups ? (int64_t)groups->names.n : 0;
    return LINE * (double)((n < MOST_NAMES ? n : MOST_NAMES) + (groups && groups->left_out) + (plot->fit != NULL));
}

static double widest_name(const struct gt_pca_plot *plot)
{
    double widest = gt_svg_text_width("projected", 11);
    for (size_t g = 0; plot->groups && g < plot->groups->names.n && g < MOST_NAMES; g++)
        widest = fmax(widest, gt_svg_text_width(gt_strs_get(&plot->groups->names, g), 11));
    return fmin(widest, 300);
}

static void draw(struct page *page, int64_t pairs)
{
    const struct gt_pca_plot *plot = page->plot;
    const double columns = pairs > 0 ? 2 : 1;
    for (int64_t p = 0; p < pairs; p++)
        draw_pair(page, panel_at(p, columns), plot->k > 1 ? 2 * p : -1, plot->k > 1 ? 2 * p + 1 : 0);
    draw_scree(page, panel_at(pairs, columns));
    draw_legend(page);
}

int gt_pca_plot_write(struct gt_outfile *file, const struct gt_pca_plot *plot, struct gt_err *err)
{
    const int64_t pairs = plot->k < 2 ? 1 : plot->k / 2 < MOST_PAIRS ? plot->k / 2 : MOST_PAIRS, rows = gt_ceil_div(pairs + 1, 2);
    struct page page = {.plot = plot, .legend = 2 * (LEFT + SIDE + RIGHT) + RIGHT};
    char title[128], samples[GT_THINGS_LEN];
    page.width = page.legend + (plot->groups || plot->fit ? LINE + widest_name(plot) + RIGHT : 0);
    page.height = fmax((double)rows * (TOP + SIDE + BELOW), TOP + legend_height(plot) + LINE);
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
