/* Groups in drawings: colours, symbols and the legend. */
#ifndef GT_SVG_GROUPS_H
#define GT_SVG_GROUPS_H

#include <stdbool.h>

#include "storage/text/svg.h"

/* A colour for group k: seven that colour-blind people can tell apart, then the same ones lighter and darker. */
void gt_svg_group_colour(int64_t k, char colour[GT_SVG_COLOUR_LEN]);

/* How a point is drawn: a path, relative to the point. */
struct gt_svg_symbol {
    const char *path;
    enum { GT_SVG_DOT, GT_SVG_FILLED, GT_SVG_OPEN } kind;
};
/* A symbol for group k: the same for each seven groups, so that few groups differ by colour alone. */
const struct gt_svg_symbol *gt_svg_group_symbol(int64_t k);
extern const struct gt_svg_symbol gt_svg_cross; /* of no group */
/* The start of an element that has such paths, up to "d=" or ">": `<path fill=...`; element: "path" or "g". */
void gt_svg_symbol_begin(struct gt_svg *svg, const char *element, const struct gt_svg_symbol *symbol, const char *colour);

/* A list of names with their colours, in columns. */
struct gt_svg_legend {
    const struct gt_strs *names; /* NULL: none */
    bool symbols;                /* of the groups; else squares */
    bool no_group, projected;    /* lines for a grey point, and a cross */
    double height;               /* room for it; more if there are few columns then */
};
#define GT_SVG_NO_GROUP "#999999"
double gt_svg_legend_width(const struct gt_svg_legend *legend);
double gt_svg_legend_height(const struct gt_svg_legend *legend);
void gt_svg_legend_draw(struct gt_svg *svg, const struct gt_svg_legend *legend, double left, double top);

#endif
