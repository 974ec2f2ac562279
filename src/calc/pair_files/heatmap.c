/* The heat map of a matrix, its rows in the order of average linkage. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pair_files/tree_and_heatmap_internal.h"
#include "core/base/size.h"
#include "geno/samples/groups.h"
#include "storage/text/svg_groups.h"

/* That many cells a side at most, of as many samples as needed; shades; pixels. */
enum { MOST_CELLS = 300, SHADES = 64, SIDE = 600, LARGEST_CELL = 24, STRIP = 10, MARGIN = 12, BAR = 14, LINE = 16, MOST_LETTERS = 24 };
#define NO_NUMBER "#d9d9d9"

struct map {
    const struct gt_drawn_opts *opts;
    const struct gt_strs *ids;
    int64_t n, cells;
    uint32_t *order;      /* samples by place */
    double *mean;         /* of a cell's pairs: [cells][cells], NaN where there are none */
    double low, high;     /* numbers of the first and last colour */
    bool cut;             /* some are beyond these */
    double cell;          /* pixels */
    double left, top;     /* of the map */
    double bar_left;      /* of the scale of colours */
    double font;          /* of labels; 0: they do not fit */
    double width, height; /* of the whole */
    struct gt_buf buffers[3];
};

/* --- which rows, which cells -------------------------------------------------------- */

/* For the clustering far is large, and farthest is what has no number. */
static void to_distances(double *value, size_t n, bool similarity)
{
    double far = -INFINITY;
    for (size_t k = 0; k < n; k++) {
        value[k] = isfinite(value[k]) ? similarity ? -value[k] : value[k] : NAN;
        far = value[k] > far ? value[k] : far;
    }
    for (size_t k = 0; k < n; k++)
        value[k] = isnan(value[k]) ? isfinite(far) ? far : 0 : value[k];
}

static int choose_order(struct map *map, const struct gt_buf *triangle, struct gt_err *err)
{
    struct gt_buf copy = {.budget = triangle->budget}, joins = {.budget = triangle->budget};
    double *value;
    int status = gt_buf_append(&copy, triangle->data, triangle->len, err);
    value = (double *)(void *)copy.data;
    if (!status) {
        to_distances(value, copy.len / sizeof *value, map->opts->similarity);
        status = gt_cluster_average(value, map->n, &joins, err);
    }
    if (!status)
        status = gt_cluster_order(&joins, map->n, map->order, err);
    gt_buf_release(&copy);
    gt_buf_release(&joins);
    return status;
}

static int64_t cell_of(const struct map *map, int64_t place)
{
    return place * map->cells / map->n;
}

/* The first place of a cell. */
static int64_t place_of(const struct map *map, int64_t cell)
{
    return gt_ceil_div(cell * map->n, map->cells);
}

