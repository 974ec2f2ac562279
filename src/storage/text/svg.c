#include "storage/text/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FONT "font-family=\"Helvetica,Arial,sans-serif\""

/* --- text ------------------------------------------------------------------------ */

static void put(struct gt_svg *svg, bool all)
{
    enum { GATHER = 64 << 10 };
    if (svg->text.len < GATHER && !all)
        return;
    if (!svg->status)
        svg->status = gt_str_check(&svg->text, svg->err);
    if (!svg->status && svg->text.len)
        svg->status = gt_outfile_write(svg->file, svg->text.s, svg->text.len, svg->err);
    gt_str_clear(&svg->text);
}

void gt_svg_addf(struct gt_svg *svg, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    gt_str_add(&svg->text, text);
    put(svg, false);
}

static void add_number(struct gt_svg *svg, double number)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%.2f", fabs(number) < 1e9 ? number : 0);
    while (text[n - 1] == '0')
        n--;
    n -= text[n - 1] == '.';
    gt_str_addn(&svg->text, text, (size_t)n);
}

/* Bytes of the UTF-8 character there; 0: it is none. */
static int character(const unsigned char *at)
{
    int n = at[0] < 0x80                    ? 1
            : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
            : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
            : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                            : 0;
    for (int k = 1; k < n; k++)
        if ((at[k] & 0xc0) != 0x80)
            return 0;
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf0 && at[1] < 0x90) ||
        (at[0] == 0xf4 && at[1] > 0x8f) || (at[0] == 0xef && at[1] == 0xbf && at[2] > 0xbd))
        return 0;
    return n;
}

/* What XML cannot hold becomes a question mark. */
static void add_escaped(struct gt_svg *svg, const char *text)
{
    for (const char *at = text; *at;) {
        const int n = character((const unsigned char *)at);
        if (*at == '&' || *at == '<' || *at == '>' || *at == '"')
            gt_str_add(&svg->text, *at == '&' ? "&amp;" : *at == '<' ? "&lt;" : *at == '>' ? "&gt;" : "&quot;");
        else if (!n || (unsigned char)*at < ' ' || *at == 0x7f)
            gt_str_add(&svg->text, "?");
        else
            gt_str_addn(&svg->text, at, (size_t)n);
        at += n ? n : 1;
    }
}

double gt_svg_text_width(const char *text, double size)
{
    int64_t characters = 0;
    for (; *text; text++)
        characters += (*text & 0xc0) != 0x80;
    return (double)characters * size * 0.6;
}

/* --- shapes -------------------------------------------------------------------------- */

/* attribute="number" of each name, apart by blanks. */
static void add_numbers(struct gt_svg *svg, const char *const names[], const double numbers[], int n)
{
    for (int k = 0; k < n; k++) {
        gt_svg_addf(svg, " %s=\"", names[k]);
        add_number(svg, numbers[k]);
        gt_str_add(&svg->text, "\"");
    }
}

