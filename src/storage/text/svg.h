/* SVG drawings: shapes, texts, axes and colours.  Lengths are pixels, from the upper left corner. */
#ifndef GT_OUT_SVG_H
#define GT_OUT_SVG_H

#include "core/base/outfile.h"
#include "core/base/str.h"

/* A drawing on its way to a file.  The first failure stays, what is drawn after it is lost, and
 * gt_svg_end returns it. */
struct gt_svg {
    struct gt_outfile *file; /* borrowed */
    struct gt_str text;      /* not written yet */
    struct gt_err *err;
    int status;
};

/* title: what programs show for the whole; texts are escaped, here and below. */
void gt_svg_begin(struct gt_svg *svg, struct gt_outfile *file, double width, double height, const char *title, struct gt_err *err);
/* Releases *svg; the file is the caller's to commit. */
int gt_svg_end(struct gt_svg *svg);

/* Text as it stands in the file. */
void gt_svg_addf(struct gt_svg *svg, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Colours are "#rrggbb" or names. */
void gt_svg_rect(struct gt_svg *svg, double x, double y, double width, double height, const char *fill);

enum gt_svg_anchor { GT_SVG_START, GT_SVG_MIDDLE, GT_SVG_TAIL };
struct gt_svg_font {
    double size; /* 0 = 11 */
    enum gt_svg_anchor anchor;
    double turn; /* degrees clockwise, around the anchor */
};
/* y is the base line. */
void gt_svg_text(struct gt_svg *svg, double x, double y, const struct gt_svg_font *font, const char *text);
/* <title>text, more</title>, which programs show for the element that it stands in; more: NULL = nothing. */
void gt_svg_title(struct gt_svg *svg, const char *text, const char *more);
/* About, of text at that size. */
double gt_svg_text_width(const char *text, double size);

/* An axis: its line, ticks at round numbers with these next to them, a label. */
struct gt_svg_axis {
    enum { GT_SVG_LEFT, GT_SVG_RIGHT, GT_SVG_BELOW } side; /* where the numbers stand */
    double low, high;                                      /* numbers at its ends; low < high */
    double from, to;                                       /* where these are: y, or x of an axis below */
    double at;                                             /* the other coordinate */
    int ticks;                                             /* at most; 0 = 8 */
    const char *label;                                     /* NULL: none */
};
void gt_svg_axis(struct gt_svg *svg, const struct gt_svg_axis *axis);
/* Round numbers within low .. high into ticks[], `most` at most; returns how many. */
int gt_svg_ticks(double low, double high, double ticks[], int most);

#define GT_SVG_COLOUR_LEN 8
/* A colour for a share from 0 (dark blue) to 1 (yellow); lighter all the way, also in print and
 * for those who see no red or green. */
void gt_svg_shade(double fraction, char colour[GT_SVG_COLOUR_LEN]);

#endif
