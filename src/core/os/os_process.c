#include "config.h"

#include "core/os/os_process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#if HAVE_GETRANDOM
#include <sys/random.h>
#endif

bool gt_system_random(void *bytes, size_t n)
{
#if HAVE_GETRANDOM
    return getrandom(bytes, n, 0) == (ssize_t)n;
#else
    const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? read(fd, bytes, n) : -1;
    if (fd >= 0)
        close(fd);
    return got == (ssize_t)n;
#endif
}

int64_t gt_peak_memory(const struct rusage *usage)
{
    return (int64_t)usage->ru_maxrss * GT_MAXRSS_UNIT;
}

void gt_thread_set_name(pthread_t thread, const char *name)
{
#if HAVE_PTHREAD_SETNAME_NP
    pthread_setname_np(thread, name);
#else
    (void)thread, (void)name;
#endif
}

void gt_thread_name(char *name, size_t size)
{
#if HAVE_PTHREAD_SETNAME_NP && HAVE_PTHREAD_GETNAME_NP
    if (pthread_getname_np(pthread_self(), name, size) == 0)
        return;
#endif
    strncpy(name, "thread", size - 1);
    name[size - 1] = '\0';
}

bool gt_thread_clock(clockid_t *clock)
{
#if HAVE_PTHREAD_GETCPUCLOCKID
    return pthread_getcpuclockid(pthread_self(), clock) == 0;
#else
    (void)clock;
    return false;
#endif
}

void gt_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
#if HAVE_PTHREAD_CONDATTR_SETCLOCK
    pthread_condattr_setclock(&attr, GT_COND_CLOCK);
#endif
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

#if HAVE_SIGTIMEDWAIT

int gt_signal_wait(const sigset_t *signals, int seconds)
{
    const struct timespec most = {.tv_sec = seconds};
    return sigtimedwait(signals, NULL, &most);
}

#else

static bool is_pending(const sigset_t *signals)
{
    sigset_t pending;
    if (sigpending(&pending))
        return false;
    for (int sig = 1; sig < NSIG; sig++)
        if (sigismember(signals, sig) == 1 && sigismember(&pending, sig) == 1)
            return true;
    return false;
}

int gt_signal_wait(const sigset_t *signals, int seconds)
{
    enum { EVERY_MS = 10 };
    const struct timespec pause = {.tv_nsec = EVERY_MS * 1000000};
    for (int left = seconds * 1000 / EVERY_MS; left > 0 && !is_pending(signals); left--)
        nanosleep(&pause, NULL);
    int sig;
    if (is_pending(signals))
        return sigwait(signals, &sig) ? -1 : sig;
    errno = EAGAIN;
    return -1;
}

#endif
