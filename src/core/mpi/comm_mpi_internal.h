/* Declarations shared by the files of comm_mpi.h. */
#ifndef GT_MPI_COMM_MPI_INTERNAL_H
#define GT_MPI_COMM_MPI_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/mpi/comm_mpi.h"
#include "core/mpi/mpi_module.h"

enum gt_mpi_control_kind { GT_MPI_RANK_FAILED, GT_MPI_RANK_ENDED, GT_MPI_ALL_LEAVE, GT_MPI_POSTED };

struct gt_mpi_control {
    int kind, rank;
    int idle; /* GT_MPI_RANK_ENDED: no operation of the rank is in progress; GT_MPI_ALL_LEAVE: of any rank */
    int last; /* GT_MPI_POSTED, with the text behind it: the last one of the rank */
    struct gt_err err;
};

/* Of another rank, on rank 0. */
struct gt_mpi_posted {
    char *text;
    size_t n;
    bool last;
    bool ended; /* it is counted */
};

struct gt_mpi {
    const struct gt_mpi_module *module;
    pthread_mutex_t lock; /* of everything below, and of the module */
    pthread_t watcher;
    pthread_cond_t wake; /* the watcher, when it is to stop */
    bool watching, stop;
    void (*on_failure)(void *ctx);
    void *on_failure_ctx;
    struct gt_err failure; /* the first that this rank knows of */
    bool in_progress[GT_COMM_LANES];
    bool failed_here, leave, all_idle;
    bool by_abort; /* a job that failed ends by an abort of rank 0 */
    _Atomic int64_t waited_ns, sent, received;
    int ended; /* other ranks that have said so; counted by rank 0 */
    struct gt_mpi_control failed_message, ended_message, last_message;
    uint8_t *message;                                /* a control message as it comes */
    uint8_t *post;                                   /* the text that this rank sends, after its struct gt_mpi_control */
    struct gt_mpi_posted *posted;                    /* of each rank */
    uint8_t *in[GT_COMM_LANES], *out[GT_COMM_LANES]; /* GT_COMM_BLOCK bytes each, GT_COMM_PART of lane 1 */
    int *sizes, *offsets;                            /* of gatherv */
};

int gt_mpi_error(struct gt_comm *comm, int code, const char *what, struct gt_err *err); /* comm_mpi.c */
void gt_mpi_free(struct gt_mpi *mpi, int size);

/* comm_mpi_data.c: operations of struct gt_comm_ops. */
int gt_mpi_send(struct gt_comm *comm, int to, const void *data, size_t n, struct gt_err *err);
int gt_mpi_recv(struct gt_comm *comm, int from, void *data, size_t n, struct gt_err *err);
int gt_mpi_barrier(struct gt_comm *comm, struct gt_err *err);
int gt_mpi_broadcast(struct gt_comm *comm, void *data, size_t n, int root, struct gt_err *err);
int gt_mpi_sum_i64(struct gt_comm *comm, int64_t *data, size_t n, int root, struct gt_err *err);
int gt_mpi_sum_u32(struct gt_comm *comm, uint32_t *data, size_t n, int root, struct gt_err *err);
int gt_mpi_gatherv(struct gt_comm *comm, const void *data, size_t n, void *all, const size_t *sizes, int root, struct gt_err *err);

/* Waits for a message of n bytes to or from a rank, which is not counted as data.  Unless the module is direct, the buffer lives as long
 * as the process. */
int gt_mpi_pass(struct gt_comm *comm, bool sends, int peer, void *data, size_t n, struct gt_err *err);

/* comm_mpi_tree.c: the collective operations of a module that has none, made of messages along a tree, in the same buffers.  Sums are of
 * unsigned numbers of `size` bytes, 4 or 8. */
int gt_mpi_tree_barrier(struct gt_comm *comm, struct gt_err *err);
int gt_mpi_tree_broadcast(struct gt_comm *comm, void *data, size_t n, int root, struct gt_err *err);
int gt_mpi_tree_sum(struct gt_comm *comm, void *data, size_t n, size_t size, int root, struct gt_err *err);
int gt_mpi_tree_gatherv(struct gt_comm *comm, const void *data, size_t n, void *all, const size_t *sizes, int root, struct gt_err *err);

/* comm_mpi_control.c.  With the lock: takes the control messages that have come; sends one, which stays where it stands for the life of the
 * process; are all sent? */
void gt_mpi_look(struct gt_comm *comm);
void gt_mpi_tell(struct gt_comm *comm, int to, const struct gt_mpi_control *control);
void gt_mpi_tell_others(struct gt_comm *comm, const struct gt_mpi_control *control);
bool gt_mpi_all_sent(struct gt_comm *comm);
/* Without the lock: waits, taking control messages, until `done`, which is called with it, but no longer than so many milliseconds. */
bool gt_mpi_wait_until(struct gt_comm *comm, bool (*done)(struct gt_comm *comm), int ms);
void gt_mpi_sleep_us(long us);
size_t gt_mpi_message_size(const struct gt_comm *comm);           /* of the longest control message */
void gt_mpi_fail(struct gt_comm *comm, const struct gt_err *err); /* of struct gt_comm_ops */
void *gt_mpi_watch(void *comm);                                   /* the watcher's thread */

void gt_mpi_release(struct gt_comm *comm); /* comm_mpi_end.c, of struct gt_comm_ops */

#endif
