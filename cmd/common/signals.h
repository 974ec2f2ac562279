/* SIGINT, SIGTERM and SIGHUP: the run is cancelled, what it left is removed, and
 * the process ends as by that signal. */
#ifndef GT_CMD_SIGNALS_H
#define GT_CMD_SIGNALS_H

#include "core/base/err.h"
#include "core/engine/engine.h"

/* Blocks the signals, for this thread and all that it starts; call before any
 * thread starts.  Signals that were ignored at start (nohup) stay ignored.
 * SIGPIPE and SIGXFSZ become errors of write. */
void gt_signals_block(void);
/* Before gt_signals_watch, while there is nothing to remove: do they end the process at once?  Otherwise they stay blocked. */
void gt_signals_end_at_once(bool at_once);
/* Starts the thread that waits for them. */
int gt_signals_watch(struct gt_engine *engine, struct gt_err *err);
/* No more cancelling: the engine may be released.  Returns the signal that came, or 0. */
int gt_signals_unwatch(void);
/* Removes temporaries and ends the process as by `sig`. */
_Noreturn void gt_signals_die(int sig);

#endif
