#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/engine/pool.h"
#include "core/mpi/comm_mpi_internal.h"
#include "core/mpi/mpi_load.h"
#include "core/mpi/node_module.h"
#include "core/os/os_process.h"

int gt_mpi_error(struct gt_comm *comm, int code, const char *what, struct gt_err *err)
{
    const struct gt_mpi *mpi = comm->impl;
    char text[512];
    mpi->module->error_text(code, text, sizeof text);
    return gt_fail(err, GT_FAIL, "%s: %s: %s", mpi->module == &gt_mpi_node ? "ranks of one node" : "MPI", what, text);
}

double gt_comm_mpi_waited(const struct gt_comm *comm)
{
    struct gt_mpi *mpi = comm->impl;
    return (double)atomic_load(&mpi->waited_ns) / 1e9;
}

void gt_comm_mpi_moved(const struct gt_comm *comm, int64_t *sent, int64_t *received)
{
    struct gt_mpi *mpi = comm->impl;
    *sent = atomic_load(&mpi->sent);
    *received = atomic_load(&mpi->received);
}

void gt_mpi_free(struct gt_mpi *mpi, int size)
{
    if (!mpi)
        return;
    for (int r = 0; r < size && mpi->posted; r++)
        free(mpi->posted[r].text);
    free(mpi->posted);
    free(mpi->message);
    free(mpi->post);
    for (int i = 0; i < GT_COMM_LANES; i++) {
        free(mpi->in[i]);
        free(mpi->out[i]);
    }
    free(mpi->sizes);
    free(mpi->offsets);
    free(mpi);
}

static const struct gt_comm_ops mpi_ops = {
    .send = gt_mpi_send,
    .recv = gt_mpi_recv,
    .fail = gt_mpi_fail,
    .release = gt_mpi_release,
    .barrier = gt_mpi_barrier,
    .broadcast = gt_mpi_broadcast,
    .sum_i64 = gt_mpi_sum_i64,
    .sum_u32 = gt_mpi_sum_u32,
    .gatherv = gt_mpi_gatherv,
};

static int check_size(const struct gt_comm *comm, const char *name, const struct gt_launcher *launcher, struct gt_err *err)
{
    if (!launcher->size || launcher->size == comm->size)
        return GT_OK;
    gt_fail(err, GT_USAGE, "%s started %d processes, but the MPI of module '%s' finds %d: it is not the launcher of this MPI",
            launcher->name, launcher->size, name, comm->size);
    if (launcher->mpi && strcmp(launcher->mpi, name) != 0)
        gt_hint(err, "use --mpi %s, or the mpirun of %s", launcher->mpi, name);
    return GT_USAGE;
}

static int start_mpi(struct gt_comm *comm, struct gt_mpi *mpi, struct gt_err *err)
{
    int code = mpi->module->start(&comm->rank, &comm->size);
    comm->impl = mpi;
    if (code)
        return gt_mpi_error(comm, code, "cannot start", err);
    mpi->sizes = gt_alloc((size_t)comm->size, sizeof *mpi->sizes, err);
    mpi->offsets = gt_alloc((size_t)comm->size, sizeof *mpi->offsets, err);
    mpi->posted = gt_alloc((size_t)comm->size, sizeof *mpi->posted, err);
    mpi->message = gt_alloc(gt_mpi_message_size(comm), 1, err);
    if (!mpi->sizes || !mpi->offsets || !mpi->posted || !mpi->message)
        return GT_FAIL;
    if (gethostname(comm->host, sizeof comm->host - 1))
        comm->host[0] = '\0';
    comm->ops = &mpi_ops;
    return GT_OK;
}

static int make_buffers(struct gt_mpi *mpi, struct gt_err *err)
{
    for (int i = 0; i < GT_COMM_LANES; i++) {
        const size_t n = i ? GT_COMM_PART : GT_COMM_BLOCK;
        mpi->in[i] = gt_alloc(n, 1, err);
        mpi->out[i] = gt_alloc(n, 1, err);
        if (!mpi->in[i] || !mpi->out[i])
            return GT_FAIL;
    }
    return GT_OK;
}

int gt_comm_mpi_open(struct gt_comm *comm, const char *name, const struct gt_launcher *launcher, struct gt_err *err)
{
    struct gt_mpi *mpi = gt_alloc(1, sizeof *mpi, err);
    int status = mpi ? GT_OK : GT_FAIL;
    gt_comm_self(comm);
    if (!status) {
        *mpi = (struct gt_mpi){.all_idle = true, .by_abort = launcher->by_abort && strcmp(name, GT_MPI_NODE)};
        pthread_mutex_init(&mpi->lock, NULL);
        gt_cond_init(&mpi->wake);
        status = make_buffers(mpi, err);
        status = status ? status : gt_mpi_load(name, &mpi->module, err);
    }
    if (!status && (status = start_mpi(comm, mpi, err)) != GT_OK && mpi->module == &gt_mpi_node && launcher->mpi)
        gt_hint(err, "--mpi %s starts the ranks by MPI", launcher->mpi);
    if (!status && (status = check_size(comm, name, launcher, err)) != GT_OK) {
        gt_comm_release(comm);
        return status;
    }
    if (status) {
        gt_mpi_free(mpi, 0);
        gt_comm_self(comm);
        return status;
    }
    status = comm->size > 1 ? gt_thread_start(&mpi->watcher, "gt-ranks", gt_mpi_watch, comm, err) : GT_OK;
    mpi->watching = comm->size > 1 && !status;
    if (status)
        gt_comm_fail(comm, err);
    return status;
}

void gt_comm_mpi_version(const struct gt_comm *comm, char *text, size_t size)
{
    const struct gt_mpi *mpi = comm->impl;
    mpi->module->version(text, size);
}
