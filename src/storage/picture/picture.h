/* Picture files: SVG as it is drawn, PNG and PDF made from it, and graphs laid out by Graphviz.
 *
 * Other libraries do this (cairo, librsvg, libgvc), in a module that is loaded on request (core/base/module.h). */
#ifndef GT_PICTURE_H
#define GT_PICTURE_H

#include "core/base/outfile.h"
#include "core/base/str.h"

struct gt_picture_opts {
    double width; /* of PNG and PDF, in pixels of 1/96 inch; 0 = as the SVG says */
    double dpi;   /* of PNG: pixels for each inch; 0 = GT_PICTURE_DPI */
};
#define GT_PICTURE_DPI 192

/* The suffixes that a picture may have: ".svg, .png or .pdf". */
#define GT_PICTURE_SUFFIXES ".svg, .png or .pdf"

/* option: its name in messages ("--plot"), path: its value.  A name in /dev and "-" are SVG.  GT_USAGE: another suffix, one that this
 * build cannot write, or opts that it has no use for. */
int gt_picture_check(const char *option, const char *path, const struct gt_picture_opts *opts, struct gt_err *err);

/* Opens as gt_outfile_open does.  SVG text is then written (storage/text/svg.h); it becomes what the name says when the file is
 * committed.  opts may be NULL.  A picture of more than 30,000 pixels a side is GT_FAIL, then. */
int gt_picture_open(struct gt_outfile *out, const char *path, const struct gt_picture_opts *opts, struct gt_err *err);

/* Can this build lay out graphs?  GT_USAGE. */
int gt_picture_check_graph(const char *option, struct gt_err *err);
/* Text in Graphviz's language becomes SVG, added to *svg. */
int gt_picture_lay_out(const char *dot, struct gt_str *svg, struct gt_err *err);

#endif
