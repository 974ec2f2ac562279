/* Where numbers about pairs of samples go: calc/ makes tiles of them and hands these to
 * a sink, out/ writes them as a file format. */
#ifndef GT_CALC_SINK_H
#define GT_CALC_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/budget.h"
#include "core/base/str.h"

/* Rows [row, row + rows) by columns [column, column + columns) of the planes that the sink
 * asked for, in its order; [rows][columns] each. */
struct gt_tile {
    int64_t row, rows, column, columns;
    const double *const *planes;
};

enum gt_sink_order {
    GT_TILES_IN_ROWS, /* tiles are whole rows of the part, from the first to the last */
    GT_TILES_ANY,     /* tiles of any place and shape, in any order, written side by side */
};

/* What of the square is wanted.  Tiles may hold more, but never miss any of it; in rows,
 * a tile begins with the first column wanted of its first row, and ends with the last one of
 * its last row. */
enum gt_sink_part {
    GT_PART_SQUARE,
    GT_PART_LOWER,          /* columns before the row's own */
    GT_PART_LOWER_DIAGONAL, /* and that one */
    GT_PART_UPPER,          /* columns behind it */
};

#define GT_SINK_PLANES 8

/* What a sink asks for, known before it is opened. */
struct gt_sink_wants {
    enum gt_sink_part part;
    const char *const *planes; /* names; NULL behind the last, GT_SINK_PLANES at most */
    int64_t kept, kept_bytes;  /* pairs of each row, at most, that it keeps until the end, and bytes of one */
    /* Bytes that it takes beside those, from begin to finish; NULL: next to none. */
    int64_t (*memory)(const struct gt_sink_wants *wants, const struct gt_strs *rows, const struct gt_strs *columns);
    const double *self; /* what stands on the diagonal where the metric has no number; NULL: NaN */
    int (*check_ids)(const struct gt_strs *ids, struct gt_err *err); /* NULL: any will do */
    int width;                                                       /* bytes of a number, where memory asks for it */
    int64_t held;                                                    /* bytes that it takes in the end, whatever there is */
    int triangles; /* so many float64 a pair that it keeps until the end, for calc/cluster.h */
    int lines;     /* a pair is a line of text with two ids and so many numbers; 0 = it is one number */
    bool counts;   /* all that is counted, as it was counted, and not "distance"; planes are then among these */
};

/* What the numbers are about, and which of the rows will come: those of one part of several,
 * whose files follow each other in a larger one. */
struct gt_sink_subject {
    const struct gt_strs *rows, *columns; /* ids of the whole output; one list where samples are compared with each other */
    const struct gt_strs *plink_ids;      /* "FID<tab>IID" of the rows; NULL: not known, and "0<tab>ID" */
    /* Where rows and columns are two lists of the samples of one input, their numbers in it; else NULL.
     * They stand until finish. */
    const uint32_t *row_samples, *column_samples;
    int64_t first, last;       /* rows [first, last) come */
    bool head;                 /* what stands before all rows is wanted too */
    const char *const *planes; /* names of those in a tile; NULL behind the last */
    struct gt_budget *budget;  /* of what a sink keeps */
    int64_t sites;
    uint64_t digest;                        /* of the genotypes, see struct gt_row_source_info; where counts are wanted */
    const struct gt_variant_ranges *ranges; /* likewise; NULL: not known */
};

/* begin before all, finish after all; free without finish leaves nothing under the
 * output's name.  format makes a tile's bytes, on any thread; NULL when there is nothing to
 * make.  write puts them out: one call at a time in rows, side by side in any order. */
struct gt_sink;
struct gt_sink_ops {
    int (*begin)(struct gt_sink *sink, const struct gt_sink_subject *subject, struct gt_err *err);
    int (*format)(struct gt_sink *sink, const struct gt_tile *tile, struct gt_buf *bytes, struct gt_err *err);
    int (*write)(struct gt_sink *sink, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err);
    int (*finish)(struct gt_sink *sink, struct gt_err *err);
    void (*free)(struct gt_sink *sink);
};

/* Bytes that format takes for a pair, at most; longest: of an id, with what stands for its family.  The text of a number is shorter
 * than 32. */
static inline int64_t gt_sink_cell_bytes(const struct gt_sink_wants *wants, int64_t longest)
{
    return wants->lines ? 2 * (longest + 3) + 32 * wants->lines : 32;
}

struct gt_sink {
    const struct gt_sink_ops *ops;
    enum gt_sink_order order;
    struct gt_sink_wants wants;
    int64_t cell_bytes; /* that format takes for a pair, about; known once it has begun */
};

#endif
