/* The progress line. */
#ifndef GT_CMD_PROGRESS_H
#define GT_CMD_PROGRESS_H

#include "core/engine/engine.h"

/* Starts the thread that shows it: mode 0 if standard error is a terminal, 1
 * always, -1 never.  One a process. */
void gt_progress_start(struct gt_engine *engine, int mode);
/* Takes the line away while the command prints; false lets it come back. */
void gt_progress_hold(bool hold);
void gt_progress_stop(void); /* takes it away for good */

#endif
