/* Standard error: whole lines, with control characters made visible, and a
 * status below them that gives way to them. */
#ifndef GT_CMD_MESSAGE_H
#define GT_CMD_MESSAGE_H

#include "core/base/err.h"

/* Notes, warnings and errors go to this file too. */
int gt_log_open(const char *path, struct gt_err *err);
int gt_log_close(struct gt_err *err); /* nothing open is fine */

/* "NAME: message" and its hint. */
void gt_print_error(const char *name, const struct gt_err *err);

/* Shows text, one or more lines without the last newline, in place of the status that stands; NULL takes it away. */
void gt_status_show(const char *text);
/* Takes it away before the process ends by a signal; no message is printed after that. */
void gt_status_abandon(void);

#endif
