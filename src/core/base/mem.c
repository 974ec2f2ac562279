#include "config.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/size.h"

int gt_no_memory(struct gt_err *err)
{
    return gt_fail(err, GT_FAIL, "out of memory");
}

void *gt_alloc(size_t n, size_t size, struct gt_err *err)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        gt_no_memory(err);
    return p;
}

int gt_resize(void *array, size_t n, size_t size, struct gt_err *err)
{
    void *p;
    size_t bytes;
    if (!gt_mul_size(n, size, &bytes))
        return gt_no_memory(err);
    /* `array` is a pointer to a pointer to whatever the caller keeps */
    memcpy(&p, array, sizeof p);
    p = realloc(p, bytes ? bytes : 1);
    if (!p)
        return gt_no_memory(err);
    memcpy(array, &p, sizeof p);
    return GT_OK;
}

size_t gt_grown(size_t cap, size_t n)
{
    size_t more;
    if (n <= cap)
        return cap;
    if (!gt_add_size(cap, cap / 2, &more) || more < n)
        more = n < 8 ? 8 : n;
    return more;
}

int gt_grow(void *array, size_t *cap, size_t n, size_t size, struct gt_err *err)
{
    size_t more = gt_grown(*cap, n);
    int status = more > *cap ? gt_resize(array, more, size, err) : GT_OK;
    if (!status)
        *cap = more;
    return status;
}

char *gt_strndup(const char *s, size_t n, struct gt_err *err)
{
    size_t len = strnlen(s, n);
    char *copy = malloc(len + 1);
    if (!copy) {
        gt_no_memory(err);
        return NULL;
    }
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

char *gt_strdup(const char *s, struct gt_err *err)
{
    return gt_strndup(s, strlen(s), err);
}
