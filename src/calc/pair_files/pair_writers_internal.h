/* What the sinks for numbers about pairs share. */
#ifndef GT_OUT_PAIRS_IMPL_H
#define GT_OUT_PAIRS_IMPL_H

#include "calc/pair_files/pair_writers.h"
#include "core/base/outfile.h"
#include "storage/text/decimal.h"
#include "storage/text/id_text.h"

/* out/binary.c, out/counts.c, out/listed.c, out/nearest.c, out/table.c, out/pairs_zarr.c, out/unrelated.c; below, out/list.c */
int gt_binary_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err);
int gt_counts_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err);
int gt_selected_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err);
int gt_nearest_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err);
int gt_table_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err);
int gt_phylip_check_ids(const struct gt_strs *ids, struct gt_err *err); /* out/table.c */
int gt_unrelated_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err);
int64_t gt_unrelated_memory(const struct gt_sink_wants *wants, const struct gt_strs *rows, const struct gt_strs *columns);
int gt_pairs_zarr_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err);
int64_t gt_pairs_zarr_memory(const struct gt_sink_wants *wants, const struct gt_strs *rows, const struct gt_strs *columns);

/* n numbers as float64 or float32, by width, little endian.  out/binary.c */
void gt_pairs_bytes(const double *values, size_t n, size_t width, void *out);

/* The long table, a line a pair: its head; the end of a line, after both ids and the tab; a line. */
enum { GT_LIST_NUMBERS = 2 * GT_DECIMAL_LEN + 2 };
void gt_list_head(struct gt_str *text, const char *value);
char *gt_list_numbers(char *at, double value, double sites);
void gt_list_line(struct gt_str *text, const char *id1, const char *id2, double value, double sites);
/* Writes the text and clears it, where there is enough of it, or with `all`. */
int gt_list_put(struct gt_outfile *file, struct gt_str *text, bool all, struct gt_err *err);

/* Bytes of a neighbour. */
int64_t gt_nearest_pair_bytes(void);

static inline bool gt_pairs_within(const struct gt_pairs_limits *limits, double value)
{
    return limits->given ? value >= limits->min && value <= limits->max : value == value;
}

/* The file of ids next to an output. */
struct gt_id_file {
    enum gt_id_style style;
    char *path; /* NULL: none */
    struct gt_outfile file;
};
/* None if the output itself, path, is a stream. */
int gt_id_file_plan(struct gt_id_file *ids, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err);
/* Of the first part alone. */
int gt_id_file_write(struct gt_id_file *file, const struct gt_sink_subject *subject, struct gt_err *err);
void gt_id_file_free(struct gt_id_file *file);

#endif
