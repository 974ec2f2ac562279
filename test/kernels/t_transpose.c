/* Transpositions of every item size, at every level, one item at a time. */
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/guard_page.h"
#include "test/support/tap.h"

struct shape {
    size_t size;
    int64_t rows, columns;
    int64_t gap[2]; /* bytes between rows, in the source and in the destination */
    bool back[2];   /* their rows stand the other way round */
};

/* Bytes from the first row to the end of the last. */
static size_t span(int64_t rows, int64_t stride, int64_t bytes)
{
    return (size_t)((rows - 1) * stride + bytes);
}

static bool is_turned(const struct gt_kernels *k, const struct shape *of)
{
    const int64_t size = (int64_t)of->size, bytes[2] = {of->columns * size, of->rows * size};
    const int64_t stride[2] = {bytes[0] + of->gap[0], bytes[1] + of->gap[1]}, n[2] = {of->rows, of->columns};
    const size_t room[2] = {span(n[0], stride[0], bytes[0]), span(n[1], stride[1], bytes[1])};
    struct guard from = guard_new(room[0], (int)(rnd() % 2)), to = guard_new(room[1], (int)(rnd() % 2));
    uint8_t *want = malloc(room[1]), *first[2] = {from.data, to.data};
    for (size_t i = 0; i < room[0]; i++)
        from.data[i] = (uint8_t)rnd();
    for (size_t i = 0; i < room[1]; i++)
        want[i] = to.data[i] = (uint8_t)rnd();
    for (int64_t r = 0; r < of->rows; r++)
        for (int64_t c = 0; c < of->columns; c++)
            memcpy(want + (of->back[1] ? of->columns - 1 - c : c) * stride[1] + r * size,
                   from.data + (of->back[0] ? of->rows - 1 - r : r) * stride[0] + c * size, of->size);
    for (int i = 0; i < 2; i++)
        first[i] += of->back[i] ? (n[i] - 1) * stride[i] : 0;
    k->transpose(of->size, of->rows, of->columns, first[0], of->back[0] ? -stride[0] : stride[0], first[1],
                 of->back[1] ? -stride[1] : stride[1]);
    const bool same = memcmp(want, to.data, room[1]) == 0;
    free(want), guard_free(&from), guard_free(&to);
    return same;
}

int main(void)
{
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    for (int i = 0; i < n; i++)
        for (size_t size = 1; size <= 8; size *= 2) {
            int64_t wrong = 0;
            for (int64_t rows = 1; rows <= 70; rows++)
                wrong += !is_turned(all[i], &(struct shape){size, rows, 1 + rnd() % 20, {0}, {0}});
            for (int64_t columns = 1; columns <= 70; columns++)
                wrong += !is_turned(all[i], &(struct shape){size, 60 + rnd() % 20, columns, {0}, {0}});
            for (int64_t lines = 2; lines <= 150; lines++) {
                wrong += !is_turned(all[i], &(struct shape){size, 2 + lines % 2 * 2, lines / 2, {lines % 7, lines % 5 == 0}, {0}});
                wrong += !is_turned(all[i], &(struct shape){size, lines / 2, 2 + lines % 2 * 2, {lines % 5 == 0, lines % 7}, {0}});
            }
            for (int turn = 0; turn < 60; turn++)
                wrong += !is_turned(
                    all[i], &(struct shape){size, 1 + rnd() % 300, 1 + rnd() % 300, {rnd() % 9, rnd() % 9}, {rnd() % 2, rnd() % 2}});
            ok(wrong == 0, "%s: items of %zu bytes: all shapes are turned, and nothing beside them is touched", all[i]->name, size);
        }
    return done_testing();
}
