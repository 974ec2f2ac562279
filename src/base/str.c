#include "config.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

#include "base/size.h"

void *gt_xmalloc(size_t n)
{
    void *p = malloc(n ? n : 1);
    if (!p)
        abort();
    return p;
}

void *gt_xcalloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        abort();
    return p;
}

void *gt_xrealloc(void *p, size_t n)
{
    p = realloc(p, n ? n : 1);
    if (!p)
        abort();
    return p;
}

char *gt_xstrndup(const char *s, size_t n)
{
    size_t len = strnlen(s, n);
    char *copy = gt_xmalloc(len + 1);
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

char *gt_xstrdup(const char *s)
{
    return gt_xstrndup(s, strlen(s));
}

/* A capacity for `need` (or more) that grows by half. */
static size_t grown(size_t cap, size_t need)
{
    size_t more;
    if (!gt_add_size(cap, cap / 2, &more))
        abort();
    return need > more ? need : more;
}

static void str_room(struct gt_str *str, size_t n)
{
    size_t need;
    if (!gt_add_size(str->len, n, &need) || !gt_add_size(need, 1, &need))
        abort();
    if (need <= str->cap)
        return;
    str->cap = grown(str->cap, need < 32 ? 32 : need);
    str->s = gt_xrealloc(str->s, str->cap);
}

void gt_str_addn(struct gt_str *str, const void *bytes, size_t n)
{
    str_room(str, n);
    if (n)
        memcpy(str->s + str->len, bytes, n);
    str->len += n;
    str->s[str->len] = '\0';
}

void gt_str_add(struct gt_str *str, const char *text)
{
    gt_str_addn(str, text, strlen(text));
}

void gt_str_addf(struct gt_str *str, const char *fmt, ...)
{
    va_list ap, again;
    int n;
    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        abort();
    str_room(str, (size_t)n);
    vsnprintf(str->s + str->len, (size_t)n + 1, fmt, again);
    va_end(again);
    str->len += (size_t)n;
}

void gt_str_clear(struct gt_str *str)
{
    str->len = 0;
    if (str->s)
        str->s[0] = '\0';
}

void gt_str_release(struct gt_str *str)
{
    free(str->s);
    *str = (struct gt_str){0};
}

bool gt_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

size_t gt_strs_add(struct gt_strs *list, const char *s, size_t n)
{
    size_t need;
    if (!gt_add_size(list->text_len, n, &need) || !gt_add_size(need, 1, &need))
        abort();
    if (need > list->text_cap) {
        list->text_cap = grown(list->text_cap, need < 64 ? 64 : need);
        list->text = gt_xrealloc(list->text, list->text_cap);
    }
    if (list->n == list->cap) {
        list->cap = grown(list->cap, list->cap < 8 ? 8 : list->cap + 1);
        list->start = gt_xrealloc(list->start, list->cap * sizeof *list->start);
    }
    if (n)
        memcpy(list->text + list->text_len, s, n);
    list->text[list->text_len + n] = '\0';
    list->start[list->n] = list->text_len;
    list->text_len = need;
    return list->n++;
}

void gt_strs_clear(struct gt_strs *list)
{
    list->n = list->text_len = 0;
}

void gt_strs_release(struct gt_strs *list)
{
    free(list->text);
    free(list->start);
    *list = (struct gt_strs){0};
}

void gt_strs_copy(struct gt_strs *to, const struct gt_strs *from)
{
    if (to == from)
        return;
    gt_strs_release(to);
    if (!from->n)
        return;
    to->text = gt_xmalloc(to->text_cap = to->text_len = from->text_len);
    memcpy(to->text, from->text, from->text_len);
    to->start = gt_xmalloc((to->cap = to->n = from->n) * sizeof *to->start);
    memcpy(to->start, from->start, from->n * sizeof *to->start);
}

/* Open addressing with linear probing, at most half full.  A slot holds the
 * entry's index + 1.  The hash is seeded at random, since ids come from input. */
struct gt_names {
    struct gt_strs texts;
    size_t *length;
    int64_t *number;
    size_t cap; /* of length and number */
    size_t *slot;
    size_t mask; /* slots - 1 */
    uint64_t seed;
};

struct gt_names *gt_names_new(void)
{
    struct gt_names *names = gt_xcalloc(1, sizeof *names);
    names->mask = 63;
    names->slot = gt_xcalloc(names->mask + 1, sizeof *names->slot);
    if (getrandom(&names->seed, sizeof names->seed, GRND_NONBLOCK) < 0)
        names->seed = (uint64_t)(uintptr_t)names;
    return names;
}

void gt_names_free(struct gt_names *names)
{
    if (!names)
        return;
    gt_strs_release(&names->texts);
    free(names->length);
    free(names->number);
    free(names->slot);
    free(names);
}

/* The slot that holds the name, or the empty one where it belongs. */
static size_t find_slot(const struct gt_names *names, const char *name, size_t n)
{
    size_t at = XXH3_64bits_withSeed(name, n, names->seed) & names->mask;
    for (size_t i; (i = names->slot[at]) != 0; at = (at + 1) & names->mask)
        if (names->length[i - 1] == n && !memcmp(gt_strs_get(&names->texts, i - 1), name, n))
            break;
    return at;
}

int64_t gt_names_find(const struct gt_names *names, const char *name, size_t n)
{
    size_t i = names->slot[find_slot(names, name, n)];
    return i ? names->number[i - 1] : -1;
}

static void rehash(struct gt_names *names)
{
    names->mask = names->mask * 2 + 1;
    free(names->slot);
    names->slot = gt_xcalloc(names->mask + 1, sizeof *names->slot);
    for (size_t i = 0; i < names->texts.n; i++)
        names->slot[find_slot(names, gt_strs_get(&names->texts, i), names->length[i])] = i + 1;
}

int64_t gt_names_add(struct gt_names *names, const char *name, size_t n, int64_t number)
{
    size_t at = find_slot(names, name, n), i = names->slot[at];
    if (i)
        return names->number[i - 1];
    i = gt_strs_add(&names->texts, name, n);
    if (i >= names->cap) {
        names->cap = grown(names->cap, i < 31 ? 32 : i + 1);
        names->length = gt_xrealloc(names->length, names->cap * sizeof *names->length);
        names->number = gt_xrealloc(names->number, names->cap * sizeof *names->number);
    }
    names->length[i] = n;
    names->number[i] = number;
    names->slot[at] = i + 1;
    if (names->texts.n * 2 > names->mask)
        rehash(names);
    return -1;
}