static void add_row(const struct map *map, const double *triangle, int64_t row, int64_t *count)
{
    const int64_t a = map->order[row], i = cell_of(map, row);
    for (int64_t column = 0; column < row; column++) {
        const int64_t b = map->order[column], at = i * map->cells + cell_of(map, column);
        const double value = triangle[a > b ? gt_triangle_at(a, b) : gt_triangle_at(b, a)];
        if (isfinite(value)) {
            map->mean[at] += value;
            count[at]++;
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From the 200th part of the cells to the last but it, so that a few pairs, of relatives say, do not
 * take the colours of all others. */
static void choose_scale(struct map *map, double *value)
{
    const int64_t m = map->cells;
    int64_t n = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++)
            if (!isnan(map->mean[i * m + j]))
                value[n++] = map->mean[i * m + j];
    if (n)
        qsort(value, (size_t)n, sizeof *value, by_value);
    map->low = n ? value[n / 200] : 0;
    map->high = n ? value[n - 1 - n / 200] : 1;
    map->cut = n && (value[0] < map->low || value[n - 1] > map->high);
    if (map->low == map->high) /* one number: a scale around it */
        map->low -= map->low == 0 ? 0.5 : fabs(map->low) / 2, map->high += map->high == 0 ? 0.5 : fabs(map->high) / 2;
}

static void average(struct map *map, const double *triangle, int64_t *count)
{
    const int64_t m = map->cells;
    for (int64_t row = 1; row < map->n; row++)
        add_row(map, triangle, row, count);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++)
            map->mean[i * m + j] = map->mean[j * m + i] = count[i * m + j] ? map->mean[i * m + j] / (double)count[i * m + j] : NAN;
}

static int make_cells(struct map *map, const struct gt_buf *triangle, struct gt_err *err)
{
    const size_t cells = (size_t)(map->cells * map->cells);
    int status = gt_buf_resize(&map->buffers[0], (size_t)map->n * sizeof *map->order, err);
    if (!status)
        status = gt_buf_zeros(&map->buffers[1], cells * sizeof *map->mean, err);
    if (!status)
        status = gt_buf_zeros(&map->buffers[2], cells * sizeof(int64_t), err);
    map->order = (uint32_t *)(void *)map->buffers[0].data;
    map->mean = (double *)(void *)map->buffers[1].data;
    if (!status)
        status = choose_order(map, triangle, err);
    if (status)
        return status;
    average(map, (const double *)(const void *)triangle->data, (int64_t *)(void *)map->buffers[2].data);
    choose_scale(map, (double *)(void *)map->buffers[2].data); /* the counts are not needed any more */
    return GT_OK;
}

/* --- where things stand ------------------------------------------------------------------ */

/* An id, cut where it is too long. */
static const char *label_of(const struct map *map, int64_t place, char text[4 * MOST_LETTERS + 4])
{
    const char *id = gt_strs_get(map->ids, map->order[place]);
    size_t n = 0, letters = 0;
    for (; id[n] && n < 4 * MOST_LETTERS; n++)
        if ((id[n] & 0xc0) != 0x80 && ++letters > MOST_LETTERS)
            break;
    memcpy(text, id, n);
    strcpy(text + n, id[n] ? "\xe2\x80\xa6" : "");
    return text;
}

static double longest_label(const struct map *map)
{
    char text[4 * MOST_LETTERS + 4];
    double longest = 0;
    for (int64_t k = 0; k < map->n; k++) {
        double width = gt_svg_text_width(label_of(map, k, text), map->font);
        longest = width > longest ? width : longest;
    }
    return longest;
}

/* Of the groups, next to the map. */
static struct gt_svg_legend legend_of(const struct map *map)
{
    const double side = map->cell * (double)map->cells;
    return (struct gt_svg_legend){.names = &map->opts->groups->names, .height = side};
}

static void lay_out(struct map *map)
{
    const struct gt_groups *groups = map->opts->groups;
    const double strip = groups ? STRIP + 3 : 0, heading = 2 * LINE;
    map->cell = map->cells ? (double)SIDE / (double)map->cells : 0;
    map->cell = map->cell > LARGEST_CELL ? LARGEST_CELL : floor(map->cell);
    map->font = map->cells < map->n || map->cell < 8 ? 0 : map->cell < 12 ? map->cell - 1 : 11;
    const double labels = map->font > 0 ? longest_label(map) + 6 : 0, side = map->cell * (double)map->cells;
    map->left = MARGIN + labels + strip;
    map->top = MARGIN + heading + strip;
    map->bar_left = map->left + side + 2 * MARGIN;
    map->width = map->bar_left + BAR + 110;
    map->height = map->top + (side > 120 ? side : 120) + labels + MARGIN;
    if (!groups)
        return;
    const struct gt_svg_legend legend = legend_of(map);
    const double bottom = map->top + gt_svg_legend_height(&legend) + MARGIN;
    map->width += gt_svg_legend_width(&legend);
    map->height = map->height > bottom ? map->height : bottom;
}

/* --- drawing -------------------------------------------------------------------------------- */

static void draw_heading(struct gt_svg *svg, const struct map *map)
{
    char text[256], n[GT_THINGS_LEN];
    gt_format_things(n, map->n, map->opts->item);
    if (map->cells < map->n)
        snprintf(text, sizeof text, "%s of %s, cells are means of up to %lld x %lld", map->opts->label, n,
                 (long long)gt_ceil_div(map->n, map->cells), (long long)gt_ceil_div(map->n, map->cells));
    else
        snprintf(text, sizeof text, "%s of %s", map->opts->label, n);
    gt_svg_text(svg, MARGIN, MARGIN + 11, &(struct gt_svg_font){.size = 13}, text);
}

static int shade_of(const struct map *map, double value)
{
    const double fraction = (value - map->low) / (map->high - map->low);
    return isnan(value) ? -1 : fraction <= 0 ? 0 : fraction < 1 ? (int)(fraction * SHADES) : SHADES - 1;
}

/* Each shade is one path: a stroke for each run of such cells in a row. */
static void draw_shade(struct gt_svg *svg, const struct map *map, int shade)
{
    const int64_t m = map->cells;
    char colour[GT_SVG_COLOUR_LEN];
    bool any = false;
    gt_svg_shade((shade + 0.5) / SHADES, colour);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0, end; j < m; j = end) {
            end = j + 1;
            if (shade_of(map, map->mean[i * m + j]) != shade)
                continue;
            while (end < m && shade_of(map, map->mean[i * m + end]) == shade)
                end++;
            if (!any)
                gt_svg_addf(svg, "<path stroke=\"%s\" d=\"", colour);
            any = true;
            gt_svg_addf(svg, "M%d %dh%d", (int)j, (int)i, (int)(end - j));
        }
    if (any)
        gt_svg_addf(svg, "\"/>\n");
}

static void draw_cells(struct gt_svg *svg, const struct map *map)
{
    const double side = map->cell * (double)map->cells;
    gt_svg_rect(svg, map->left, map->top, side, side, NO_NUMBER);
    gt_svg_addf(svg, "<g transform=\"translate(%.2f %.2f) scale(%.0f)\" fill=\"none\" shape-rendering=\"crispEdges\">\n", map->left,
                map->top + map->cell / 2, map->cell);
    for (int shade = 0; shade < SHADES; shade++)
        draw_shade(svg, map, shade);
    gt_svg_addf(svg, "</g>\n");
}

