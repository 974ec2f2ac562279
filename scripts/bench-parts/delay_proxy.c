/* delay_proxy PORT PORT_FILE MS: relays connections to 127.0.0.1:PORT; what either side sends arrives MS/2 milliseconds later, as over a
 * link with a round trip of MS.  Its own port is written to PORT_FILE. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 65536, EVENTS = 256 };

/* Bytes on their way. */
struct piece {
    struct piece *next;
    int64_t due;
    size_t n, sent;
    char data[];
};

struct side {
    struct side *other, *all; /* all: the list of sides */
    int fd;
    bool ended; /* nothing more comes from it */
    bool shut;  /* and its end was passed on to the other side */
    int64_t end_due;
    size_t bytes; /* in the list, to be sent to it */
    struct piece *first, **last;
};

static struct side *sides;
static int poll_fd, delay;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static struct side *add(int fd)
{
    struct side *side = calloc(1, sizeof *side);
    const int yes = 1;
    if (!side)
        die("memory");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    *side = (struct side){.fd = fd, .all = sides, .last = &side->first};
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = side};
    if (epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &event))
        die("epoll_ctl");
    return sides = side;
}

static int connect_to(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address))
        die("connect");
    return fd;
}

static void take(struct side *from)
{
    struct piece *piece = malloc(sizeof *piece + PIECE);
    if (!piece)
        die("memory");
    const ssize_t n = recv(from->fd, piece->data, PIECE, MSG_DONTWAIT);
    if (n <= 0) {
        free(piece);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        from->ended = true;
        from->end_due = now() + delay;
        epoll_ctl(poll_fd, EPOLL_CTL_DEL, from->fd, NULL);
        return;
    }
    struct side *to = from->other;
    piece = realloc(piece, sizeof *piece + (size_t)n);
    piece->next = NULL;
    piece->due = now() + delay;
    piece->n = (size_t)n;
    piece->sent = 0;
    *to->last = piece;
    to->last = &piece->next;
    to->bytes += (size_t)n;
}

/* Sends what is due; returns when the next piece is, INT64_MAX: there is none. */
static int64_t give(struct side *to, int64_t at)
{
    struct piece *piece;
    while ((piece = to->first) != NULL && piece->due <= at) {
        const ssize_t n = send(to->fd, piece->data + piece->sent, piece->n - piece->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return at + 200;
        piece->sent = n < 0 ? piece->n : piece->sent + (size_t)n;
        if (piece->sent < piece->n)
            continue;
        to->bytes -= piece->n;
        to->first = piece->next;
        to->last = to->first ? to->last : &to->first;
        free(piece);
    }
    if (!to->first && to->other->ended && !to->other->shut) {
        if (to->other->end_due > at)
            return to->other->end_due;
        shutdown(to->fd, SHUT_WR);
        to->other->shut = true;
    }
    return to->first ? to->first->due : INT64_MAX;
}

static void unlink_side(const struct side *side)
{
    struct side **at = &sides;
    while (*at != side)
        at = &(*at)->all;
    *at = side->all;
}

/* Pairs of which both sides have ended. */
static void sweep(void)
{
    for (struct side *side = sides, *next; side; side = next) {
        struct side *other = side->other;
        next = side->all;
        if (!side->shut || !other->shut)
            continue;
        next = next == other ? other->all : next;
        unlink_side(side);
        unlink_side(other);
        close(side->fd);
        close(other->fd);
        free(other);
        free(side);
    }
}

int main(int argc, char **argv)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof own;
    if (argc != 4)
        return 2;
    const int port = atoi(argv[1]), server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    delay = atoi(argv[3]) * 500;
    poll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (bind(server, (struct sockaddr *)&own, sizeof own) || listen(server, 1024) || getsockname(server, (struct sockaddr *)&own, &len))
        die("listen");
    epoll_ctl(poll_fd, EPOLL_CTL_ADD, server, &(struct epoll_event){.events = EPOLLIN});
    FILE *file = fopen(argv[2], "w");
    if (!file || fprintf(file, "%d\n", ntohs(own.sin_port)) < 0 || fclose(file))
        die(argv[2]);
    for (;;) {
        struct epoll_event events[EVENTS];
        int64_t next = INT64_MAX, at = now();
        for (struct side *side = sides; side; side = side->all) {
            const int64_t due = give(side, at);
            next = due < next ? due : next;
        }
        sweep();
        const int64_t left = next == INT64_MAX ? 100000 : next - now();
        const struct timespec wait = {.tv_nsec = left > 0 ? left * 1000 : 0};
        const int n = epoll_pwait2(poll_fd, events, EVENTS, &wait, NULL);
        for (int i = 0; i < n; i++) {
            struct side *side = events[i].data.ptr;
            if (side) {
                take(side);
                continue;
            }
            const int fd = accept4(server, NULL, NULL, SOCK_CLOEXEC);
            if (fd < 0)
                continue;
            struct side *one = add(fd), *two = add(connect_to(port));
            one->other = two;
            two->other = one;
        }
    }
}
