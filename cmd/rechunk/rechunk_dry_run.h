/* What gt-rechunk is going to do, in numbers. */
#ifndef GT_CMD_RECHUNK_PLAN_H
#define GT_CMD_RECHUNK_PLAN_H

#include "calc/rechunk/store_job.h"
#include "cmd/common/cli.h"

/* Of all arrays together; bytes are those of items in memory, but for spilled. */
struct rechunk_totals {
    int64_t units, decodes, chunks, read, written, spilled;
    int64_t peak, minimum; /* memory for data: of the array that takes the most */
    bool mixed;            /* lists of items are, so that chunks are decoded several times */
    double seconds;        /* about */
};
struct rechunk_totals rechunk_totals(const struct gt_rechunk_store *store);

/* --dry-run.  npy: of a NumPy array, rather than a store. */
void rechunk_print_plan(const struct gt_cli *cli, const struct gt_rechunk_store *store, const struct gt_store *source, bool npy);

#endif
