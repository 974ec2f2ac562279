/* Stores that are zip files. */
#ifndef GT_STORE_ZIP_STORE_H
#define GT_STORE_ZIP_STORE_H

#include "storage/store/store.h"

/* path: of a file, or a URL, of which the parts that are needed are got. */
int gt_store_open_zip(struct gt_store **out, const char *path, struct gt_budget *budget, struct gt_err *err);
int gt_store_create_zip(struct gt_store **out, const char *path, struct gt_err *err);

#endif