void gt_svg_begin(struct gt_svg *svg, struct gt_outfile *file, double width, double height, const char *title, struct gt_err *err)
{
    *svg = (struct gt_svg){.file = file, .err = err};
    gt_svg_addf(svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" " FONT
                " font-size=\"11\" fill=\"#222\">\n<title>",
                width, height, width, height);
    add_escaped(svg, title);
    gt_str_add(&svg->text, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
}

int gt_svg_end(struct gt_svg *svg)
{
    gt_str_add(&svg->text, "</svg>\n");
    put(svg, true);
    gt_str_release(&svg->text);
    return svg->status;
}

void gt_svg_rect(struct gt_svg *svg, double x, double y, double width, double height, const char *fill)
{
    gt_str_add(&svg->text, "<rect");
    add_numbers(svg, (const char *const[]){"x", "y", "width", "height"}, (const double[]){x, y, width, height}, 4);
    gt_svg_addf(svg, " fill=\"%s\"/>\n", fill);
}

static void add_line(struct gt_svg *svg, double x1, double y1, double x2, double y2, const char *stroke)
{
    gt_str_add(&svg->text, "<line");
    add_numbers(svg, (const char *const[]){"x1", "y1", "x2", "y2"}, (const double[]){x1, y1, x2, y2}, 4);
    gt_svg_addf(svg, " stroke=\"%s\"/>\n", stroke);
}

void gt_svg_text(struct gt_svg *svg, double x, double y, const struct gt_svg_font *font, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    gt_str_add(&svg->text, "<text");
    if (font->turn != 0) {
        gt_str_add(&svg->text, " transform=\"translate(");
        add_number(svg, x);
        gt_str_add(&svg->text, " ");
        add_number(svg, y);
        gt_svg_addf(svg, ") rotate(%.0f)\"", font->turn);
    } else {
        add_numbers(svg, (const char *const[]){"x", "y"}, (const double[]){x, y}, 2);
    }
    if (font->size > 0)
        add_numbers(svg, (const char *const[]){"font-size"}, &font->size, 1);
    if (font->anchor)
        gt_svg_addf(svg, " text-anchor=\"%s\"", anchors[font->anchor]);
    gt_str_add(&svg->text, ">");
    add_escaped(svg, text);
    gt_svg_addf(svg, "</text>\n");
}

void gt_svg_title(struct gt_svg *svg, const char *text, const char *more)
{
    gt_str_add(&svg->text, "<title>");
    add_escaped(svg, text);
    gt_str_add(&svg->text, more ? ", " : "");
    add_escaped(svg, more ? more : "");
    gt_svg_addf(svg, "</title>");
}

/* --- axes ------------------------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten, so that `most` steps do not reach further than the range. */
static double round_step(double range, int most)
{
    static const double steps[] = {1, 2, 5, 10};
    const double minimum = range / most, power = pow(10, floor(log10(minimum)));
    int k = 0;
    while (k < 3 && steps[k] * power < minimum * (1 - 1e-9))
        k++;
    return steps[k] * power;
}

int gt_svg_ticks(double low, double high, double ticks[], int most)
{
    int n = 0;
    if (!(high > low) || !isfinite(high - low) || most < 2)
        return 0;
    const double step = round_step(high - low, most - 1), first = ceil(low / step - 1e-9);
    for (double k = first; n < most && k * step <= high + 1e-9 * step; k++)
        ticks[n++] = k == 0 ? 0 : k * step;
    return n;
}

static void add_tick(struct gt_svg *svg, const struct gt_svg_axis *axis, double at, const char *text)
{
    const double out = axis->side == GT_SVG_LEFT ? -4 : 4;
    if (axis->side == GT_SVG_BELOW) {
        add_line(svg, at, axis->at, at, axis->at + 4, "#222");
        gt_svg_text(svg, at, axis->at + 15, &(struct gt_svg_font){.anchor = GT_SVG_MIDDLE}, text);
    } else {
        add_line(svg, axis->at, at, axis->at + out, at, "#222");
        gt_svg_text(svg, axis->at + 2 * out, at + 4, &(struct gt_svg_font){.anchor = out < 0 ? GT_SVG_TAIL : GT_SVG_START}, text);
    }
}

static void add_label(struct gt_svg *svg, const struct gt_svg_axis *axis, double widest)
{
    const double middle = (axis->from + axis->to) / 2, away = 16 + widest;
    if (axis->side == GT_SVG_BELOW)
        gt_svg_text(svg, middle, axis->at + 32, &(struct gt_svg_font){.anchor = GT_SVG_MIDDLE}, axis->label);
    else
        gt_svg_text(svg, axis->at + (axis->side == GT_SVG_LEFT ? -away : away + 6), middle,
                    &(struct gt_svg_font){.anchor = GT_SVG_MIDDLE, .turn = -90}, axis->label);
}

void gt_svg_axis(struct gt_svg *svg, const struct gt_svg_axis *axis)
{
    enum { MOST = 32 };
    double ticks[MOST], widest = 0;
    char text[32];
    const int most = axis->ticks ? axis->ticks : 8, n = gt_svg_ticks(axis->low, axis->high, ticks, most < MOST ? most : MOST);
    if (axis->side == GT_SVG_BELOW)
        add_line(svg, axis->from, axis->at, axis->to, axis->at, "#222");
    else
        add_line(svg, axis->at, axis->from, axis->at, axis->to, "#222");
    for (int k = 0; k < n; k++) {
        snprintf(text, sizeof text, "%.6g", ticks[k]);
        add_tick(svg, axis, axis->from + (ticks[k] - axis->low) / (axis->high - axis->low) * (axis->to - axis->from), text);
        widest = gt_svg_text_width(text, 11) > widest ? gt_svg_text_width(text, 11) : widest;
    }
    if (axis->label)
        add_label(svg, axis, widest);
}

/* --- colours ------------------------------------------------------------------------------ */

void gt_svg_shade(double fraction, char colour[GT_SVG_COLOUR_LEN])
{
    /* Matplotlib's viridis at equal distances. */
    static const uint8_t stops[][3] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},  {49, 104, 142}, {38, 130, 142},
                                       {31, 158, 137}, {53, 183, 121}, {109, 205, 89}, {180, 222, 44}, {253, 231, 37}};
    enum { LAST = sizeof stops / sizeof *stops - 1 };
    const double at = (fraction > 0 ? fraction < 1 ? fraction : 1 : 0) * LAST;
    const int k = at < LAST ? (int)at : LAST - 1;
    unsigned part[3];
    for (int c = 0; c < 3; c++)
        part[c] = (unsigned)lround(stops[k][c] + (at - k) * (stops[k + 1][c] - stops[k][c])) & 0xff;
    snprintf(colour, GT_SVG_COLOUR_LEN, "#%02x%02x%02x", part[0], part[1], part[2]);
}
