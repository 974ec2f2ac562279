#include "config.h"

#include <math.h>
#include <stdio.h>

#include "cmd/info/info_plot.h"
#include "core/base/size.h"
#include "storage/text/svg_groups.h"

/* Pixels. */
enum { SIDE = 320, LEFT = 84, TOP = 44, RIGHT = 20, BELOW = 50, MOST_BARS = 50, MOST_TITLES = 10000 };
#define COLOUR "#0072b2"

struct frame {
    double left, top;
    const char *below, *beside;
    double low[2], high[2];
};

static struct frame frame_at(int number, const char *below, const char *beside)
{
    return (struct frame){.left = LEFT + number % 2 * (LEFT + SIDE + RIGHT),
                          .top = TOP + number / 2 * (TOP + SIDE + BELOW),
                          .below = below,
                          .beside = beside};
}

static void draw_frame(struct gt_svg *svg, const struct frame *frame)
{
    gt_svg_addf(svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#ccc\"/>\n", frame->left, frame->top,
                SIDE, SIDE);
    gt_svg_axis(svg, &(struct gt_svg_axis){.side = GT_SVG_BELOW,
                                           .low = frame->low[0],
                                           .high = frame->high[0],
                                           .from = frame->left,
                                           .to = frame->left + SIDE,
                                           .at = frame->top + SIDE,
                                           .label = frame->below});
    gt_svg_axis(svg, &(struct gt_svg_axis){.side = GT_SVG_LEFT,
                                           .low = frame->low[1],
                                           .high = frame->high[1],
                                           .from = frame->top + SIDE,
                                           .to = frame->top,
                                           .at = frame->left,
                                           .label = frame->beside});
}

/* --- histograms -------------------------------------------------------------------------- */

/* Thousandths in a bar: as few as leave MOST_BARS of them for the bins [first, end). */
static int bar_of(int first, int end)
{
    static const int steps[] = {1, 2, 5, 10, 20};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (end - first <= MOST_BARS * steps[k])
            return steps[k];
    return 20;
}

/* Bins [first, end), of which bin 0 is the value `zero`. */
static void draw_bars(struct gt_svg *svg, struct frame *frame, const struct info_histogram *histogram, int first, int end, double zero)
{
    const int bar = bar_of(first, end);
    int64_t sum[INFO_BINS] = {0}, most = 1;
    char title[96], number[GT_NUM_LEN];
    first -= first % bar;
    end = (end + bar - 1) / bar * bar;
    for (int k = first; k < end && k < INFO_BINS; k++)
        sum[k / bar] += histogram->count[k];
    for (int k = first / bar; k < end / bar; k++)
        most = sum[k] > most ? sum[k] : most;
    frame->low[0] = zero + (double)first / INFO_BINS, frame->high[0] = zero + (double)end / INFO_BINS;
    frame->low[1] = 0, frame->high[1] = (double)most * 1.05;
    const double width = (double)SIDE * bar / (end - first);
    for (int k = first / bar; k < end / bar; k++) {
        const double height = SIDE * (double)sum[k] / frame->high[1], from = zero + (double)k * bar / INFO_BINS;
        if (!sum[k])
            continue;
        gt_svg_addf(svg,
                    "<rect x=\"%.3f\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\" fill=\"" COLOUR "\" stroke=\"white\" stroke-width=\"0.5\">",
                    frame->left + (k - first / bar) * width, frame->top + SIDE - height, width, height);
        snprintf(title, sizeof title, "%.4g to %.4g: %s", from, from + (double)bar / INFO_BINS, gt_format_count(number, sum[k]));
        gt_svg_title(svg, title, NULL);
        gt_svg_addf(svg, "</rect>\n");
    }
    draw_frame(svg, frame);
}

/* One more than the last bin that has anything, and at least ten. */
static int end_of(const struct info_histogram *histogram)
{
    int end = INFO_BINS;
    while (end > 10 && !histogram->count[end - 1])
        end--;
    return end;
}

static void draw_kinship(struct gt_svg *svg, const struct info_histogram *histogram)
{
    struct frame frame = frame_at(4, "kinship coefficient", "pairs");
    int first = 0;
    const int end = end_of(histogram) > 510 ? end_of(histogram) : 510;
    while (first < 490 && !histogram->count[first])
        first++;
    draw_bars(svg, &frame, histogram, first, end, -0.5);
}

