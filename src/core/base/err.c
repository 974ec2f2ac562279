#include "config.h"

#include "core/base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Control characters in names would break the one-line rule. */
static void one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

static int fail(struct gt_err *err, int status, bool unsupported, const char *fmt, va_list ap)
{
    if (!err || err->status)
        return status;
    err->status = status;
    err->unsupported = unsupported;
    vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    one_line(err->msg);
    err->hint[0] = '\0';
    return status;
}

int gt_fail(struct gt_err *err, int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fail(err, status, false, fmt, ap);
    va_end(ap);
    return status;
}

int gt_fail_unsupported(struct gt_err *err, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fail(err, GT_INPUT, true, fmt, ap);
    va_end(ap);
    return GT_INPUT;
}

/* In buf or elsewhere. */
static const char *describe(int errnum, char *buf, size_t size)
{
#if STRERROR_R_CHAR_P
    return strerror_r(errnum, buf, size);
#else
    return strerror_r(errnum, buf, size) == 0 ? buf : "unknown error";
#endif
}

int gt_fail_errno(struct gt_err *err, int errnum, const char *fmt, ...)
{
    int status = errnum == EPIPE ? GT_PIPE : GT_FAIL;
    char text[sizeof err->msg], why[128];
    va_list ap;
    if (!err || err->status)
        return status;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    /* a long name is cut so that the cause is still seen */
    gt_fail(err, status, "%.800s: %s", text, describe(errnum, why, sizeof why));
    err->errnum = errnum;
    if (errnum == EMFILE)
        gt_hint(err, "raise the limit of open files (ulimit -Hn), or give fewer inputs");
    return status;
}

void gt_hint(struct gt_err *err, const char *fmt, ...)
{
    va_list ap;
    if (!err || !err->status || err->hint[0])
        return;
    va_start(ap, fmt);
    vsnprintf(err->hint, sizeof err->hint, fmt, ap);
    va_end(ap);
    one_line(err->hint);
}

void gt_fail_prefix(struct gt_err *err, const char *fmt, ...)
{
    char text[sizeof err->msg], rest[sizeof err->msg];
    va_list ap;
    if (!err || !err->status)
        return;
    memcpy(rest, err->msg, sizeof rest);
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    size_t n = strlen(text);
    if (strncmp(rest, text, n) == 0 && rest[n] == ':')
        return;
    snprintf(err->msg, sizeof err->msg, "%.320s: %.700s", text, rest);
    one_line(err->msg);
}

void gt_err_clear(struct gt_err *err)
{
    if (!err)
        return;
    err->status = 0;
    err->unsupported = false;
    err->msg[0] = '\0';
    err->hint[0] = '\0';
}
