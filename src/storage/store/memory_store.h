/* A store in memory. */
#ifndef GT_STORE_MEMORY_STORE_H
#define GT_STORE_MEMORY_STORE_H

#include "storage/store/store.h"

/* An empty store in memory, readable and writable; for tests and tar metadata. */
int gt_store_new_memory(struct gt_store **out, struct gt_budget *budget, struct gt_err *err);

#endif
