#include "storage/text/svg_groups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/size.h"

/* --- colours and symbols ----------------------------------------------------------- */

enum { HUES = 7 };

void gt_svg_group_colour(int64_t k, char colour[GT_SVG_COLOUR_LEN])
{
    /* Okabe and Ito's, without yellow, which is faint on white. */
    static const uint8_t hues[HUES][3] = {{0, 114, 178},  {230, 159, 0}, {0, 158, 115}, {204, 121, 167},
                                          {86, 180, 233}, {213, 94, 0},  {75, 75, 75}};
    static const double mixes[] = {0, 0.5, -0.5, 0.25, -0.25, 0.65, -0.65, 0.38, -0.38, -0.8}; /* part of white, or of black */
    const double mix = mixes[k / HUES % (int64_t)(sizeof mixes / sizeof *mixes)];
    unsigned part[3];
    for (int c = 0; c < 3; c++) {
        const double value = hues[k % HUES][c];
        part[c] = (unsigned)lround(mix < 0 ? value * (1 + mix) : value + mix * (255 - value)) & 0xff;
    }
    snprintf(colour, GT_SVG_COLOUR_LEN, "#%02x%02x%02x", part[0], part[1], part[2]);
}

const struct gt_svg_symbol gt_svg_cross = {"m-3 0h6m-3 -3v6", GT_SVG_OPEN};

const struct gt_svg_symbol *gt_svg_group_symbol(int64_t k)
{
    static const struct gt_svg_symbol symbols[] = {{"h0", GT_SVG_DOT},
                                                   {"m0 -3.2l2.9 5h-5.8z", GT_SVG_FILLED},
                                                   {"m-2.3 -2.3h4.6v4.6h-4.6z", GT_SVG_FILLED},
                                                   {"m0 -3.3l3.3 3.3l-3.3 3.3l-3.3 -3.3z", GT_SVG_FILLED},
                                                   {"m0 3.2l2.9 -5h-5.8z", GT_SVG_FILLED},
                                                   {"m-2.4 -2.4l4.8 4.8m0 -4.8l-4.8 4.8", GT_SVG_OPEN},
                                                   {"m0 -3.2l2.9 5h-5.8z", GT_SVG_OPEN},
                                                   {"m-2.3 -2.3h4.6v4.6h-4.6z", GT_SVG_OPEN},
                                                   {"m0 -3.3l3.3 3.3l-3.3 3.3l-3.3 -3.3z", GT_SVG_OPEN}};
    return &symbols[k < 0 ? 0 : k / HUES % (int64_t)(sizeof symbols / sizeof *symbols)];
}

void gt_svg_symbol_begin(struct gt_svg *svg, const char *element, const struct gt_svg_symbol *symbol, const char *colour)
{
    if (symbol->kind == GT_SVG_FILLED)
        gt_svg_addf(svg, "<%s fill=\"%s\" fill-opacity=\"0.7\" ", element, colour);
    else
        gt_svg_addf(svg, "<%s fill=\"none\" stroke=\"%s\" stroke-opacity=\"0.7\" %s ", element, colour,
                    symbol->kind == GT_SVG_DOT ? "stroke-width=\"4.5\" stroke-linecap=\"round\"" : "stroke-width=\"1.2\"");
}

/* --- the legend ------------------------------------------------------------------------- */

enum { LINE = 16, FEWEST_LINES = 20, MOST_NAMES = 400, MOST_LETTERS = 28, GAP = 14 };

struct layout {
    int64_t names, shown, lines, rows; /* lines: of all columns */
    double column;                     /* its width */
};

/* A name, cut where it is too long. */
static const char *short_name(const char *name, char text[4 * MOST_LETTERS + 4])
{
    size_t n = 0, letters = 0;
    for (; name[n]; n++)
        if ((name[n] & 0xc0) != 0x80 && ++letters > MOST_LETTERS)
            break;
    n = n < 4 * MOST_LETTERS ? n : 4 * MOST_LETTERS;
    memcpy(text, name, n);
    strcpy(text + n, name[n] ? "\xe2\x80\xa6" : "");
    return text;
}

static struct layout lay_out(const struct gt_svg_legend *legend)
{
    struct layout layout = {.names = legend->names ? (int64_t)legend->names->n : 0};
    char text[4 * MOST_LETTERS + 4];
    double widest = gt_svg_text_width("and 1,000 more", 11);
    layout.shown = layout.names <= MOST_NAMES ? layout.names : MOST_NAMES - 1;
    layout.lines = layout.shown + (layout.shown < layout.names) + legend->no_group + legend->projected;
    layout.rows = (int64_t)(legend->height / LINE);
    layout.rows = layout.rows < FEWEST_LINES ? FEWEST_LINES : layout.rows;
    for (int64_t g = 0; g < layout.shown; g++)
        widest = fmax(widest, gt_svg_text_width(short_name(gt_strs_get(legend->names, (size_t)g), text), 11));
    layout.column = LINE + widest + GAP;
    return layout;
}

double gt_svg_legend_width(const struct gt_svg_legend *legend)
{
    const struct layout layout = lay_out(legend);
    return layout.column * (double)gt_ceil_div(layout.lines, layout.rows);
}

double gt_svg_legend_height(const struct gt_svg_legend *legend)
{
    const struct layout layout = lay_out(legend);
    return LINE * (double)(layout.lines < layout.rows ? layout.lines : layout.rows);
}

/* symbol: NULL = a square */
static void draw_line(struct gt_svg *svg, double x, double y, const struct gt_svg_symbol *symbol, const char *colour, const char *text)
{
    if (!symbol) {
        gt_svg_rect(svg, x, y, 10, 10, colour);
    } else {
        gt_svg_symbol_begin(svg, "path", symbol, colour);
        gt_svg_addf(svg, "d=\"M%.1f %.1f%s\"/>\n", x + 5, y + 5, symbol->path);
    }
    gt_svg_text(svg, x + LINE, y + 9, &(struct gt_svg_font){0}, text);
}

void gt_svg_legend_draw(struct gt_svg *svg, const struct gt_svg_legend *legend, double left, double top)
{
    const struct layout layout = lay_out(legend);
    char name[4 * MOST_LETTERS + 4], colour[GT_SVG_COLOUR_LEN], text[64], number[GT_NUM_LEN];
    for (int64_t line = 0; line < layout.lines; line++) {
        const double x = left + layout.column * (double)(line / layout.rows), y = top + LINE * (double)(line % layout.rows);
        const int64_t after = line - layout.shown - (layout.shown < layout.names);
        if (line < layout.shown) {
            gt_svg_group_colour(line, colour);
            draw_line(svg, x, y, legend->symbols ? gt_svg_group_symbol(line) : NULL, colour,
                      short_name(gt_strs_get(legend->names, (size_t)line), name));
        } else if (after < 0) {
            snprintf(text, sizeof text, "and %s more", gt_format_count(number, layout.names - layout.shown));
            gt_svg_text(svg, x + LINE, y + 9, &(struct gt_svg_font){0}, text);
        } else if (after == 0 && legend->no_group) {
            draw_line(svg, x, y, legend->symbols ? gt_svg_group_symbol(0) : NULL, GT_SVG_NO_GROUP, "no group");
        } else {
            draw_line(svg, x, y, &gt_svg_cross, "#222", "projected");
        }
    }
}
