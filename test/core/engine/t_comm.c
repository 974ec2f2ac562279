/* Ranks: what is built on messages, over ranks that are threads and over a record of
 * the messages alone. */
#include "config.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/engine/comm.h"
#include "test/support/comm_trials.h"
#include "test/support/rank_threads.h"
#include "test/support/tap.h"

static const int sizes[] = {1, 2, 3, 5, MOST_RANKS};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static void test_partition(void)
{
    bool good = true;
    for (int64_t n = 0; n < 60; n++)
        for (int64_t of = 1; of < 20; of++) {
            good &= gt_comm_partition(n, 0, of) == 0 && gt_comm_partition(n, of, of) == n;
            for (int64_t i = 0; i < of; i++)
                good &= gt_comm_partition(n, i + 1, of) - gt_comm_partition(n, i, of) == n / of + (i < n % of);
        }
    ok(good, "parts are in order, whole, and as long as each other or one longer");
    ok(gt_comm_partition(INT64_MAX, 1000, 1000) == INT64_MAX && gt_comm_partition(INT64_MAX, 1, INT64_MAX) == 1,
       "of the most there can be");
}

/* --- every call, every root, every length -------------------------------------------- */

/* Number of wrong values and failed ranks. */
static int run_trial(int ranks, int (*body)(struct gt_comm *, void *, struct gt_err *), size_t n, int root)
{
    struct trial trial = {.n = n, .root = root};
    struct gt_err err[MOST_RANKS];
    ranks_run(ranks, body, &trial, err);
    for (int r = 0; r < ranks; r++) {
        if (err[r].status)
            diag("rank %d: %s", r, err[r].msg);
        trial.wrong += err[r].status != 0;
    }
    return trial.wrong;
}

static void test_calls(void)
{
    static const struct {
        const char *name;
        int (*body)(struct gt_comm *, void *, struct gt_err *);
    } calls[] = {
        {"sums of integers", try_sums}, {"broadcast, send and receive", try_moves}, {"gatherv", try_gather}, {"barrier", try_barrier}};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        for (int s = 0; s < N_SIZES; s++) {
            int wrong = 0, roots[] = {0, sizes[s] / 2, sizes[s] - 1};
            for (int l = 0; l < N_LENGTHS; l++)
                for (int r = 0; r < 3; r++)
                    wrong += run_trial(sizes[s], calls[c].body, lengths[l], roots[r]);
            ok(wrong == 0, "%s, %d ranks: any length, any root", calls[c].name, sizes[s]);
        }
}

static void test_self(void)
{
    struct trial trial = {.n = 1000};
    struct gt_comm comm;
    struct gt_err err = {0};
    gt_comm_self(&comm);
    int failed = try_sums(&comm, &trial, &err) || try_moves(&comm, &trial, &err) || try_gather(&comm, &trial, &err) ||
                 try_barrier(&comm, &trial, &err);
    gt_comm_fail(&comm, &err);
    ok(!failed && !trial.wrong, "one rank talks to itself");
    ok(gt_comm_send(&comm, 0, "x", 1, &err) == GT_USAGE, "but sends nothing: %s", err.msg);
    gt_comm_release(&comm);
    ok(comm.size == 1 && comm.rank == 0, "and is there after a release");
}

/* --- float64 ------------------------------------------------------------------------------ */

static void test_floats(void)
{
    static struct floats f;
    struct gt_err err[MOST_RANKS];
    bool good = true;
    make_floats(&f);
    for (int n = 1; n <= MOST_RANKS; n++) {
        ranks_run(n, try_floats, &f, err);
        for (int r = 0; r < n; r++)
            good &= !err[r].status;
    }
    ok(good && !f.wrong, "sums of float64 have the same bytes for 1 to %d ranks, with more ranks than terms too", MOST_RANKS);
}

/* --- faults --------------------------------------------------------------------------------- */

