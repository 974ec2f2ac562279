#include "config.h"

#include "core/base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/os/os_process.h"

/* What a text that could not grow points to, so that nobody meets a NULL. */
static char nothing[1];

void gt_str_fail(struct gt_str *str)
{
    gt_str_release(str);
    str->s = nothing;
    str->failed = true;
}

static bool str_room(struct gt_str *str, size_t n)
{
    size_t need;
    if (str->failed)
        return false;
    if (n < str->cap - str->len)
        return true;
    if (gt_add_size(str->len, n, &need) && gt_add_size(need, 1, &need) &&
        gt_grow(&str->s, &str->cap, need < 32 ? 32 : need, 1, NULL) == GT_OK)
        return true;
    gt_str_fail(str);
    return false;
}

void gt_str_addn(struct gt_str *str, const void *bytes, size_t n)
{
    if (!str_room(str, n))
        return;
    if (n)
        memcpy(str->s + str->len, bytes, n);
    str->len += n;
    str->s[str->len] = '\0';
}

void gt_str_add(struct gt_str *str, const char *text)
{
    gt_str_addn(str, text, strlen(text));
}

static void str_addv(struct gt_str *str, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    if (n < 0)
        gt_str_fail(str);
    else if (str_room(str, (size_t)n) && vsnprintf(str->s + str->len, (size_t)n + 1, fmt, again) == n)
        str->len += (size_t)n;
    else
        gt_str_fail(str);
    va_end(again);
}

void gt_str_addf(struct gt_str *str, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    str_addv(str, fmt, ap);
    va_end(ap);
}

void gt_str_clear(struct gt_str *str)
{
    str->len = 0;
    if (str->s)
        str->s[0] = '\0';
}

void gt_str_release(struct gt_str *str)
{
    if (!str->failed)
        free(str->s);
    *str = (struct gt_str){0};
}

int gt_str_check(const struct gt_str *str, struct gt_err *err)
{
    return str->failed ? gt_no_memory(err) : GT_OK;
}

int gt_str_take(struct gt_str *str, char **text, struct gt_err *err)
{
    const int status = gt_str_check(str, err);
    *text = status ? NULL : str->s;
    *str = (struct gt_str){0};
    return status;
}

bool gt_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* gt_grow for an array that is counted. */
static int grow_counted(void *array, size_t *cap, size_t n, size_t size, struct gt_budget *budget, struct gt_err *err)
{
    size_t had = *cap, more = gt_grown(had, n);
    int status = budget && more > had ? gt_budget_take(budget, (more - had) * size, err) : GT_OK;
    if (!status && (status = gt_grow(array, cap, n, size, err)) != GT_OK && budget)
        gt_budget_give(budget, (more - had) * size);
    return status;
}

static void give_counted(struct gt_budget *budget, size_t cap, size_t size)
{
    if (budget)
        gt_budget_give(budget, cap * size);
}

int gt_strs_add(struct gt_strs *list, const char *s, size_t n, struct gt_err *err)
{
    size_t need;
    int status;
    if (!gt_add_size(list->text_len, n, &need) || !gt_add_size(need, 1, &need))
        return gt_no_memory(err);
    if ((status = grow_counted(&list->text, &list->text_cap, need < 64 ? 64 : need, 1, list->budget, err)) != GT_OK ||
        (status = grow_counted(&list->start, &list->cap, list->n + 1, sizeof *list->start, list->budget, err)) != GT_OK)
        return status;
    if (n)
        memcpy(list->text + list->text_len, s, n);
    list->text[list->text_len + n] = '\0';
    list->start[list->n++] = list->text_len;
    list->text_len = need;
    return GT_OK;
}

int gt_strs_reserve(struct gt_strs *list, size_t n, size_t bytes, struct gt_err *err)
{
    int status;
    if (!gt_add_size(list->text_len, bytes, &bytes) || !gt_add_size(list->n, n, &n))
        return gt_no_memory(err);
    status = grow_counted(&list->text, &list->text_cap, bytes, 1, list->budget, err);
    return status ? status : grow_counted(&list->start, &list->cap, n, sizeof *list->start, list->budget, err);
}

int gt_strs_extend(struct gt_strs *list, size_t n, struct gt_strs *left, struct gt_err *err)
{
    struct gt_strs more = {.budget = list->budget};
    int status;
    *left = (struct gt_strs){0};
    if (list->n < list->cap && list->text_len + n + 1 <= list->text_cap)
        return GT_OK;
    if ((status = grow_counted(&more.text, &more.text_cap, 2 * list->text_len + n + 1024, 1, more.budget, err)) != GT_OK ||
        (status = grow_counted(&more.start, &more.cap, 2 * list->n + 64, sizeof *more.start, more.budget, err)) != GT_OK) {
        gt_strs_release(&more);
        return status;
    }
    if (list->n) {
        memcpy(more.text, list->text, more.text_len = list->text_len);
        memcpy(more.start, list->start, (more.n = list->n) * sizeof *more.start);
    }
    *left = *list;
    *list = more;
    return GT_OK;
}

int gt_strs_addf(struct gt_strs *list, struct gt_err *err, const char *fmt, ...)
{
    struct gt_str text = {0};
    va_list ap;
    va_start(ap, fmt);
    str_addv(&text, fmt, ap);
    va_end(ap);
    int status = gt_str_check(&text, err);
    if (!status)
        status = gt_strs_add(list, text.s, text.len, err);
    gt_str_release(&text);
    return status;
}

void gt_strs_clear(struct gt_strs *list)
{
    list->n = list->text_len = 0;
}

