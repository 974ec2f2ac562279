#include "config.h"

#include "store/open.h"

#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

int gt_store_create(struct gt_store **out, const char *path, bool replace, const char *plan, struct gt_err *err)
{
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 || ends_with(path, ".tar"))
        return gt_store_create_tar(out, path, err);
    if (ends_with(path, ".zip"))
        return gt_store_create_zip(out, path, err);
    return gt_store_create_dir(out, path, replace, plan, err);
}