static void test_faults(void)
{
    struct gt_err err[MOST_RANKS];
    bool good = true;
    for (int call = 0; call < CALLS; call++)
        for (int failing = 0; failing < 5; failing++) {
            struct fault fault = {failing, (enum call)call};
            char want[64];
            snprintf(want, sizeof want, "rank %d: the disk of this one is broken", failing);
            ranks_run(5, try_fault, &fault, err);
            for (int r = 0; r < 5; r++) {
                bool heard = err[r].status == GT_INPUT && !strcmp(err[r].msg, r == failing ? want + 8 : want);
                if (!heard)
                    diag("call %d, rank %d of failing %d: %d %s", call, r, failing, err[r].status, err[r].msg);
                good &= heard;
            }
        }
    ok(good, "when a rank fails, all others have its error, whatever they wait in");
}

static int try_overflow(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    int64_t data[3] = {1, INT64_MAX / 3, -1};
    (void)ctx;
    return gt_comm_allreduce_i64(comm, data, 3, err);
}

static int try_small_budget(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    static const char data[1000];
    struct gt_budget budget;
    struct gt_buf all = {.budget = &budget};
    uint64_t got[MOST_RANKS];
    (void)ctx;
    gt_budget_init(&budget, 2500);
    int status = gt_comm_gatherv(comm, data, sizeof data, &all, got, 1, err);
    gt_buf_release(&all);
    return status;
}

static int try_leaving(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    (void)ctx;
    return comm->rank == 2 ? GT_OK : gt_comm_barrier(comm, err);
}

static int try_wrong_length(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    char data[10] = {0};
    (void)ctx;
    if (comm->rank == 0)
        return gt_comm_send(comm, 1, data, 8, err);
    return comm->rank == 1 ? gt_comm_recv(comm, 0, data, 10, err) : gt_comm_barrier(comm, err);
}

static int try_itself(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    char data[10] = {0};
    (void)ctx;
    return comm->rank == 1 ? gt_comm_send(comm, 1, data, 8, err) : gt_comm_barrier(comm, err);
}

static int try_nobody(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    char data[10] = {0};
    (void)ctx;
    return comm->rank == 1 ? gt_comm_recv(comm, 4, data, 8, err) : gt_comm_barrier(comm, err);
}

static int try_silent(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    (void)ctx;
    return comm->rank == 1 ? GT_FAIL : gt_comm_barrier(comm, err);
}

/* Do all of four ranks fail with this status and text? */
static bool all_fail(int (*body)(struct gt_comm *, void *, struct gt_err *), int status, const char *text)
{
    struct gt_err err[MOST_RANKS];
    bool good = true;
    ranks_run(4, body, NULL, err);
    for (int r = 0; r < 4; r++)
        good &= err[r].status == status && strstr(err[r].msg, text);
    diag("rank 3: %s", err[3].msg);
    return good;
}

static void test_own_faults(void)
{
    struct gt_err err[MOST_RANKS];
    ok(all_fail(try_overflow, GT_FAIL, "a sum over 4 ranks does not fit 64 bits"), "a sum that does not fit is an error everywhere");
    ok(all_fail(try_small_budget, GT_NOFIT, "memory"), "gathering more than root has room for is one, too");
    ok(all_fail(try_itself, GT_USAGE, "rank 1 of 4 has no other rank 1") && all_fail(try_nobody, GT_USAGE, "no other rank 4"),
       "nor can a rank talk to itself, or to nobody");
    ranks_run(4, try_leaving, NULL, err);
    ok(!err[2].status && err[0].status && err[1].status && strstr(err[3].msg, "rank 2 has ended"),
       "a rank that has ended is not waited for");
    ranks_run(3, try_wrong_length, NULL, err);
    ok(err[1].status == GT_FAIL && strstr(err[1].msg, "8 bytes, not 10") && err[2].status == GT_FAIL, "messages of another length: %s",
       err[2].msg);
    ranks_run(3, try_silent, NULL, err);
    ok(err[0].status == GT_FAIL && !strcmp(err[2].msg, "rank 1: failed"), "who does not say why: %s", err[2].msg);
}

/* --- more than 32 bits of bytes ---------------------------------------------------------------- */

/* What went through one side, as an implementation that moves nothing. */
struct record {
    const char *next;
    size_t total, longest;
    bool in_order;
};

