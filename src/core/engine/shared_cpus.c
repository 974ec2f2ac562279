#include "config.h"

#include "core/engine/shared_cpus.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/monotonic.h"
#include "core/base/size.h"
#include "core/os/os_process.h"

#define IDLE_NS 2000000 /* pauses that are shorter are between tasks: a thread of another rank would only be in the way */

struct gt_shared_cpus_page {
    uint64_t key;
    struct {
        _Atomic int joined, computing;
        _Atomic int64_t fewer_ns; /* since when so few compute */
    } rank[GT_SHARED_CPUS_RANKS];
};

static struct gt_shared_cpus_page *map(int file)
{
    void *page = mmap(NULL, sizeof(struct gt_shared_cpus_page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return page == MAP_FAILED ? NULL : page;
}

void gt_shared_cpus_offer(struct gt_shared_cpus *shared, struct gt_shared_cpus_offer *offer)
{
    *shared = (struct gt_shared_cpus){.file = -1};
    *offer = (struct gt_shared_cpus_offer){.process = getpid(), .file = -1};
#ifdef MFD_CLOEXEC
    struct gt_cpu_set cpus;
    gt_cpu_set_get(&cpus);
    memcpy(offer->cpus, cpus.bits, sizeof offer->cpus);
    if (memcmp(cpus.bits + GT_SHARED_CPUS_MOST / 64, (struct gt_cpu_set){0}.bits, sizeof cpus - sizeof offer->cpus) != 0)
        return;
    shared->file = memfd_create("gt-utils", MFD_CLOEXEC);
    if (shared->file < 0 || ftruncate(shared->file, sizeof *shared->page) || !gt_system_random(&offer->key, sizeof offer->key) ||
        !(shared->page = map(shared->file)))
        return;
    shared->page->key = offer->key;
    offer->file = shared->file;
#endif
}

/* The page of another process, in the place of the own one. */
static void join_page(struct gt_shared_cpus *shared, const struct gt_shared_cpus_offer *first)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)first->process, first->file);
    gt_shared_cpus_leave(shared);
    shared->file = first->file < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
    const off_t size = shared->file < 0 ? 0 : lseek(shared->file, 0, SEEK_END);
    shared->page = size == sizeof *shared->page ? map(shared->file) : NULL;
    if (shared->page && shared->page->key != first->key) /* a process of another container */
        gt_shared_cpus_leave(shared);
}

void gt_shared_cpus_join(struct gt_shared_cpus *shared, const struct gt_shared_cpus_offer *offers, int ranks, int self, int threads,
                         double quota)
{
    shared->self = self;
    shared->ranks = ranks;
    shared->threads = threads;
    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < GT_SHARED_CPUS_MOST / 64; i++)
            shared->cpus.bits[i] |= offers[r].cpus[i];
    shared->most = (int)gt_min_i64((int64_t)ranks * threads, gt_cpu_set_count(&shared->cpus));
    if (quota > 0 && quota < shared->most)
        shared->most = (int)quota;
    if (ranks > GT_SHARED_CPUS_RANKS || shared->most <= threads)
        gt_shared_cpus_leave(shared);
    else if (self)
        join_page(shared, &offers[0]);
    if (shared->page)
        atomic_store(&shared->page->rank[self].joined, 1);
}

void gt_shared_cpus_leave(struct gt_shared_cpus *shared)
{
    if (shared->page)
        munmap(shared->page, sizeof *shared->page);
    if (shared->file >= 0)
        close(shared->file);
    shared->page = NULL;
    shared->file = -1;
}

void gt_shared_cpus_say(const struct gt_shared_cpus *shared, int computing)
{
    _Atomic int *said = &shared->page->rank[shared->self].computing;
    if (computing < atomic_load_explicit(said, memory_order_relaxed))
        atomic_store_explicit(&shared->page->rank[shared->self].fewer_ns, gt_clock_ns(), memory_order_relaxed);
    atomic_store_explicit(said, computing, memory_order_release);
}

/* Of another rank. */
static int in_use(const struct gt_shared_cpus *shared, int r, int64_t now)
{
    const int computing = atomic_load_explicit(&shared->page->rank[r].computing, memory_order_acquire);
    const bool pause = now - atomic_load_explicit(&shared->page->rank[r].fewer_ns, memory_order_relaxed) < IDLE_NS;
    return pause && computing < shared->threads ? shared->threads : computing;
}

int gt_shared_cpus_spare(const struct gt_shared_cpus *shared)
{
    const int64_t now = gt_clock_ns();
    int all = 0, others = 0;
    for (int r = 0; r < shared->ranks; r++) {
        if (!atomic_load_explicit(&shared->page->rank[r].joined, memory_order_relaxed))
            continue;
        all += shared->threads;
        others += r == shared->self ? 0 : in_use(shared, r, now);
    }
    const int spare = (all < shared->most ? all : shared->most) - others - shared->threads;
    return spare > 0 ? spare : 0;
}
