#include "config.h"

#include "core/mpi/node_module.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/engine/comm.h"
#include "core/mpi/launcher.h"
#include "core/mpi/node_sockets.h"

enum {
    CONTROL = GT_COMM_LANES, /* the channel beside those of the lanes */
    REST_MS = 20,            /* the longest sleep of a wait; failures of this rank itself do not wake it */
};
#define END UINT64_MAX /* in place of a length: the rank ends, and sends nothing more */

/* A message: its length, then its bytes. */
struct transfer {
    int fd;
    bool sends;
    uint64_t n;
    uint8_t *data;
    size_t done; /* of both */
};

struct queued {
    struct transfer transfer;
    struct queued *next;
};

struct peer {
    int fd[GT_NODE_CHANNELS];
    struct queued *queue;     /* control messages that are not sent yet */
    struct transfer incoming; /* one that has come in part */
    atomic_bool gone;         /* no control message comes any more */
    bool left, reported;      /* it sent END; lost() has returned it */
};

static int own_rank, n_ranks, missing;
static struct peer *peers;
static struct transfer current[GT_COMM_LANES];
static size_t most[GT_COMM_LANES]; /* bytes that may be received */
static int peer_of[GT_COMM_LANES];

/* --- what can be moved of a message now: 0 when it is whole, EAGAIN, EPIPE at the end of the peer, or another errno ---- */

static int moved(struct transfer *t, ssize_t n)
{
    if (n > 0) {
        t->done += (size_t)n;
        return 0;
    }
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return EAGAIN;
    return n == 0 || errno == ECONNRESET ? EPIPE : errno == EINTR ? 0 : errno;
}

static int put(struct transfer *t)
{
    int code = 0;
    while (!code && t->done < sizeof t->n + t->n) {
        const size_t skip = t->done < sizeof t->n ? t->done : sizeof t->n, done = t->done - skip;
        struct iovec parts[] = {{(uint8_t *)&t->n + skip, sizeof t->n - skip}, {t->data + done, t->n - done}};
        const struct msghdr message = {.msg_iov = parts, .msg_iovlen = t->n - done ? 2 : 1};
        code = moved(t, sendmsg(t->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL));
    }
    return code;
}

/* Of at most `room` bytes.  Without a place for them, one is allocated. */
static int take(struct transfer *t, size_t room)
{
    int code = 0;
    while (!code && t->done < sizeof t->n)
        code = moved(t, recv(t->fd, (uint8_t *)&t->n + t->done, sizeof t->n - t->done, MSG_DONTWAIT));
    if (!code && t->n > room)
        return EMSGSIZE;
    if (!code && t->n && !t->data && !(t->data = malloc(t->n)))
        return ENOMEM;
    while (!code && t->done < sizeof t->n + t->n) {
        const size_t at = t->done - sizeof t->n;
        code = moved(t, recv(t->fd, t->data + at, t->n - at, MSG_DONTWAIT));
    }
    return code;
}

/* --- beginning and end -------------------------------------------------------------- */

static void release(void)
{
    for (int r = 0; r < n_ranks && peers; r++) {
        struct peer *peer = &peers[r];
        for (struct queued *next, *message = peer->queue; message; message = next) {
            next = message->next;
            free(message);
        }
        free(peer->incoming.data);
        for (int c = 0; c < GT_NODE_CHANNELS; c++)
            if (peer->fd[c] >= 0)
                close(peer->fd[c]);
    }
    free(peers);
    peers = NULL;
}

static int start(int *rank, int *size)
{
    struct gt_launcher launcher;
    gt_launcher_get(&launcher);
    own_rank = *rank = launcher.rank;
    n_ranks = *size = launcher.size ? launcher.size : 1;
    peers = calloc((size_t)n_ranks, sizeof *peers);
    int(*fds)[GT_NODE_CHANNELS] = malloc((size_t)n_ranks * sizeof *fds);
    int code = peers && fds ? 0 : ENOMEM;
    for (int r = 0; r < n_ranks && !code; r++)
        for (int c = 0; c < GT_NODE_CHANNELS; c++)
            fds[r][c] = -1;
    if (!code && n_ranks > 1)
        code = gt_node_connect(launcher.node, own_rank, n_ranks, fds, &missing);
    for (int r = 0; r < n_ranks && peers && fds; r++) {
        memcpy(peers[r].fd, fds[r], sizeof fds[r]);
        peers[r].incoming.fd = peers[r].fd[CONTROL];
        atomic_init(&peers[r].gone, r == own_rank);
        peers[r].left = r == own_rank;
    }
    free(fds);
    if (code)
        release();
    return code;
}

static int finish(void)
{
    const uint64_t end = END;
    for (int r = 0; r < n_ranks; r++)
        if (r != own_rank)
            (void)!send(peers[r].fd[CONTROL], &end, sizeof end, MSG_DONTWAIT | MSG_NOSIGNAL);
    release();
    return 0;
}

/* The others see the end of this process. */
static void abort_all(int status)
{
    (void)status;
}