static int note(struct record *record, const char *data, size_t n)
{
    record->in_order &= data == record->next;
    record->next = data + n;
    record->total += n;
    record->longest = n > record->longest ? n : record->longest;
    return GT_OK;
}

static int note_send(struct gt_comm *comm, int to, const void *data, size_t n, struct gt_err *err)
{
    (void)to, (void)err;
    return note(comm->impl, data, n);
}

static int note_recv(struct gt_comm *comm, int from, void *data, size_t n, struct gt_err *err)
{
    (void)from, (void)err;
    return note(comm->impl, data, n);
}

static void test_long(void)
{
    static const struct gt_comm_ops ops = {.send = note_send, .recv = note_recv};
    const size_t n = ((size_t)5 << 30) + 12345;
    char *data = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct record record;
    struct gt_comm comm = {.rank = 1, .size = 3, .ops = &ops, .impl = &record};
    bool good = data != MAP_FAILED;
    for (int call = 0; call < 4 && good; call++) {
        record = (struct record){.next = data, .in_order = true};
        int status = call == 0   ? gt_comm_send(&comm, 2, data, n, NULL)
                     : call == 1 ? gt_comm_recv(&comm, 2, data, n, NULL)
                                 : gt_comm_broadcast(&comm, data, n, call == 2 ? 1 : 2, NULL); /* sends; receives, as the last one */
        good = !status && record.in_order && record.total == n && record.longest <= GT_COMM_PART;
    }
    ok(good, "5 GiB travel in pieces, each byte once and in order");
    if (data != MAP_FAILED)
        munmap(data, n);
}

/* --- two lanes -------------------------------------------------------------------------- */

/* Sends 50 numbers to the next rank and receives those of the one before, last or first. */
static int go_round(struct gt_comm *comm, int64_t base, struct gt_err *err)
{
    int status = GT_OK;
    for (int64_t i = 0; i < 50 && !status; i++) {
        int64_t number = base + comm->rank * 1000 + i;
        const int above = (comm->rank + 1) % comm->size, below = (comm->rank + comm->size - 1) % comm->size;
        if (comm->rank)
            status = gt_comm_recv(comm, below, &number, sizeof number, err);
        if (comm->rank && !status && number != base + below * 1000 + i)
            status = gt_fail(err, GT_FAIL, "%lld is of another lane or turn", (long long)number);
        number = base + comm->rank * 1000 + i;
        status = status ? status : gt_comm_send(comm, above, &number, sizeof number, err);
        if (!comm->rank && !status)
            status = gt_comm_recv(comm, below, &number, sizeof number, err);
    }
    return status;
}

struct second {
    struct gt_comm comm;
    struct gt_err err;
};

static void *run_second(void *arg)
{
    struct second *second = arg;
    second->err.status = go_round(&second->comm, 1000000, &second->err);
    return NULL;
}

static int both_lanes(struct gt_comm *comm, void *ctx, struct gt_err *err)
{
    struct second second = {0};
    pthread_t thread;
    (void)ctx;
    gt_comm_second(comm, &second.comm);
    pthread_create(&thread, NULL, run_second, &second);
    int status = go_round(comm, 0, err);
    pthread_join(thread, NULL);
    return status ? status : second.err.status ? gt_fail(err, second.err.status, "%s", second.err.msg) : GT_OK;
}

static void test_lanes(void)
{
    for (int ranks = 2; ranks <= MOST_RANKS; ranks += 3) {
        struct gt_err err[MOST_RANKS];
        int failed = 0;
        ranks_run(ranks, both_lanes, NULL, err);
        for (int r = 0; r < ranks; r++)
            failed += err[r].status != GT_OK;
        ok(!failed, "%d ranks with a second thread each: %d failed, '%s'", ranks, failed, err[0].msg);
    }
}

int main(void)
{
    alarm(300); /* a hang is a failure */
    test_partition();
    test_self();
    test_calls();
    test_floats();
    test_faults();
    test_own_faults();
    test_long();
    test_lanes();
    return done_testing();
}