/* --- heterozygosity ------------------------------------------------------------------------- */

/* Of a sample; false: it has no call. */
static bool point_of(const struct gt_sample_stats *s, double point[2])
{
    const int64_t known = s->hom_ref + s->het + s->hom_alt, all = known + s->collapsed + s->missing;
    if (!known)
        return false;
    point[0] = (double)s->missing / (double)all;
    point[1] = (double)s->het / (double)known;
    return true;
}

static void set_range(struct frame *frame, int axis, double low, double high)
{
    const double margin = high > low ? (high - low) / 20 : high > 0 ? high / 2 : 0.005;
    frame->low[axis] = axis == 0 || low - margin < 0 ? 0 : low - margin;
    frame->high[axis] = high + margin;
}

static void draw_points(struct gt_svg *svg, const struct info_plot *plot, const struct frame *frame)
{
    const bool titles = plot->samples->n <= MOST_TITLES;
    const struct gt_svg_symbol *dot = gt_svg_group_symbol(0);
    double point[2];
    gt_svg_symbol_begin(svg, titles ? "g" : "path", dot, COLOUR);
    gt_svg_addf(svg, titles ? ">\n" : "d=\"");
    for (size_t i = 0; i < plot->samples->n; i++) {
        if (!point_of(&plot->stats[i], point))
            continue;
        const double x = frame->left + SIDE * (point[0] - frame->low[0]) / (frame->high[0] - frame->low[0]),
                     y = frame->top + SIDE - SIDE * (point[1] - frame->low[1]) / (frame->high[1] - frame->low[1]);
        gt_svg_addf(svg, "%sM%.1f %.1f%s", titles ? "<path d=\"" : "", x, y, dot->path);
        if (titles) {
            gt_svg_addf(svg, "\">");
            gt_svg_title(svg, gt_strs_get(plot->samples, i), NULL);
            gt_svg_addf(svg, "</path>\n");
        }
    }
    gt_svg_addf(svg, titles ? "</g>\n" : "\"/>\n");
}

static void draw_heterozygosity(struct gt_svg *svg, const struct info_plot *plot)
{
    struct frame frame = frame_at(3, "missing rate of a sample", "heterozygosity");
    double low[2] = {INFINITY, INFINITY}, high[2] = {0, 0}, point[2];
    for (size_t i = 0; i < plot->samples->n; i++)
        if (point_of(&plot->stats[i], point))
            for (int a = 0; a < 2; a++)
                low[a] = fmin(low[a], point[a]), high[a] = fmax(high[a], point[a]);
    for (int a = 0; a < 2; a++)
        set_range(&frame, a, isfinite(low[a]) ? low[a] : 0, high[a]);
    draw_points(svg, plot, &frame);
    draw_frame(svg, &frame);
}

int info_plot_draw(struct gt_outfile *file, const struct info_plot *plot, struct gt_err *err)
{
    const int rows = plot->has_kinship ? 3 : 2;
    struct frame samples = frame_at(0, "missing rate of a sample", "samples"),
                 variants = frame_at(1, "missing rate of a variant", "variants"), maf = frame_at(2, "minor allele frequency", "variants");
    char title[128], a[GT_THINGS_LEN], b[GT_THINGS_LEN];
    struct gt_svg svg;
    snprintf(title, sizeof title, "%s, %s", gt_format_things(a, (int64_t)plot->samples->n, "sample"),
             gt_format_things(b, plot->variant_missing.n, "variant"));
    gt_svg_begin(&svg, file, 2 * (LEFT + SIDE + RIGHT), rows * (TOP + SIDE + BELOW), title, err);
    gt_svg_text(&svg, LEFT, TOP - 16, &(struct gt_svg_font){.size = 13}, title);
    draw_bars(&svg, &samples, &plot->sample_missing, 0, end_of(&plot->sample_missing), 0);
    draw_bars(&svg, &variants, &plot->variant_missing, 0, end_of(&plot->variant_missing), 0);
    draw_bars(&svg, &maf, &plot->maf, 0, INFO_BINS / 2, 0);
    if (!plot->haploid)
        draw_heterozygosity(&svg, plot);
    if (plot->has_kinship)
        draw_kinship(&svg, &plot->kinship);
    return gt_svg_end(&svg);
}
