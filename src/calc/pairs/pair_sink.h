/* Sinks for results about pairs of samples: calc/pairs produces tiles, a sink in calc/pair_files writes them in a file
 * format. */
#ifndef GT_CALC_SINK_H
#define GT_CALC_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/budget.h"
#include "core/base/str.h"

/* Rows [row, row + rows) and columns [column, column + columns) of the planes requested by the sink, in its order;
 * [rows][columns] each. */
struct gt_tile {
    int64_t row, rows, column, columns;
    const double *const *planes;
};

enum gt_sink_order {
    GT_TILES_IN_ROWS, /* tiles are complete rows of the part, in order */
    GT_TILES_ANY,     /* tiles of any position and shape, in any order, written concurrently */
};

/* The part of the square needed.  Tiles cover all of it and may contain more; with GT_TILES_IN_ROWS a tile starts at the first
 * needed column of its first row and ends with the last needed column of its last row. */
enum gt_sink_part {
    GT_PART_SQUARE,
    GT_PART_LOWER,          /* below the diagonal */
    GT_PART_LOWER_DIAGONAL, /* and the diagonal */
    GT_PART_UPPER,          /* above the diagonal */
};

#define GT_SINK_PLANES 8

/* Requirements of a sink, known before it is opened. */
struct gt_sink_wants {
    enum gt_sink_part part;
    const char *const *planes; /* names, NULL-terminated, at most GT_SINK_PLANES */
    int64_t kept, kept_bytes;  /* maximum pairs per row kept until the end, and bytes of a pair */
    /* Other memory from begin to finish; NULL: negligible. */
    int64_t (*memory)(const struct gt_sink_wants *wants, const struct gt_strs *rows, const struct gt_strs *columns);
    const double *self;                                              /* value on the diagonal if the metric has none; NULL: NaN */
    int (*check_ids)(const struct gt_strs *ids, struct gt_err *err); /* NULL: all ids are allowed */
    int width;                                                       /* bytes of a number, as a parameter of `memory` */
    int64_t held;                                                    /* constant memory needed by finish */
    int triangles;                                                   /* float64 values per pair kept until the end, for calc/cluster */
    int lines;    /* numbers per line, if a pair is a line of text with two ids; 0 = a pair is a number */
    bool counts;  /* writes raw counts instead of "distance"; planes are among them */
    bool limited; /* a pair whose "distance" is below `least` or NaN is left out: it may come as NaN, without its other planes */
    double least;
};

/* Describes the results and the rows that will be written: all rows, or those of one of several parts whose files are
 * concatenated. */
struct gt_sink_subject {
    const struct gt_strs *rows, *columns; /* ids of the whole output; the same list if samples are compared with each other */
    const struct gt_strs *plink_ids;      /* "FID<tab>IID" of the rows; NULL: unknown, use "0<tab>ID" */
    /* If rows and columns are two sample lists of the same input, the sample indices; else NULL.  Valid until finish. */
    const uint32_t *row_samples, *column_samples;
    int64_t first, last;       /* rows [first, last) are written */
    bool head;                 /* also write the part of the file before all rows */
    const char *const *planes; /* names of the planes of a tile, NULL-terminated */
    struct gt_budget *budget;  /* counts memory kept by the sink */
    int64_t sites;
    uint64_t digest;                        /* digest of the genotypes, see struct gt_row_source_info; for counts */
    const struct gt_variant_ranges *ranges; /* for counts; NULL: not known */
};

/* begin is called first and finish last; free without finish leaves no output.  format converts a tile to bytes, on any thread; may be
 * NULL.  write writes them: one call at a time for tiles in rows, otherwise concurrently. */
struct gt_sink;
struct gt_sink_ops {
    int (*begin)(struct gt_sink *sink, const struct gt_sink_subject *subject, struct gt_err *err);
    int (*format)(struct gt_sink *sink, const struct gt_tile *tile, struct gt_buf *bytes, struct gt_err *err);
    int (*write)(struct gt_sink *sink, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err);
    int (*finish)(struct gt_sink *sink, struct gt_err *err);
    void (*free)(struct gt_sink *sink);
};

/* Maximum bytes per pair in `format`; longest: maximum length of an id with family id.  A number takes less than 32 bytes as
 * text. */
static inline int64_t gt_sink_cell_bytes(const struct gt_sink_wants *wants, int64_t longest)
{
    return wants->lines ? 2 * (longest + 3) + 32 * wants->lines : 32;
}

struct gt_sink {
    const struct gt_sink_ops *ops;
    enum gt_sink_order order;
    struct gt_sink_wants wants;
    int64_t cell_bytes; /* approximate bytes per pair in `format`; known after begin */
};

#endif
