/* The cpus of a node that several ranks share: while one of them has nothing to compute, the others use its threads.  The ranks say in a
 * page of memory how many threads of each compute. */
#ifndef GT_ENGINE_SHARED_CPUS_H
#define GT_ENGINE_SHARED_CPUS_H

#include <stdbool.h>

#include "core/base/limits.h"

#define GT_SHARED_CPUS_RANKS 128 /* of a node that share, at most */
#define GT_SHARED_CPUS_MOST 1024 /* cpus of a node; with more, nothing is shared */

/* What the others need to join a rank's page. */
struct gt_shared_cpus_offer {
    int64_t process;
    int file; /* a descriptor of it; -1: there is none */
    uint64_t key;
    uint64_t cpus[GT_SHARED_CPUS_MOST / 64]; /* that the rank may use */
};

struct gt_shared_cpus_page;
struct gt_shared_cpus {
    struct gt_shared_cpus_page *page; /* NULL: nothing is shared */
    int file;
    int self, ranks; /* of the node */
    int threads;     /* of each rank */
    int most;        /* that may compute at once, of all ranks */
    struct gt_cpu_set cpus;
};

/* Makes a page for the ranks of this node, which are processes of one user; gt_shared_cpus_leave releases it. */
void gt_shared_cpus_offer(struct gt_shared_cpus *shared, struct gt_shared_cpus_offer *offer);
/* Joins the page of the first rank of the node; offers: of its ranks, of which this is number `self`.  threads: of each; quota: cpus that
 * all together may use, 0 = no limit.  Where that cannot be, nothing is shared. */
void gt_shared_cpus_join(struct gt_shared_cpus *shared, const struct gt_shared_cpus_offer *offers, int ranks, int self, int threads,
                         double quota);
/* No pool may use it any more. */
void gt_shared_cpus_leave(struct gt_shared_cpus *shared);

/* Where a page is shared.  So many threads of this rank compute. */
void gt_shared_cpus_say(const struct gt_shared_cpus *shared, int computing);
/* Threads that this rank may use in addition to its own, now. */
int gt_shared_cpus_spare(const struct gt_shared_cpus *shared);

#endif