static void version(char *text, size_t size)
{
    snprintf(text, size, "sockets of one node");
}

static void error_text(int code, char *text, size_t size)
{
    if (code == ETIMEDOUT)
        snprintf(text, size, "rank %d has not come within %d s", missing, GT_NODE_WAIT_S);
    else if (code == EADDRINUSE)
        snprintf(text, size, "another command has the name of this job; a job step runs one at a time");
    else
        snprintf(text, size, "%s", strerror(code));
}

/* --- data ------------------------------------------------------------------------------ */

static int test(int lane, int *complete, int *n)
{
    struct transfer *t = &current[lane];
    const int code = t->sends ? put(t) : take(t, most[lane]);
    *complete = !code;
    *n = (int)t->n;
    if (code == EPIPE && !peers[peer_of[lane]].left)
        return 0; /* lost() reports it */
    return code == EAGAIN ? 0 : code;
}

static int begin(int lane, int peer, bool sends, void *data, int n)
{
    current[lane] = (struct transfer){peers[peer].fd[lane], sends, (uint64_t)n, data, 0};
    peer_of[lane] = peer;
    most[lane] = (size_t)n;
    return 0;
}

static int send_data(int lane, int to, const void *data, int n)
{
    return begin(lane, to, true, (void *)data, n);
}

static int recv_data(int lane, int from, void *data, int n)
{
    return begin(lane, from, false, data, n);
}

/* The control channels of those from whom messages may come, behind what `fds` has. */
static nfds_t add_control(struct pollfd *fds, nfds_t n)
{
    for (int r = 0; r < n_ranks; r++)
        if (!atomic_load(&peers[r].gone))
            fds[n++] = (struct pollfd){.fd = peers[r].fd[CONTROL], .events = POLLIN};
    return n;
}

static void rest(int lane)
{
    struct pollfd fds[1 + GT_NODE_MOST] = {{.fd = current[lane].fd, .events = current[lane].sends ? POLLOUT : POLLIN}};
    (void)poll(fds, add_control(fds, 1), REST_MS);
}

/* --- control messages -------------------------------------------------------------------- */

static void send_queued(struct peer *peer)
{
    int code = 0;
    while (peer->queue && code != EAGAIN) {
        struct queued *first = peer->queue;
        if ((code = put(&first->transfer)) == EAGAIN)
            continue;
        peer->queue = first->next; /* to one that has ended, too */
        free(first);
    }
}

static int control_send(int to, const void *data, int n)
{
    struct queued *message = malloc(sizeof *message), **last = &peers[to].queue;
    if (!message)
        return ENOMEM;
    *message = (struct queued){.transfer = {peers[to].fd[CONTROL], true, (uint64_t)n, (void *)data, 0}};
    while (*last)
        last = &(*last)->next;
    *last = message;
    send_queued(&peers[to]);
    return 0;
}

static int control_sent(int *complete)
{
    *complete = 1;
    for (int r = 0; r < n_ranks; r++) {
        send_queued(&peers[r]);
        *complete &= !peers[r].queue;
    }
    return 0;
}

/* EAGAIN: no whole message. */
static int control_of(struct peer *peer, void *data, size_t size, int *n)
{
    struct transfer *t = &peer->incoming;
    const int code = take(t, size);
    if (code == EAGAIN)
        return code;
    if (code) {
        peer->left = t->done == sizeof t->n && t->n == END;
        atomic_store(&peer->gone, true);
        return EAGAIN;
    }
    if (t->n)
        memcpy(data, t->data, t->n);
    *n = (int)t->n;
    free(t->data);
    *t = (struct transfer){.fd = t->fd};
    return 0;
}

static int control_recv(void *data, int size, int *n)
{
    struct pollfd fds[GT_NODE_MOST];
    int complete;
    *n = -1;
    (void)control_sent(&complete);
    const nfds_t count = add_control(fds, 0);
    if (!count || poll(fds, count, 0) <= 0)
        return 0;
    nfds_t i = 0;
    for (int r = 0; r < n_ranks && i < count; r++) {
        if (fds[i].fd != peers[r].fd[CONTROL] || !fds[i++].revents)
            continue;
        if (control_of(&peers[r], data, (size_t)size, n) == 0)
            return 0;
    }
    return 0;
}

static int lost(void)
{
    for (int r = 0; r < n_ranks; r++)
        if (atomic_load(&peers[r].gone) && !peers[r].left && !peers[r].reported) {
            peers[r].reported = true;
            return r;
        }
    return -1;
}

const struct gt_mpi_module gt_mpi_node = {
    .abi = GT_MPI_ABI,
    .direct = 1,
    .start = start,
    .version = version,
    .error_text = error_text,
    .send = send_data,
    .recv = recv_data,
    .test = test,
    .rest = rest,
    .control_send = control_send,
    .control_recv = control_recv,
    .control_sent = control_sent,
    .lost = lost,
    .finish = finish,
    .abort = abort_all,
};