void gt_strs_release(struct gt_strs *list)
{
    struct gt_budget *budget = list->budget;
    free(list->text);
    free(list->start);
    give_counted(budget, list->text_cap, 1);
    give_counted(budget, list->cap, sizeof *list->start);
    *list = (struct gt_strs){.budget = budget};
}

int gt_strs_copy(struct gt_strs *to, const struct gt_strs *from, struct gt_err *err)
{
    int status;
    if (to == from)
        return GT_OK;
    gt_strs_release(to);
    if (!from->n)
        return GT_OK;
    if ((status = grow_counted(&to->text, &to->text_cap, from->text_len, 1, to->budget, err)) != GT_OK ||
        (status = grow_counted(&to->start, &to->cap, from->n, sizeof *to->start, to->budget, err)) != GT_OK) {
        gt_strs_release(to);
        return status;
    }
    memcpy(to->text, from->text, to->text_len = from->text_len);
    memcpy(to->start, from->start, (to->n = from->n) * sizeof *to->start);
    return GT_OK;
}

/* Open addressing with linear probing, at most half full.  A slot holds the
 * entry's index + 1.  The hash is seeded at random, since ids come from input. */
struct gt_names {
    struct gt_strs texts;
    struct {
        size_t len;
        int64_t number;
    } * entry;
    size_t cap; /* of entry */
    size_t *slot;
    size_t mask; /* slots - 1 */
    uint64_t seed;
};

#define FIRST_SLOTS 64 /* not counted */

struct gt_names *gt_names_new(struct gt_budget *budget, struct gt_err *err)
{
    struct gt_names *names = gt_alloc(1, sizeof *names, err);
    if (!names)
        return NULL;
    names->texts.budget = budget;
    names->mask = FIRST_SLOTS - 1;
    names->slot = gt_alloc(names->mask + 1, sizeof *names->slot, err);
    if (!names->slot) {
        free(names);
        return NULL;
    }
    if (!gt_system_random(&names->seed, sizeof names->seed))
        names->seed = (uint64_t)(uintptr_t)names;
    return names;
}

void gt_names_free(struct gt_names *names)
{
    if (!names)
        return;
    give_counted(names->texts.budget, names->cap, sizeof *names->entry);
    give_counted(names->texts.budget, names->mask + 1 - FIRST_SLOTS, sizeof *names->slot);
    gt_strs_release(&names->texts);
    free(names->entry);
    free(names->slot);
    free(names);
}

/* The slot that holds the name, or the empty one where it belongs. */
static size_t find_slot(const struct gt_names *names, const char *name, size_t n)
{
    size_t at = XXH3_64bits_withSeed(name, n, names->seed) & names->mask;
    for (size_t i; (i = names->slot[at]) != 0; at = (at + 1) & names->mask)
        if (names->entry[i - 1].len == n && !memcmp(gt_strs_get(&names->texts, i - 1), name, n))
            break;
    return at;
}

int64_t gt_names_find(const struct gt_names *names, const char *name, size_t n)
{
    size_t i = names->slot[find_slot(names, name, n)];
    return i ? names->entry[i - 1].number : -1;
}

/* Twice the slots. */
static int rehash(struct gt_names *names, struct gt_err *err)
{
    struct gt_budget *budget = names->texts.budget;
    size_t *slot, more = names->mask + 1;
    int status = budget ? gt_budget_take(budget, more * sizeof *slot, err) : GT_OK;
    if (status)
        return status;
    if (!(slot = gt_alloc(2 * more, sizeof *slot, err))) {
        give_counted(budget, more, sizeof *slot);
        return GT_FAIL;
    }
    free(names->slot);
    names->slot = slot;
    names->mask = names->mask * 2 + 1;
    for (size_t i = 0; i < names->texts.n; i++)
        names->slot[find_slot(names, gt_strs_get(&names->texts, i), names->entry[i].len)] = i + 1;
    return GT_OK;
}

int gt_names_add(struct gt_names *names, const char *name, size_t n, int64_t number, int64_t *had, struct gt_err *err)
{
    size_t at = find_slot(names, name, n), i = names->slot[at];
    int status;
    if (had)
        *had = i ? names->entry[i - 1].number : -1;
    if (i)
        return GT_OK;
    i = names->texts.n;
    if ((i + 1) * 2 > names->mask) {
        if ((status = rehash(names, err)) != GT_OK)
            return status;
        at = find_slot(names, name, n);
    }
    if ((status = grow_counted(&names->entry, &names->cap, i + 1, sizeof *names->entry, names->texts.budget, err)) != GT_OK ||
        (status = gt_strs_add(&names->texts, name, n, err)) != GT_OK)
        return status;
    names->entry[i].len = n;
    names->entry[i].number = number;
    names->slot[at] = i + 1;
    return GT_OK;
}

struct gt_names *gt_names_of(const struct gt_strs *list, struct gt_budget *budget, struct gt_err *err)
{
    struct gt_names *names = gt_names_new(budget, err);
    for (size_t i = 0; i < list->n && names; i++)
        if (gt_names_add(names, gt_strs_get(list, i), strlen(gt_strs_get(list, i)), (int64_t)i, NULL, err)) {
            gt_names_free(names);
            names = NULL;
        }
    return names;
}

int gt_names_number(struct gt_names *names, struct gt_strs *list, const char *name, size_t n, int64_t *number, struct gt_err *err)
{
    int status = gt_names_add(names, name, n, (int64_t)list->n, number, err);
    if (!status && *number < 0) {
        *number = (int64_t)list->n;
        status = gt_strs_add(list, name, n, err);
    }
    return status;
}
