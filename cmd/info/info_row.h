/* A row of a table, as a line of tab-separated text or as a JSON object. */
#ifndef GT_CMD_INFO_ROW_H
#define GT_CMD_INFO_ROW_H

#include <stdbool.h>

#include "core/base/str.h"

struct info_row {
    struct gt_str *out;
    bool json;
    bool begun;
};

void info_row_begin(struct info_row *row);
/* A field; `name` is its column's, for JSON.  A number that is not finite is nan, or null. */
void info_row_text(struct info_row *row, const char *name, const char *text);
void info_row_count(struct info_row *row, const char *name, int64_t count);
void info_row_real(struct info_row *row, const char *name, double value);
/* With six digits: an estimate. */
void info_row_estimate(struct info_row *row, const char *name, double value);
void info_row_end(struct info_row *row);

/* What would break a table is written as an escape. */
void info_add_text(struct gt_str *out, const char *text, size_t n);
/* A name, or a line for people: the same of what would be no text on a terminal, and nothing else. */
void info_add_name(struct gt_str *out, const char *name);

#endif
