/* Progress: what the engine is doing, at most six times a second. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cmd/common/message.h"
#include "cmd/common/progress.h"
#include "cmd/common/progress_view.h"
#include "core/base/monotonic.h"
#include "core/os/os_process.h"

#define FIRST_AFTER_MS 1000
#define TERMINAL_EVERY_MS 170
#define LINES_EVERY_MS 500
#define PLAIN_EVERY_MS 1000

static pthread_t thread;
static bool running, stop, held, on_terminal, full;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static struct gt_engine *watched_engine;

/* Of the terminal; 80 x 24 where it does not say. */
static struct winsize terminal_size(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 2 || size.ws_row < 1)
        size = (struct winsize){.ws_col = 80, .ws_row = 24};
    return size;
}

/* Called under the lock, so that nothing is shown once gt_progress_hold has returned. */
static void show(void)
{
    struct gt_progress progress;
    struct gt_str text = {0};
    gt_progress_get(watched_engine, &progress);
    if (!progress.n_flows)
        return;
    const struct winsize size = terminal_size();
    const bool several = full && on_terminal && size.ws_col >= GT_PROGRESS_COLUMNS && size.ws_row >= GT_PROGRESS_ROWS;
    if (several)
        gt_progress_lines(&text, &progress, &watched_engine->limits, (double)gt_trace_now(&watched_engine->trace) / 1e9, size.ws_col - 1);
    else
        gt_progress_line(&text, &progress);
    if (!several && on_terminal && text.len > (size_t)size.ws_col - 1)
        text.s[size.ws_col - 1] = '\0';
    if (on_terminal && text.s)
        gt_status_show(text.s);
    else if (text.s)
        fprintf(stderr, "%s\n", text.s);
    gt_str_release(&text);
}

/* Waits until `ms` from now or until asked to stop; true when asked. */
static bool wait_ms(long ms)
{
    const struct timespec until = gt_deadline_ms(GT_COND_CLOCK, ms);
    pthread_mutex_lock(&lock);
    while (!stop && pthread_cond_timedwait(&wake, &lock, &until) != ETIMEDOUT)
        ;
    bool asked = stop;
    pthread_mutex_unlock(&lock);
    return asked;
}

static void *run(void *unused)
{
    (void)unused;
    for (bool end = wait_ms(FIRST_AFTER_MS); !end; end = wait_ms(!on_terminal ? PLAIN_EVERY_MS
                                                                 : full       ? LINES_EVERY_MS
                                                                              : TERMINAL_EVERY_MS)) {
        pthread_mutex_lock(&lock);
        if (!held)
            show();
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

void gt_progress_hold(bool hold)
{
    pthread_mutex_lock(&lock);
    held = hold;
    if (hold && running)
        gt_status_show(NULL);
    pthread_mutex_unlock(&lock);
}

void gt_progress_start(struct gt_engine *engine, int mode)
{
    const char *term = getenv("TERM");
    on_terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
    if (running || mode < 0 || (mode == 0 && !on_terminal))
        return;
    gt_cond_init(&wake);
    watched_engine = engine;
    full = mode == 2;
    stop = false;
    running = !pthread_create(&thread, NULL, run, NULL); /* no thread, no progress line */
}

void gt_progress_stop(void)
{
    if (!running)
        return;
    pthread_mutex_lock(&lock);
    stop = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_cond_destroy(&wake);
    running = false;
    gt_status_show(NULL);
}
