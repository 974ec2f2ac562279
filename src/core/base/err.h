/* Errors: a status for the caller and one line for the person.
 *
 * Functions that can fail return an int status and take a `struct gt_err *`.
 * 0 is success.  A positive status is a failure and *err then holds a message
 * that names the subject and the cause.  A negative status is an answer, not a
 * failure, and leaves *err alone.  Positive statuses up to GT_NOFIT are the
 * exit codes of the commands. */
#ifndef GT_BASE_ERR_H
#define GT_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>

enum gt_status {
    GT_OK = 0,
    GT_FAIL = 1,    /* failed while running: I/O, disk full, no memory */
    GT_USAGE = 2,   /* the caller asked for nonsense */
    GT_INPUT = 3,   /* input malformed or inconsistent */
    GT_NOFIT = 4,   /* does not fit the memory given */
    GT_CANCEL = 16, /* stopped because something else failed, or a signal */
    GT_PIPE = 17,   /* the reader of our output went away */

    GT_END = -1,   /* no more items */
    GT_NOENT = -2, /* no such key */
};

struct gt_err {
    int status;       /* as returned */
    int errnum;       /* of gt_fail_errno; else 0 */
    bool unsupported; /* of GT_INPUT: nothing is wrong with the input, but we do not read this kind */
    char msg[1024];   /* one line, no newline at the end, no program name */
    char hint[512];   /* the remedy when it is known, else "" */
};

/* Record a failure.  An error already recorded is kept (the first one is the
 * cause).  `err` may be NULL.  Returns `status`, so `return gt_fail(...)`. */
int gt_fail(struct gt_err *err, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* As gt_fail with GT_INPUT, for what is sound and of a kind that is not read. */
int gt_fail_unsupported(struct gt_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As gt_fail with GT_FAIL (GT_PIPE for EPIPE), and ": strerror(errnum)" added. */
int gt_fail_errno(struct gt_err *err, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Attach a remedy to a failure; the first hint stays.  NULL err is allowed. */
void gt_hint(struct gt_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Put "subject: " before the message, e.g. the key a codec failed on; not twice. */
void gt_fail_prefix(struct gt_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void gt_err_clear(struct gt_err *err);

#endif
