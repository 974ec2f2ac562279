#include "config.h"

#include "core/mpi/comm_mpi_internal.h"

enum {
    WIND_UP_MS = 10000, /* that the other ranks have to end after a failure */
    SETTLE_MS = 100,    /* after a failure, for an operation in progress that the others have entered too */
    DELIVER_MS = 10000, /* that the last message may take */
    ABORT_MS = 2000,    /* that an abort takes to reach the other ranks */
};

static bool others_ended(struct gt_comm *comm)
{
    const struct gt_mpi *mpi = comm->impl;
    return mpi->ended >= comm->size - 1;
}

static bool may_leave(struct gt_comm *comm)
{
    const struct gt_mpi *mpi = comm->impl;
    return mpi->leave;
}

static bool in_progress(const struct gt_mpi *mpi)
{
    bool any = false;
    for (int lane = 0; lane < GT_COMM_LANES; lane++)
        any |= mpi->in_progress[lane];
    return any;
}

/* Has the operation in progress, which a failure of another rank interrupted, ended all the same? */
static bool is_idle(struct gt_comm *comm)
{
    struct gt_mpi *mpi = comm->impl;
    for (int lane = 0; lane < GT_COMM_LANES; lane++) {
        int complete = 0, received;
        if (mpi->in_progress[lane] && mpi->module->direct) /* its buffers may be gone */
            mpi->in_progress[lane] = false;
        if (mpi->in_progress[lane] && !mpi->module->test(lane, &complete, &received) && complete)
            mpi->in_progress[lane] = false;
    }
    return !in_progress(mpi);
}

static bool never(struct gt_comm *comm)
{
    (void)comm;
    return false;
}

/* After a failure: rank 0 waits until all have come here, then all leave together.  MPI is only finished where no rank has an operation
 * in progress.  mpirun of MPICH kills the other processes when one ends without that, and its exit status is then 9, unless all ended at
 * the same time: there rank 0 aborts with the status of the failure. */
static void leave(struct gt_comm *comm)
{
    struct gt_mpi *mpi = comm->impl;
    const int root = 0;
    bool together;
    (void)gt_mpi_wait_until(comm, is_idle, SETTLE_MS);
    mpi->ended_message = (struct gt_mpi_control){
        .kind = comm->rank == root ? GT_MPI_ALL_LEAVE : GT_MPI_RANK_ENDED, .rank = comm->rank, .idle = !in_progress(mpi)};
    if (comm->rank == root) {
        together = gt_mpi_wait_until(comm, others_ended, WIND_UP_MS);
        pthread_mutex_lock(&mpi->lock);
        mpi->all_idle &= !in_progress(mpi);
        mpi->ended_message.idle = mpi->all_idle;
        gt_mpi_tell_others(comm, &mpi->ended_message);
        pthread_mutex_unlock(&mpi->lock);
    } else {
        pthread_mutex_lock(&mpi->lock);
        gt_mpi_tell(comm, root, &mpi->ended_message);
        pthread_mutex_unlock(&mpi->lock);
        together = gt_mpi_wait_until(comm, may_leave, WIND_UP_MS);
    }
    together = gt_mpi_wait_until(comm, gt_mpi_all_sent, DELIVER_MS) && together;
    if (together && mpi->all_idle)
        (void)mpi->module->finish();
    else if (!together || (mpi->by_abort && comm->rank == root))
        mpi->module->abort(mpi->failure.status);
    else if (mpi->by_abort)
        (void)gt_mpi_wait_until(comm, never, ABORT_MS); /* rank 0 ends this process */
}

/* So that all come to the module's `finish` at about the same time, and no watcher calls MPI then. */
static void meet(struct gt_comm *comm)
{
    (void)gt_mpi_wait_until(comm, gt_mpi_all_sent, DELIVER_MS);
    (void)gt_mpi_barrier(comm, NULL);
}

void gt_mpi_release(struct gt_comm *comm)
{
    struct gt_mpi *mpi = comm->impl;
    if (mpi->watching) {
        pthread_mutex_lock(&mpi->lock);
        mpi->stop = true;
        pthread_cond_signal(&mpi->wake);
        pthread_mutex_unlock(&mpi->lock);
        pthread_join(mpi->watcher, NULL);
    }
    if (comm->size > 1 && !mpi->failure.status)
        meet(comm);
    if (mpi->failure.status) {
        leave(comm); /* the buffers stay: operations may be in progress */
        return;
    }
    (void)mpi->module->finish();
    pthread_cond_destroy(&mpi->wake);
    pthread_mutex_destroy(&mpi->lock);
    gt_mpi_free(mpi, comm->size);
}
