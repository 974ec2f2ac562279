/* The progress line: what the engine is doing, at most six times a second. */
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
#include "core/base/size.h"

#define FIRST_AFTER_MS 1000
#define TERMINAL_EVERY_MS 170
#define PLAIN_EVERY_MS 1000

static pthread_t thread;
static bool running, stop, held, on_terminal;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static struct gt_engine *watched_engine;

static void add(char *line, size_t size, const char *text)
{
    size_t len = strlen(line);
    snprintf(line + len, size - len, "%s", text);
}

static void add_time(char *line, size_t size, double seconds)
{
    char text[32];
    long s = seconds < 359999 ? (long)(seconds + 0.5) : 359999;
    if (s >= 3600)
        snprintf(text, sizeof text, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, sizeof text, "%ld:%02ld", s / 60, s % 60);
    add(line, size, text);
}

/* Of all; negative where that is not known. */
static double part_of(int64_t done, int64_t all)
{
    return all <= 0 ? -1 : done < all ? (double)done / (double)all : 1;
}

/* The line for a moment's view, without the newline. */
static void format_line(char *line, size_t size, const struct gt_progress *progress)
{
    char num[GT_NUM_LEN], text[64];
    const bool by_size = progress->size > 0; /* a stream of text knows how much there is, and not how many tasks */
    const double part = by_size ? part_of(progress->read, progress->size) : part_of(progress->done, progress->tasks);
    double seconds = by_size ? progress->pass_seconds : progress->seconds;
    seconds = seconds > 0.001 ? seconds : 0.001;
    snprintf(line, size, "%s", progress->flow);
    if (part >= 0)
        snprintf(text, sizeof text, "  %3.0f %%", 100.0 * part);
    else
        snprintf(text, sizeof text, "  %s chunks", gt_format_count(num, progress->done));
    add(line, size, text);
    const int64_t bytes = by_size ? progress->read : progress->bytes;
    if (bytes > 0) {
        snprintf(text, sizeof text, "  %s/s", gt_format_size(num, (int64_t)((double)bytes / seconds)));
        add(line, size, text);
    }
    if (part > 0) {
        add(line, size, "  ETA ");
        add_time(line, size, seconds * (1 - part) / part);
    } else {
        add(line, size, "  ");
        add_time(line, size, seconds);
    }
    snprintf(text, sizeof text, "  mem %s", gt_format_size(num, progress->memory_used));
    add(line, size, text);
}

static int terminal_width(void)
{
    struct winsize size;
    return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 1 ? size.ws_col - 1 : 79;
}

/* Called under the lock, so that nothing is shown once gt_progress_hold has returned. */
static void show(void)
{
    struct gt_progress progress = {0};
    char line[256];
    gt_progress_get(watched_engine, &progress);
    if (!progress.flow)
        return;
    format_line(line, sizeof line, &progress);
    if (on_terminal) {
        int width = terminal_width();
        if ((size_t)width < sizeof line)
            line[width] = 0;
        gt_status_line(line);
    } else {
        fprintf(stderr, "%s\n", line);
    }
}

/* Waits until `ms` from now or until asked to stop; true when asked. */
static bool wait_ms(long ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ms % 1000 * 1000000;
    until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
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
    for (bool end = wait_ms(FIRST_AFTER_MS); !end; end = wait_ms(on_terminal ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS)) {
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
        gt_status_line(NULL);
    pthread_mutex_unlock(&lock);
}

void gt_progress_start(struct gt_engine *engine, int mode)
{
    const char *term = getenv("TERM");
    on_terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
    if (running || mode < 0 || (mode == 0 && !on_terminal))
        return;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    watched_engine = engine;
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
    gt_status_line(NULL);
}
