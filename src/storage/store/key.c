#include "config.h"

#include "storage/store/key.h"

#include <string.h>

bool gt_key_valid(const char *key, size_t n)
{
    if (n == 0 || n >= GT_MAX_KEY || memchr(key, 0, n))
        return false;
    for (const char *part = key, *end = key + n; part <= end;) {
        const char *slash = memchr(part, '/', (size_t)(end - part));
        size_t len = (size_t)((slash ? slash : end) - part);
        if (len == 0 || (len == 1 && part[0] == '.') || (len == 2 && part[0] == '.' && part[1] == '.'))
            return false;
        part += len + 1;
    }
    return true;
}

int gt_key_check(const char *key, int status, const char *store, struct gt_err *err)
{
    return gt_key_valid(key, strlen(key)) ? 0 : gt_fail(err, status, "'%s': the key '%.200s' is not allowed", store, key);
}

const char *gt_key_base(const char *key)
{
    const char *slash = strrchr(key, '/');
    return slash ? slash + 1 : key;
}

bool gt_key_is_meta(const char *key)
{
    static const char *const names[] = {".zgroup", ".zarray", ".zattrs", ".zmetadata", "zarr.json"};
    const char *base = gt_key_base(key);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(base, names[i]) == 0)
            return true;
    return false;
}

bool gt_key_below(const char *key, const char *prefix)
{
    size_t n = strlen(prefix);
    if (n > 0 && prefix[n - 1] == '/')
        n--;
    return n == 0 || (strncmp(key, prefix, n) == 0 && key[n] == '/');
}
