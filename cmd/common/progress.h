/* Progress on standard error: a line, or a few of them (cmd/common/progress_view.h). */
#ifndef GT_CMD_PROGRESS_H
#define GT_CMD_PROGRESS_H

#include "core/engine/engine.h"

/* Starts the thread that shows it: mode 0 if standard error is a terminal, 1
 * always, -1 never, 2 always and in several lines if it is a terminal with room for them.  One a process. */
void gt_progress_start(struct gt_engine *engine, int mode);
/* Takes it away while the command prints; false lets it come back. */
void gt_progress_hold(bool hold);
void gt_progress_stop(void); /* takes it away for good */

#endif
