/* N-dimensional boxes against plain loops. */
#include <stdint.h>
#include <string.h>

#include "core/base/nd.h"
#include "test/support/random.h"
#include "test/support/tap.h"

static void test_indices(void)
{
    const int64_t extent[3] = {2, 3, 4}, shape[3] = {5, 1, 7};
    int64_t index[3] = {0}, at[3], stride[3], n = 0;
    bool same = true;

    do {
        gt_nd_index(3, extent, n, at);
        same = same && memcmp(at, index, sizeof at) == 0 && gt_nd_number(3, extent, index) == n;
        n++;
    } while (gt_nd_next(3, extent, index));
    ok(same && n == 24 && !index[0] && !index[1] && !index[2], "indices of a box, by step and by number");
    ok(!gt_nd_next(0, extent, index), "a box without axes has one index");
    gt_nd_strides(3, shape, stride);
    ok(stride[0] == 7 && stride[1] == 7 && stride[2] == 1, "strides in C order");
    gt_nd_strides_f(3, shape, stride);
    ok(stride[0] == 1 && stride[1] == 5 && stride[2] == 5, "strides in Fortran order");
}

/* A random box of at most `room` items on either side: axes of both sides in
 * orders of their own, with gaps, some turned round or repeated.  *from and *to:
 * places of the first items. */
static void random_box(struct gt_nd *nd, int64_t room, int64_t *from, int64_t *to)
{
    int order[2][GT_MAX_DIMS];
    int64_t step[2] = {1, 1};

    nd->ndim = (int)random_below(5);
    *from = *to = 0;
    for (int i = 0; i < nd->ndim; i++) {
        nd->axis[i].n = random_below(40) == 0 ? 0 : 1 + random_below(nd->ndim > 2 ? 7 : 60);
        order[0][i] = order[1][i] = i;
    }
    for (int side = 0; side < 2; side++) {
        for (int i = nd->ndim - 1; i > 0; i--) {
            int k = (int)random_below(i + 1), t = order[side][i];
            order[side][i] = order[side][k];
            order[side][k] = t;
        }
        for (int i = nd->ndim - 1; i >= 0; i--) {
            struct gt_nd_axis *axis = &nd->axis[order[side][i]];
            int64_t apart = step[side] * (random_below(3) ? 1 : 1 + random_below(3)), *stride = side ? &axis->to : &axis->from;
            *stride = apart;
            step[side] = apart * (axis->n > 0 ? axis->n : 1);
            if (random_below(4) == 0 && axis->n > 0) {
                *stride = -apart;
                *(side ? to : from) += apart * (axis->n - 1);
            } else if (!side && random_below(6) == 0) {
                *stride = 0;
                step[side] = apart;
            }
        }
    }
    if (step[0] > room || step[1] > room)
        random_box(nd, room, from, to);
}

static void naive_copy(const struct gt_nd *nd, size_t size, uint8_t *to, const uint8_t *from)
{
    int64_t extent[GT_MAX_DIMS], index[GT_MAX_DIMS] = {0};

    for (int i = 0; i < nd->ndim; i++) {
        extent[i] = nd->axis[i].n;
        if (extent[i] == 0)
            return;
    }
    do {
        int64_t a = 0, b = 0;
        for (int i = 0; i < nd->ndim; i++) {
            a += index[i] * nd->axis[i].from;
            b += index[i] * nd->axis[i].to;
        }
        memcpy(to + b * (int64_t)size, from + a * (int64_t)size, size);
    } while (gt_nd_next(nd->ndim, extent, index));
}

enum { ROOM = 20000 };

static void test_copies(void)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8, 13};
    static uint8_t source[ROOM * 13], want[ROOM * 13], have[ROOM * 13];
    int same = 0;

    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (uint8_t)random_below(256);
    for (int turn = 0; turn < 3000; turn++) {
        size_t size = sizes[turn % 6];
        struct gt_nd nd;
        int64_t from, to;
        random_box(&nd, ROOM, &from, &to);
        memset(want, 0, sizeof want);
        memset(have, 0, sizeof have);
        naive_copy(&nd, size, want + to * (int64_t)size, source + from * (int64_t)size);
        gt_nd_copy(&nd, size, have + to * (int64_t)size, source + from * (int64_t)size);
        if (memcmp(want, have, sizeof want) == 0)
            same++;
        else
            diag("turn %d: %d axes, items of %zu", turn, nd.ndim, size);
    }
    ok(same == 3000, "%d of 3,000 random boxes are copied as one by one", same);
}

/* n numbers below n, evenly spaced, up or down. */
static void spread(int64_t *to, int64_t n)
{
    const int64_t step = random_below(3) - 1, from = step < 0 ? n - 1 : step || n == 0 ? 0 : random_below(n);
    for (int64_t i = 0; i < n; i++)
        to[i] = from + i * step;
}

