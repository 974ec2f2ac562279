/* Inputs that are URLs of stores. */
#ifndef GT_INPUT_URL_INPUT_H
#define GT_INPUT_URL_INPUT_H

#include "storage/input/input.h"

/* Makes an input of the URL of a store (a directory or, by its name, a zip), or of something inside one: kind, path and inner.  GT_NOENT
 * when there is no store, *input unchanged. */
int gt_url_find_store(struct gt_input *input, struct gt_err *err);

#endif
