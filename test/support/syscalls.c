/* Preloaded into a command: delays, kills it before or fails a chosen system call that changes a folder or makes data durable.
 *
 * SYSCALL_DELAY=SEED,US  sleeps up to US microseconds before one call in four
 * SYSCALL_ONLY=NAME,...  only these calls are counted: open (with O_CREAT), mkdir, rename, link, unlink, rmdir, flock, stat,
 *                        truncate, fsync (fsync, fdatasync, syncfs); default all but stat
 * SYSCALL_KILL=N         SIGKILL before the Nth counted call, from 1
 * SYSCALL_FAIL=N,ERRNO   the Nth counted call fails
 * SYSCALL_NOSYNC=1       fsync, fdatasync and syncfs do nothing, once counted
 * SYSCALL_LIST=FILE      the counted calls, a line each: name and path */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic long calls;
static _Atomic unsigned long random_state;
static long kill_at, fail_at, delay_us;
static int fail_errno, list_fd = -1;
static bool no_sync;
static const char *only;

__attribute__((constructor)) static void begin(void)
{
    const char *delay = getenv("SYSCALL_DELAY"), *kill = getenv("SYSCALL_KILL"), *fail = getenv("SYSCALL_FAIL"),
               *list = getenv("SYSCALL_LIST");
    unsigned long seed = 1;
    if (delay)
        sscanf(delay, "%lu,%ld", &seed, &delay_us);
    random_state = seed * 0x9E3779B97F4A7C15ul ^ (unsigned long)getpid() * 0xD1342543DE82EF95ul;
    kill_at = kill ? atol(kill) : 0;
    if (fail)
        sscanf(fail, "%ld,%d", &fail_at, &fail_errno);
    only = getenv("SYSCALL_ONLY");
    no_sync = getenv("SYSCALL_NOSYNC") != NULL;
    if (list)
        list_fd = (int)syscall(SYS_openat, AT_FDCWD, list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

static unsigned long draw(void)
{
    unsigned long x = atomic_fetch_add(&random_state, 0x9E3779B97F4A7C15ul);
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ul;
    x = (x ^ x >> 27) * 0x94D049BB133111EBul;
    return x ^ x >> 31;
}

static bool is_counted(const char *name)
{
    const size_t n = strlen(name);
    if (!only)
        return strcmp(name, "stat") != 0;
    for (const char *p = only; (p = strstr(p, name)) != NULL; p += n)
        if ((p == only || p[-1] == ',') && (!p[n] || p[n] == ','))
            return true;
    return false;
}

/* true: the call is to fail, with errno set. */
static bool before(const char *name, const char *path)
{
    if (delay_us > 0 && draw() % 4 == 0) {
        const long us = (long)(draw() % (unsigned long)delay_us);
        nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
    }
    if (!is_counted(name))
        return false;
    const long n = ++calls;
    if (list_fd >= 0)
        dprintf(list_fd, "%s %s\n", name, path ? path : "");
    if (n == kill_at)
        kill(getpid(), SIGKILL);
    if (n == fail_at)
        errno = fail_errno;
    return n == fail_at;
}

#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                                                                                         \
    int name(const char *path, int flags, ...)                                                                                             \
    {                                                                                                                                      \
        va_list ap;                                                                                                                        \
        va_start(ap, flags);                                                                                                               \
        const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;                                                      \
        va_end(ap);                                                                                                                        \
        return flags & O_CREAT && before("open", path) ? -1 : NEXT(name)(path, flags, mode);                                               \
    }
#define OPENAT(name)                                                                                                                       \
    int name(int dir, const char *path, int flags, ...)                                                                                    \
    {                                                                                                                                      \
        va_list ap;                                                                                                                        \
        va_start(ap, flags);                                                                                                               \
        const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;                                                      \
        va_end(ap);                                                                                                                        \
        return flags & O_CREAT && before("open", path) ? -1 : NEXT(name)(dir, path, flags, mode);                                          \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

#define CALL(type, name, kind, path, params, args)                                                                                         \
    type name params                                                                                                                       \
    {                                                                                                                                      \
        return before(kind, path) ? -1 : NEXT(name) args;                                                                                  \
    }
#define SYNC(name, what)                                                                                                                   \
    int name(int fd)                                                                                                                       \
    {                                                                                                                                      \
        return before("fsync", what) ? -1 : no_sync ? 0 : NEXT(name)(fd);                                                                  \
    }
CALL(int, mkdir, "mkdir", path, (const char *path, mode_t mode), (path, mode))
CALL(int, mkdirat, "mkdir", path, (int dir, const char *path, mode_t mode), (dir, path, mode))
CALL(int, rename, "rename", from, (const char *from, const char *to), (from, to))
CALL(int, renameat2, "rename", from, (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags))
CALL(int, link, "link", from, (const char *from, const char *to), (from, to))
CALL(int, unlink, "unlink", path, (const char *path), (path))
CALL(int, unlinkat, "unlink", path, (int dir, const char *path, int flags), (dir, path, flags))
CALL(int, rmdir, "rmdir", path, (const char *path), (path))
CALL(int, flock, "flock", NULL, (int fd, int how), (fd, how))
SYNC(fsync, "file")
SYNC(fdatasync, "file")
SYNC(syncfs, "file system")
CALL(int, ftruncate, "truncate", NULL, (int fd, off_t n), (fd, n))
CALL(int, ftruncate64, "truncate", NULL, (int fd, off64_t n), (fd, n))
CALL(int, stat, "stat", path, (const char *path, struct stat *st), (path, st))
CALL(int, lstat, "stat", path, (const char *path, struct stat *st), (path, st))
CALL(int, fstatat, "stat", path, (int dir, const char *path, struct stat *st, int flags), (dir, path, st, flags))
CALL(int, stat64, "stat", path, (const char *path, struct stat64 *st), (path, st))
CALL(int, lstat64, "stat", path, (const char *path, struct stat64 *st), (path, st))
CALL(int, fstatat64, "stat", path, (int dir, const char *path, struct stat64 *st, int flags), (dir, path, st, flags))
