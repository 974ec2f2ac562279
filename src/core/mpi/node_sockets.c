#include "config.h"

#include "core/mpi/node_sockets.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/monotonic.h"

#ifdef SO_PEERCRED /* Linux: abstract names, too */

/* What a rank says first on each socket. */
struct hello {
    int rank, channel;
};

/* An abstract name: it is gone with its socket. */
static socklen_t address(struct sockaddr_un *to, uint64_t job, int rank)
{
    *to = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int n =
        snprintf(to->sun_path + 1, sizeof to->sun_path - 1, "gt-ranks-%u-%016llx-%d", (unsigned)geteuid(), (unsigned long long)job, rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static bool is_ours(int fd)
{
    struct ucred its;
    socklen_t n = sizeof its;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &its, &n) && its.uid == geteuid();
}

static int new_socket(int *fd)
{
    const int room = GT_COMM_PART; /* what the system does not allow is less */
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return *fd < 0 || setsockopt(*fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room) ? errno : 0;
}

static int listen_here(uint64_t job, int rank, int size, int *fd)
{
    struct sockaddr_un name;
    const socklen_t n = address(&name, job, rank);
    const int code = new_socket(fd);
    return code ? code : bind(*fd, (struct sockaddr *)&name, n) || listen(*fd, size * GT_NODE_CHANNELS) ? errno : 0;
}

/* To a rank that may not listen yet. */
static int connect_to(uint64_t job, const struct hello *hello, int to, int64_t until, int *fd)
{
    struct sockaddr_un name;
    const socklen_t n = address(&name, job, to);
    int code = new_socket(fd);
    while (!code && connect(*fd, (struct sockaddr *)&name, n)) {
        if (errno != ECONNREFUSED && errno != EINTR)
            code = errno;
        else if (gt_clock_ms() > until)
            code = ETIMEDOUT;
        else
            nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    }
    if (!code && !is_ours(*fd))
        code = EPERM;
    return code ? code : send(*fd, hello, sizeof *hello, MSG_NOSIGNAL) == sizeof *hello ? 0 : ECONNRESET;
}

/* 0 when there is something to read or accept. */
static int wait_for(int fd, int64_t until)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    int ready;
    do {
        const int64_t left = until - gt_clock_ms();
        ready = left > 0 ? poll(&wait, 1, (int)left) : 0;
    } while (ready < 0 && errno == EINTR);
    return ready > 0 ? 0 : ready == 0 ? ETIMEDOUT : errno;
}

/* One socket of a higher rank; none when a stranger came. */
static int accept_one(int listener, int rank, int size, int64_t until, int (*fds)[GT_NODE_CHANNELS], int *n)
{
    struct hello its;
    const int code = wait_for(listener, until);
    if (code)
        return code;
    const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    const int room = GT_COMM_PART;
    if (fd >= 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    if (fd < 0)
        return errno == EINTR || errno == ECONNABORTED ? 0 : errno;
    const bool ours = is_ours(fd);
    if (ours && !wait_for(fd, until) && recv(fd, &its, sizeof its, MSG_DONTWAIT) == sizeof its && its.rank > rank && its.rank < size &&
        its.channel >= 0 && its.channel < GT_NODE_CHANNELS && fds[its.rank][its.channel] < 0) {
        fds[its.rank][its.channel] = fd;
        ++*n;
        return 0;
    }
    close(fd);
    return ours ? ECONNRESET : 0;
}

static int first_missing(int rank, int size, int (*fds)[GT_NODE_CHANNELS])
{
    int r = 0;
    while (r < size - 1 && (r == rank || fds[r][GT_NODE_CHANNELS - 1] >= 0))
        r++;
    return r;
}

int gt_node_connect(uint64_t job, int rank, int size, int (*fds)[GT_NODE_CHANNELS], int *missing)
{
    const int64_t until = gt_clock_ms() + INT64_C(1000) * GT_NODE_WAIT_S;
    const int expected = (size - 1 - rank) * GT_NODE_CHANNELS;
    int listener = -1, came = 0, code = !job || size > GT_NODE_MOST ? EINVAL : 0;
    if (!code && expected)
        code = listen_here(job, rank, size, &listener);
    for (int to = 0; to < rank && !code; to++)
        for (int c = 0; c < GT_NODE_CHANNELS && !code; c++) {
            *missing = to;
            code = connect_to(job, &(struct hello){rank, c}, to, until, &fds[to][c]);
        }
    while (!code && came < expected)
        if ((code = accept_one(listener, rank, size, until, fds, &came)) == ETIMEDOUT)
            *missing = first_missing(rank, size, fds);
    if (listener >= 0)
        close(listener);
    return code;
}

#else

int gt_node_connect(uint64_t job, int rank, int size, int (*fds)[GT_NODE_CHANNELS], int *missing)
{
    (void)job, (void)rank, (void)size, (void)fds, (void)missing;
    return ENOSYS;
}

#endif
