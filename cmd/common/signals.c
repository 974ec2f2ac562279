/* A thread that waits for signals. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/common/message.h"
#include "cmd/common/signals.h"
#include "core/base/cleanup.h"
#include "core/os/os_process.h"
#include "storage/http/url.h"

/* How long a cancelled run may take to wind up before the process ends anyway. */
enum { GRACE_SECONDS = 2 };

static sigset_t watched;
static pthread_t watcher;
static bool watching;
static struct gt_engine *watched_engine;
static _Atomic int signal_that_came;
static atomic_bool over; /* the run has ended: do not touch the engine */
static pthread_mutex_t engine_lock = PTHREAD_MUTEX_INITIALIZER;

void gt_signals_block(void)
{
    static const int ours[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(&watched);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        struct sigaction now;
        if (!sigaction(ours[i], NULL, &now) && now.sa_handler != SIG_IGN)
            sigaddset(&watched, ours[i]);
    }
    sigaddset(&watched, SIGUSR2); /* ends the watcher, see gt_signals_unwatch */
    pthread_sigmask(SIG_BLOCK, &watched, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void gt_signals_end_at_once(bool at_once)
{
    pthread_sigmask(at_once ? SIG_UNBLOCK : SIG_BLOCK, &watched, NULL);
}

_Noreturn void gt_signals_die(int sig)
{
    gt_status_abandon();
    gt_cleanup_run();
    signal(sig, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(sig);
    _exit(128 + sig);
}

static void *watch(void *unused)
{
    (void)unused;
    int sig;
    do {
        if (sigwait(&watched, &sig))
            return NULL;
        if (atomic_load(&over))
            return NULL;
    } while (sig == SIGUSR2);
    atomic_store(&signal_that_came, sig);
    pthread_mutex_lock(&engine_lock);
    if (!atomic_load(&over))
        gt_engine_cancel(watched_engine, GT_CANCEL);
    gt_url_cancel();
    pthread_mutex_unlock(&engine_lock);

    /* The main thread dies by the signal when the run has wound up.  A second
     * signal, or the end of the time for that, and it is done here. */
    int second;
    do {
        second = gt_signal_wait(&watched, GRACE_SECONDS);
        if (atomic_load(&over))
            return NULL;
    } while (second < 0 && errno == EINTR);
    gt_signals_die(sig);
}

int gt_signals_watch(struct gt_engine *engine, struct gt_err *err)
{
    watched_engine = engine;
    int code = pthread_create(&watcher, NULL, watch, NULL);
    if (code)
        return gt_fail_errno(err, code, "cannot start a thread");
    watching = true;
    return GT_OK;
}

int gt_signals_unwatch(void)
{
    if (!watching)
        return 0;
    pthread_mutex_lock(&engine_lock);
    atomic_store(&over, true);
    pthread_mutex_unlock(&engine_lock);
    pthread_kill(watcher, SIGUSR2);
    pthread_join(watcher, NULL);
    watching = false;
    pthread_sigmask(SIG_UNBLOCK, &watched, NULL); /* nothing is left to remove */
    return atomic_load(&signal_that_came);
}
