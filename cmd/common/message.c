/* Messages on standard error. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/common/cli.h"
#include "cmd/common/message.h"
#include "core/base/outfile.h"
#include "core/base/str.h"
#include "storage/http/url.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gt_str status_text; /* what stands below the messages, "" for nothing */
static FILE *log_file;
static const char *log_name;

/* Bytes of the UTF-8 character at s, or 0 when it is none or is a control character. */
static int utf8_len(const unsigned char *s)
{
    static const unsigned first_of_len[] = {0, 0, 0x80, 0x800, 0x10000};
    if (s[0] < 0x80)
        return s[0] >= 0x20 && s[0] != 0x7f;
    int n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    unsigned code = s[0] & (0xffu >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    bool bad = code < first_of_len[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000);
    bool control =
        code < 0xa0 || (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return bad || control ? 0 : n;
}

/* Adds text with control characters and bytes that are not UTF-8 as \n, \t or \xNN. */
static void add_visible(struct gt_str *out, const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = utf8_len(s);
        if (n)
            gt_str_addn(out, s, (size_t)n);
        else if (*s == '\n' || *s == '\t' || *s == '\r')
            gt_str_add(out, *s == '\n' ? "\\n" : *s == '\t' ? "\\t" : "\\r");
        else
            gt_str_addf(out, "\\x%02x", *s);
        s += n ? n : 1;
    }
}

/* A terminal that does not take our words is no reason to stop. */
static void to_stderr(const char *text, size_t n)
{
    (void)gt_write_all(STDERR_FILENO, text, n, "standard error", NULL);
}

/* Rows of the terminal that the status takes: lines longer than a terminal that became narrower are wrapped. */
static int status_rows(void)
{
    struct winsize size;
    const size_t columns = !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : SIZE_MAX;
    int rows = 0;
    for (const char *line = status_text.s;;) {
        const size_t n = strcspn(line, "\n");
        rows += n ? (int)((n - 1) / columns) + 1 : 1;
        if (!line[n])
            return rows;
        line += n + 1;
    }
}

/* Erases the status that stands, the cursor being at its end. */
static void add_erase(struct gt_str *out)
{
    const int rows = status_text.len ? status_rows() : 1;
    gt_str_add(out, "\r");
    if (rows > 1)
        gt_str_addf(out, "\033[%dA\033[J", rows - 1);
    else
        gt_str_add(out, "\033[K");
}

void gt_status_show(const char *text)
{
    pthread_mutex_lock(&lock);
    if (text || status_text.len) {
        struct gt_str out = {0};
        add_erase(&out);
        gt_str_clear(&status_text);
        gt_str_add(&status_text, text ? text : "");
        gt_str_add(&out, text ? text : "");
        to_stderr(out.s, out.len);
        gt_str_release(&out);
    }
    if (!text)
        gt_str_release(&status_text);
    pthread_mutex_unlock(&lock);
}

void gt_status_abandon(void)
{
    if (pthread_mutex_trylock(&lock) || !status_text.len)
        return;
    struct gt_str out = {0};
    add_erase(&out);
    to_stderr(out.s, out.len);
}

/* What is said when memory is out, cut where it is long. */
static void put_without_memory(const char *name, const char *label, const char *text)
{
    char line[1200];
    int n = snprintf(line, sizeof line - 1, "%s%s%s%s", name ? name : "", name ? ": " : "", label, text);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof line - 2 ? (size_t)n : sizeof line - 2;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)line[i] < 0x20 || (unsigned char)line[i] > 0x7e)
            line[i] = '?';
    line[len] = '\n';
    to_stderr(line, len + 1);
}

/* One line to standard error (unless quiet) and to the log.  label: what stands in
 * front of the text, made by us. */
static void put_line(const char *name, const char *label, const char *text, bool quiet)
{
    struct gt_str line = {0}, out = {0}, public = {0};
    gt_url_add_public(&public, text);
    if (name)
        gt_str_addf(&line, "%s: ", name);
    gt_str_add(&line, label);
    add_visible(&line, public.len ? public.s : "");
    if (public.failed)
        gt_str_fail(&line);
    gt_str_add(&line, "\n");
    pthread_mutex_lock(&lock);
    if (!quiet && line.failed) {
        put_without_memory(name, label, text);
    } else if (!quiet) {
        if (status_text.len)
            add_erase(&out);
        gt_str_addn(&out, line.s, line.len);
        if (status_text.len)
            gt_str_add(&out, status_text.s);
        if (out.failed)
            to_stderr(line.s, line.len);
        else
            to_stderr(out.s, out.len);
    }
    if (log_file)
        fwrite(line.s, 1, line.len, log_file);
    pthread_mutex_unlock(&lock);
    gt_str_release(&line);
    gt_str_release(&out);
    gt_str_release(&public);
}

__attribute__((format(printf, 3, 0))) static void put_formatted(struct gt_cli *cli, const char *label, const char *fmt, va_list ap)
{
    char *text = NULL;
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    put_line(cli->cmd->name, label, text ? text : "out of memory", cli->quiet);
    free(text);
}

void gt_note(struct gt_cli *cli, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_formatted(cli, "", fmt, ap);
    va_end(ap);
}

void gt_warn(struct gt_cli *cli, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_formatted(cli, "warning: ", fmt, ap);
    va_end(ap);
}

void gt_print_error(const char *name, const struct gt_err *err)
{
    put_line(name, "", err->msg[0] ? err->msg : "failed", false);
    if (err->hint[0])
        put_line(NULL, "hint: ", err->hint, false);
}

int gt_log_open(const char *path, struct gt_err *err)
{
    log_file = fopen(path, "we");
    if (!log_file)
        return gt_fail_errno(err, errno, "cannot open log '%s'", path);
    setvbuf(log_file, NULL, _IOLBF, 0);
    log_name = path;
    return GT_OK;
}

int gt_log_close(struct gt_err *err)
{
    if (!log_file)
        return GT_OK;
    pthread_mutex_lock(&lock);
    bool bad = ferror(log_file);
    bad = fclose(log_file) != 0 || bad;
    log_file = NULL;
    pthread_mutex_unlock(&lock);
    return bad ? gt_fail(err, GT_FAIL, "cannot write log '%s'", log_name) : GT_OK;
}
