/* What a module gt-mpi-NAME.so offers: the few MPI calls that core/mpi/comm_mpi*.c need, in plain C types.  A module is
 * compiled with one MPI's compiler wrapper and is the only code that sees mpi.h; it uses nothing of libgt.  node_module.h is one without
 * an MPI.
 *
 * One thread at a time may call.  A function that returns int returns 0 or an MPI error code (see error_text).
 *
 * A data operation (send to gatherv) only starts; test says when it is complete.  At most one is in progress on a lane (0 or 1;
 * what has no lane is on lane 0), and its buffers must stay as they are until it is complete: for the life of the process if that
 * never happens, unless the module is `direct`.  Lengths are limited by int. */
#ifndef GT_MPI_MODULE_H
#define GT_MPI_MODULE_H

#include <stddef.h>
#include <stdint.h>

/* Changes with every change of this file. */
#define GT_MPI_ABI 4

struct gt_mpi_module {
    int abi;
    int direct; /* only `test` touches buffers, so those of an operation that is given up may be freed */
    /* Starts MPI unless it has been started; several threads may call MPI in turn afterwards. */
    int (*start)(int *rank, int *size);
    void (*version)(char *text, size_t size);
    void (*error_text)(int code, char *text, size_t size);

    int (*send)(int lane, int to, const void *data, int n);
    int (*recv)(int lane, int from, void *data, int n);
    /* From here to gatherv: all, or none (NULL). */
    int (*barrier)(void);
    int (*broadcast)(void *data, int n, int root);
    /* data becomes the sum over all ranks, modulo 2^64 or 2^32: on root, or on all ranks if root is -1. */
    int (*sum_i64)(int64_t *data, int n, int root);
    int (*sum_u32)(uint32_t *data, int n, int root);
    /* sizes and offsets (of all) matter on root only. */
    int (*gatherv)(const void *data, int n, void *all, const int *sizes, const int *offsets, int root);
    /* *n: bytes received, of recv. */
    int (*test)(int lane, int *complete, int *n);
    /* On any thread, beside other calls: sleeps until that may have gone on, or a control message comes, but not for long; NULL: no. */
    void (*rest)(int lane);

    /* Control messages, apart from data.  control_send starts one; its buffer must live as long as the process. */
    int (*control_send)(int to, const void *data, int n);
    /* *n: bytes received, -1 if there is no message. */
    int (*control_recv)(void *data, int size, int *n);
    /* Are all control messages delivered? */
    int (*control_sent)(int *complete);
    /* A rank that has ended without `finish`, once for each; -1: none.  NULL: the launcher ends all ranks then. */
    int (*lost)(void);

    /* With no operation in progress on any rank.  All ranks call it at about the same time, and call nothing before it: after a barrier. */
    int (*finish)(void);
    /* Ends all ranks, or nothing: then the others see by `lost` that this one has ended. */
    void (*abort)(int status);
};

/* The only symbol of a module. */
#define GT_MPI_MODULE_SYMBOL "gt_mpi_module"
extern const struct gt_mpi_module gt_mpi_module;

#endif
