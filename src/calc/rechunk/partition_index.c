/* Places in any order: which items share a unit, and where none does with those after it. */
#include <stdlib.h>
#include <string.h>

#include "calc/rechunk/partition.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"

/* --- parts of a unit each ----------------------------------------------------------------- */

/* Do the items of each unit stand together, and units rise or fall?  Then units end where they change. */
static bool is_plain(const int64_t *place, int64_t n, int64_t unit, int64_t *changes)
{
    int rises = 0;
    *changes = 0;
    for (int64_t i = 1; i < n; i++) {
        const int64_t a = place[i - 1] / unit, b = place[i] / unit;
        const int way = (b > a) - (b < a);
        if (way && rises && way != rises)
            return false;
        rises = way ? way : rises;
        *changes += way != 0;
    }
    return true;
}

static void add_part(struct gt_partition *parts, int64_t end)
{
    const int64_t width = end - parts->at[parts->n];
    parts->widest = width > parts->widest ? width : parts->widest;
    parts->at[++parts->n] = end;
}

static int make_plain(struct gt_partition_index *list, int64_t unit, int64_t changes, struct gt_err *err)
{
    list->parts.at = gt_alloc((size_t)changes + 2, sizeof *list->parts.at, err);
    if (!list->parts.at)
        return GT_FAIL;
    for (int64_t i = 1; i <= list->n; i++)
        if (i == list->n || list->place[i] / unit != list->place[i - 1] / unit)
            add_part(&list->parts, i);
    return 0;
}

/* --- units that are mixed -------------------------------------------------------------------- */

struct owned {
    int64_t part, unit, item;
};

static int by_unit(const void *a, const void *b)
{
    const struct owned *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

/* A part ends where no unit that was met has more items after.  `at` is sorted by units; reach: room for n. */
static void find_parts(struct gt_partition_index *list, const struct owned *at, int64_t *reach)
{
    int64_t far = 0;
    for (int64_t k = list->n - 1, last = 0; k >= 0; k--) {
        if (k == list->n - 1 || at[k].unit != at[k + 1].unit)
            last = at[k].item;
        reach[at[k].item] = last;
    }
    for (int64_t i = 0; i < list->n; i++) {
        far = gt_max_i64(far, reach[i]);
        if (far == i)
            add_part(&list->parts, i + 1);
    }
}

/* Sorted by parts and units: the units. */
static void list_units(struct gt_partition_index *list, const struct owned *at)
{
    int64_t units = 0;
    for (int64_t k = 0; k < list->n; k++) {
        if (k == 0 || at[k].part != at[k - 1].part)
            list->of_part[at[k].part] = units;
        if (k == 0 || at[k].part != at[k - 1].part || at[k].unit != at[k - 1].unit) {
            list->unit[units] = at[k].unit;
            list->first[units++] = k;
        }
        list->order[k] = at[k].item;
    }
    list->first[units] = list->n;
    list->of_part[list->parts.n] = units;
}

static int make_mixed(struct gt_partition_index *list, int64_t unit, struct gt_err *err)
{
    const size_t n = (size_t)list->n;
    struct owned *at = gt_alloc(n, sizeof *at, err);
    int64_t *reach = at ? gt_alloc(n, sizeof *reach, err) : NULL;
    list->parts.at = reach ? gt_alloc(n + 1, sizeof *list->parts.at, err) : NULL;
    list->of_part = list->parts.at ? gt_alloc(n + 1, sizeof *list->of_part, err) : NULL;
    list->unit = list->of_part ? gt_alloc(n, sizeof *list->unit, err) : NULL;
    list->first = list->unit ? gt_alloc(n + 1, sizeof *list->first, err) : NULL;
    list->order = list->first ? gt_alloc(n, sizeof *list->order, err) : NULL;
    if (list->order) {
        for (int64_t i = 0; i < list->n; i++)
            at[i] = (struct owned){0, list->place[i] / unit, i};
        qsort(at, n, sizeof *at, by_unit);
        find_parts(list, at, reach);
        for (int64_t k = 0; k < list->n; k++)
            at[k].part = gt_partition_find(&list->parts, at[k].item);
        qsort(at, n, sizeof *at, by_unit);
        list_units(list, at);
    }
    free(at);
    free(reach);
    return list->order ? 0 : GT_FAIL;
}

/* --- all ------------------------------------------------------------------------------------- */

/* Of mixed units: what stays, and what sorting takes. */
static int64_t mixed_bytes(int64_t n)
{
    return gt_bytes_mul(n + 1, 6 * (int64_t)sizeof(int64_t) + (int64_t)sizeof(struct owned));
}

int gt_partition_index_make(struct gt_partition_index *list, const int64_t *place, int64_t n, int64_t unit, struct gt_budget *budget,
                            struct gt_err *err)
{
    int64_t changes;
    const bool plain = is_plain(place, n, unit, &changes);
    const int64_t bytes = plain ? (changes + 2) * (int64_t)sizeof(int64_t) : mixed_bytes(n);
    *list = (struct gt_partition_index){.place = place, .n = n, .budget = budget};
    int status = gt_budget_take(budget, (size_t)bytes, err);
    if (status)
        return status;
    list->bytes = bytes;
    status = plain ? make_plain(list, unit, changes, err) : make_mixed(list, unit, err);
    if (status)
        gt_partition_index_release(list);
    return status;
}

void gt_partition_index_release(struct gt_partition_index *list)
{
    if (list->bytes)
        gt_budget_give(list->budget, (size_t)list->bytes);
    gt_partition_release(&list->parts);
    free(list->of_part);
    free(list->unit);
    free(list->first);
    free(list->order);
    *list = (struct gt_partition_index){0};
}

/* The first of `at`, n rising numbers, that is not below `least`. */
static int64_t lower(const int64_t *at, int64_t n, int64_t minimum)
{
    int64_t low = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        const bool right = at[low + half] < minimum;
        low += right ? half + 1 : 0;
        n = right ? n - half - 1 : half;
    }
    return low;
}

int64_t gt_partition_index_items(const struct gt_partition_index *list, int64_t unit, int64_t from, int64_t to, int64_t *at)
{
    const int64_t part = gt_partition_find(&list->parts, from), u = list->of_part[part], units = list->of_part[part + 1] - u;
    const int64_t k = u + lower(list->unit + u, units, unit);
    *at = 0;
    if (from >= to || k == u + units || list->unit[k] != unit)
        return 0;
    const int64_t begin = list->first[k], n = list->first[k + 1] - begin;
    *at = begin + lower(list->order + begin, n, from);
    return begin + lower(list->order + begin, n, to) - *at;
}

bool gt_partition_index_has(const struct gt_partition_axis *axis, int64_t unit, int64_t from, int64_t to)
{
    int64_t at;
    if (!axis->list || !axis->list->order)
        return true;
    for (int64_t next; from < to; from = next) { /* the part's end may come first */
        next = gt_min_i64(to, axis->list->parts.at[gt_partition_find(&axis->list->parts, from) + 1]);
        if (gt_partition_index_items(axis->list, unit, from, next, &at) > 0)
            return true;
    }
    return false;
}
