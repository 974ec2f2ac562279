#include "cmd/info/info_row.h"

#include <math.h>
#include <string.h>

#include "core/base/json.h"
#include "storage/text/decimal.h"

/* Bytes at the head of text that stand for themselves. */
static size_t plain(const char *text, size_t len)
{
    size_t n = 0;
    while (n < len && (unsigned char)text[n] >= 32 && text[n] != 127 && text[n] != '\\' && text[n] != '"')
        n++;
    return n;
}

void info_add_text(struct gt_str *out, const char *text, size_t len)
{
    for (size_t n;; text += n + 1, len -= n + 1) {
        n = plain(text, len);
        gt_str_addn(out, text, n);
        if (n == len)
            return;
        unsigned char c = (unsigned char)text[n];
        if (c == '"')
            gt_str_add(out, "\"");
        else if (c == '\t' || c == '\n' || c == '\r' || c == '\\')
            gt_str_addf(out, "\\%c", c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : '\\');
        else
            gt_str_addf(out, "\\x%02x", c);
    }
}

void info_add_name(struct gt_str *out, const char *name)
{
    for (; *name; name++) {
        const unsigned char c = (unsigned char)*name;
        if (c < 32 || c == 127)
            gt_str_addf(out, "\\x%02x", c);
        else
            gt_str_addn(out, name, 1);
    }
}

static void start_field(struct info_row *row, const char *name)
{
    if (row->begun)
        gt_str_addn(row->out, row->json ? ", " : "\t", row->json ? 2 : 1);
    if (row->json)
        gt_str_addf(row->out, "\"%s\": ", name);
    row->begun = true;
}

void info_row_begin(struct info_row *row)
{
    row->begun = false;
    if (row->json)
        gt_str_add(row->out, "{");
}

void info_row_text(struct info_row *row, const char *name, const char *text)
{
    start_field(row, name);
    if (row->json)
        gt_json_print_text(row->out, text, strlen(text));
    else
        info_add_text(row->out, text, strlen(text));
}

void info_row_count(struct info_row *row, const char *name, int64_t count)
{
    char text[GT_DECIMAL_LEN];
    start_field(row, name);
    if (count < 0)
        gt_str_add(row->out, "-");
    gt_str_addn(row->out, text, (size_t)(gt_decimal_uint(text, count < 0 ? 0 - (uint64_t)count : (uint64_t)count) - text));
}

void info_row_real(struct info_row *row, const char *name, double value)
{
    char text[GT_DECIMAL_LEN];
    start_field(row, name);
    if (isfinite(value))
        gt_str_addn(row->out, text, (size_t)(gt_decimal_double(text, value) - text));
    else
        gt_str_add(row->out, row->json ? "null" : "nan");
}

void info_row_estimate(struct info_row *row, const char *name, double value)
{
    start_field(row, name);
    if (isfinite(value))
        gt_str_addf(row->out, "%.10g", value);
    else
        gt_str_add(row->out, row->json ? "null" : "nan");
}

void info_row_end(struct info_row *row)
{
    gt_str_add(row->out, row->json ? "}" : "\n");
}