static void draw_labels(struct gt_svg *svg, const struct map *map)
{
    const double strip = map->opts->groups ? STRIP + 3 : 0, bottom = map->top + map->cell * (double)map->cells;
    char text[4 * MOST_LETTERS + 4];
    for (int64_t k = 0; k < map->n; k++) {
        const double at = ((double)k + 0.5) * map->cell + map->font * 0.35;
        label_of(map, k, text);
        gt_svg_text(svg, map->left - strip - 4, map->top + at, &(struct gt_svg_font){map->font, GT_SVG_TAIL, 0}, text);
        gt_svg_text(svg, map->left + at, bottom + 4, &(struct gt_svg_font){map->font, GT_SVG_TAIL, -90}, text);
    }
}

static void draw_bar(struct gt_svg *svg, const struct map *map)
{
    const double side = map->cell * (double)map->cells, height = side > 120 ? side < 300 ? side : 300 : 120;
    char colour[GT_SVG_COLOUR_LEN];
    for (int k = 0; k < SHADES; k++) { /* each reaches under the next, so that no gap shows */
        gt_svg_shade((k + 0.5) / SHADES, colour);
        gt_svg_rect(svg, map->bar_left, map->top, BAR, height * (SHADES - k) / SHADES, colour);
    }
    gt_svg_axis(svg, &(struct gt_svg_axis){GT_SVG_RIGHT, map->low, map->high, map->top + height, map->top, map->bar_left + BAR, 0,
                                           map->opts->label});
    if (map->cut)
        gt_svg_text(svg, map->bar_left, map->top + height + LINE, &(struct gt_svg_font){.size = 9}, "1 % lie outside");
}

/* --- groups ------------------------------------------------------------------------------- */

/* The group of most samples of a cell, the first of several; -1: none has one. */
static int64_t group_of(const struct map *map, int64_t cell)
{
    const struct gt_groups *groups = map->opts->groups;
    int64_t best = -1, most = 0;
    for (int64_t p = place_of(map, cell); p < place_of(map, cell + 1); p++) {
        int64_t same = 0, group = groups->of[map->order[p]];
        for (int64_t q = place_of(map, cell); q < place_of(map, cell + 1) && q < place_of(map, cell) + 1000; q++)
            same += groups->of[map->order[q]] == group;
        if (group >= 0 && (same > most || (same == most && group < best)))
            best = group, most = same;
    }
    return best;
}

static void draw_strips(struct gt_svg *svg, const struct map *map)
{
    char colour[GT_SVG_COLOUR_LEN];
    for (int64_t k = 0, end; k < map->cells; k = end) {
        const int64_t group = group_of(map, k);
        for (end = k + 1; end < map->cells && group_of(map, end) == group;)
            end++;
        if (group < 0)
            continue;
        const double from = map->cell * (double)k, length = map->cell * (double)(end - k);
        gt_svg_group_colour(group, colour);
        gt_svg_rect(svg, map->left - STRIP - 3, map->top + from, STRIP, length, colour);
        gt_svg_rect(svg, map->left + from, map->top - STRIP - 3, length, STRIP, colour);
    }
}

static int draw(struct map *map, struct gt_outfile *file, struct gt_err *err)
{
    struct gt_svg svg;
    char title[256];
    snprintf(title, sizeof title, "gt-pdist: %s", map->opts->label);
    lay_out(map);
    gt_svg_begin(&svg, file, map->width, map->height, title, err);
    draw_heading(&svg, map);
    draw_cells(&svg, map);
    if (map->font > 0)
        draw_labels(&svg, map);
    draw_bar(&svg, map);
    if (map->opts->groups) {
        const struct gt_svg_legend legend = legend_of(map);
        draw_strips(&svg, map);
        gt_svg_legend_draw(&svg, &legend, map->bar_left + BAR + 110, map->top);
    }
    return gt_svg_end(&svg);
}

int gt_heatmap_write(struct gt_outfile *file, const struct gt_drawn_opts *opts, const struct gt_buf *triangle, const struct gt_strs *ids,
                     struct gt_err *err)
{
    struct map map = {.opts = opts, .ids = ids, .n = (int64_t)ids->n, .cells = ids->n < MOST_CELLS ? (int64_t)ids->n : MOST_CELLS};
    for (int k = 0; k < 3; k++)
        map.buffers[k].budget = triangle->budget;
    int status = make_cells(&map, triangle, err);
    if (!status)
        status = draw(&map, file, err);
    for (int k = 0; k < 3; k++)
        gt_buf_release(&map.buffers[k]);
    return status;
}

int64_t gt_heatmap_bytes(void)
{
    return MOST_CELLS * MOST_CELLS * (int64_t)(sizeof(double) + sizeof(int64_t));
}