/* Lists on random axes: their items in any order, some of them, or from a place on; many are evenly spaced. */
static void test_lists(void)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8, 13};
    static uint8_t source[ROOM * 13], want[ROOM * 13], have[ROOM * 13];
    static int64_t place[4][64], item[4][64];
    int same = 0;

    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (uint8_t)random_below(256);
    for (int turn = 0; turn < 1000; turn++) {
        const size_t size = sizes[turn % 6];
        struct gt_nd nd;
        struct gt_nd_list lists[GT_MAX_DIMS] = {{0}};
        int64_t from, to, n[4] = {0}, index[GT_MAX_DIMS] = {0};
        do
            random_box(&nd, ROOM, &from, &to);
        while (nd.ndim == 0);
        for (int k = 0; k < nd.ndim; k++) {
            n[k] = nd.axis[k].n;
            for (int64_t i = 0; i < n[k]; i++)
                place[k][i] = random_below(n[k]), item[k][i] = random_below(n[k]);
            if (random_below(3))
                spread(place[k], n[k]);
            if (random_below(3))
                spread(item[k], n[k]);
            const int kind = (int)random_below(3);
            lists[k] = (struct gt_nd_list){kind ? place[k] : NULL, kind == 2 ? item[k] : NULL, 0};
            if (kind == 1 && n[k] > 1) {
                lists[k].first = random_below(n[k]);
                nd.axis[k].n -= lists[k].first;
            }
        }
        memset(want, 0, sizeof want);
        memset(have, 0, sizeof have);
        bool over = false;
        for (int k = 0; k < nd.ndim; k++)
            over = over || (n[k] = nd.axis[k].n) == 0;
        for (; !over; over = !gt_nd_next(nd.ndim, n, index)) {
            int64_t a = from, b = to;
            for (int k = 0; k < nd.ndim; k++) {
                const int64_t at = lists[k].item ? lists[k].item[index[k]] : lists[k].first + index[k];
                a += nd.axis[k].from * (lists[k].place ? lists[k].place[at] : index[k]);
                b += nd.axis[k].to * at;
            }
            memcpy(want + b * (int64_t)size, source + a * (int64_t)size, size);
        }
        gt_nd_copy_lists(&nd, lists, to, from, size, have, source);
        same += memcmp(want, have, sizeof want) == 0;
    }
    ok(same == 1000, "%d of 1,000 random boxes with lists are copied as one by one", same);
}

/* Every pair of places once, by runs. */
static void test_walks(void)
{
    static uint16_t want[ROOM], have[ROOM];
    int same = 0;

    for (int turn = 0; turn < 500; turn++) {
        struct gt_nd nd;
        struct gt_nd_walk walk;
        int64_t from, to;
        static uint16_t number[ROOM];
        random_box(&nd, ROOM, &from, &to);
        for (int i = 0; i < ROOM; i++)
            number[i] = (uint16_t)(i + 1);
        memset(want, 0, sizeof want);
        memset(have, 0, sizeof have);
        naive_copy(&nd, 2, (uint8_t *)(want + to), (const uint8_t *)(number + from));
        for (gt_nd_walk_begin(&walk, &nd); gt_nd_walk_run(&walk); gt_nd_walk_next(&walk))
            for (int64_t i = 0; i < walk.run.n; i++)
                have[to + walk.to + i * walk.run.to] = number[from + walk.from + i * walk.run.from];
        same += memcmp(want, have, sizeof want) == 0;
    }
    ok(same == 500, "%d of 500 random boxes are walked as one by one", same);
}

static void test_tidy(void)
{
    struct gt_nd whole = {3, {{4, 35, 35}, {5, 7, 7}, {7, 1, 1}}}, part = {3, {{4, 70, 35}, {5, 7, 7}, {7, 1, 1}}};
    struct gt_nd turned = {3, {{1, 9, 9}, {6, 1, 8}, {8, 6, 1}}}, empty = {2, {{3, 1, 1}, {0, 3, 3}}}, none = {0};

    gt_nd_tidy(&whole);
    ok(whole.ndim == 1 && whole.axis[0].n == 140 && whole.axis[0].from == 1, "what lies alike on both sides is one run");
    gt_nd_tidy(&part);
    ok(part.ndim == 2 && part.axis[0].n == 4 && part.axis[1].n == 35, "a gap on one side ends a run");
    gt_nd_tidy(&turned);
    ok(turned.ndim == 2 && turned.axis[0].to == 8 && turned.axis[1].to == 1, "axes of one item go");
    gt_nd_tidy(&empty);
    ok(empty.ndim == 1 && empty.axis[0].n == 0, "an empty box is one axis of 0");
    gt_nd_tidy(&none);
    ok(none.ndim == 1 && none.axis[0].n == 1, "a box without axes holds one item");
}

int main(void)
{
    test_indices();
    test_tidy();
    test_copies();
    test_lists();
    test_walks();
    return done_testing();
}
