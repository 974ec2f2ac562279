#include "config.h"

#include "core/base/line_file.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "core/base/mem.h"
#include "core/base/str.h"

/* Longer lines are no names or regions; the limit keeps a hostile file from
 * filling the memory. */
#define LINE_MAX_LEN ((size_t)1 << 20)

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* One line into *line; 1 = there is one, 0 = the end or no memory, -1 = too long. */
static int get_line(gzFile file, struct gt_str *line)
{
    char piece[4096];
    gt_str_clear(line);
    while (!line->failed && gzgets(file, piece, sizeof piece)) {
        size_t n = strlen(piece);
        gt_str_addn(line, piece, n);
        if (n && piece[n - 1] == '\n')
            break;
        if (line->len > LINE_MAX_LEN)
            return -1;
    }
    if (!line->len)
        return 0;
    while (line->len && (line->s[line->len - 1] == '\n' || line->s[line->len - 1] == '\r'))
        line->s[--line->len] = '\0';
    return 1;
}

const char *gt_line_between(const char *text)
{
    return strchr(text, '\t') ? "\t" : " ";
}

int gt_line_columns(char *text, const char *between, char **columns, int max)
{
    char *save;
    int n = 0;
    memset(columns, 0, (size_t)max * sizeof *columns);
    for (; n < max && (columns[n] = strtok_r(text, between, &save)); n++)
        text = NULL;
    return n;
}

int gt_lines_read(const char *path, int (*line)(void *ctx, char *text, int64_t number, struct gt_err *err), void *ctx, struct gt_err *err)
{
    struct gt_str text = {0};
    int status = 0, got = 0, code;
    if (strcmp(path, "-") == 0) {
        gt_fail(err, GT_USAGE, "'-': a list must be a file, not standard input");
        gt_hint(err, "use /dev/stdin");
        return GT_USAGE;
    }
    errno = 0;
    gzFile file = gzopen(path, "rb");
    if (!file)
        return gt_fail_errno(err, errno ? errno : ENOMEM, "cannot open '%s'", path);
    for (int64_t number = 1; !status && (got = get_line(file, &text)) > 0; number++)
        status = line(ctx, text.s + (number == 1 && strncmp(text.s, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0), number, err);
    if (got < 0)
        status = gt_fail(err, GT_INPUT, "'%s': a line is longer than %zu bytes", path, LINE_MAX_LEN);
    if (!status)
        status = gt_str_check(&text, err);
    gzerror(file, &code);
    if (!status && code == Z_MEM_ERROR)
        status = gt_no_memory(err);
    else if (!status && code < 0 && code != Z_BUF_ERROR)
        status =
            code == Z_ERRNO ? gt_fail_errno(err, errno, "cannot read '%s'", path) : gt_fail(err, GT_INPUT, "'%s': damaged gzip data", path);
    else if (!status && code == Z_BUF_ERROR)
        status = gt_fail(err, GT_INPUT, "'%s' is truncated: the gzip stream ends early", path);
    gzclose(file);
    gt_str_release(&text);
    return status;
}
