/* Containers of blosc: byte for byte those of libblosc, in whose test's place it stands; damage is told, or does no harm. */
#include "config.h"

#include <blosc.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "storage/codec/blosc_frame.h"
#include "test/support/guard_page.h"
#include "test/support/tap.h"

static void fill(uint8_t *data, size_t n)
{
    const uint32_t kind = rnd() % 4, range = rnd() % 2 ? 256 : 1 + rnd() % 8;
    for (size_t i = 0; i < n; i++)
        data[i] = (uint8_t)(kind == 0 ? 0 : kind == 1 ? i / 7 : rnd() % range);
}

static size_t some_size(void)
{
    const size_t most[] = {20, 300, 5000, 70000, 700000, 3000000};
    return 1 + rnd() % most[rnd() % 6];
}

/* Zstandard that is told how to look at planes of bits: other bytes than libblosc's, about as many, which libblosc reads. */
static bool has_planes(const struct gt_blosc *how, size_t n)
{
    return how->zstd && how->level == 1 && how->shuffle == GT_BLOSC_BITS && how->item == 1 && n >= 128;
}

static bool reads(const uint8_t *container, const uint8_t *data, size_t n)
{
    uint8_t *back = malloc(n);
    bool same = blosc_decompress_ctx(container, back, n, 1) == (int)n && memcmp(back, data, n) == 0;
    free(back);
    return same;
}

/* Every way to ask; *theirs says what libblosc makes of it. */
static bool is_same(const struct gt_blosc *how, const uint8_t *data, size_t n)
{
    const size_t room = n + BLOSC_MAX_OVERHEAD;
    uint8_t *theirs = malloc(room), *back = malloc(n);
    struct guard ours = guard_new(room, (int)(rnd() % 2));
    struct gt_blosc_frame frame;
    struct gt_err err = {0};
    size_t len = 0;
    int want = blosc_compress_ctx(how->level, (int)how->shuffle, how->item <= 255 ? how->item : 1, n, data, theirs, room,
                                  how->zstd ? "zstd" : "lz4", how->blocksize, 1);
    bool same = gt_blosc_encode(how, data, n, ours.data, room, &len, &err) == 0 && want > 0;
    if (same && has_planes(how, n))
        same = 10 * len <= 11 * (size_t)want + 100 && reads(ours.data, data, n);
    else
        same = same && len == (size_t)want && memcmp(theirs, ours.data, len) == 0;
    bool read = gt_blosc_open(&frame, theirs, (size_t)want) && frame.n == n &&
                gt_blosc_decode(&frame, 0, frame.n_blocks, back, &err) == 0 && memcmp(back, data, n) == 0;
    if (!same || !read)
        diag("%s:%d shuffle %d of %zu, %zu bytes, blocks of %zu: %zu where %d is wanted, read: %d, %s", how->zstd ? "zstd" : "lz4",
             how->level, (int)how->shuffle, how->item, n, how->blocksize, len, want, read, err.msg);
    free(theirs), free(back), guard_free(&ours);
    return same && read;
}

static void test_same(const char *level)
{
    int wrong = 0;
    for (int i = 0; i < 400; i++) {
        const size_t items[] = {1, 1, 2, 3, 4, 8, 16, 17, 52, 255, 256, 1000};
        struct gt_blosc how = {.zstd = rnd() % 4 == 0,
                               .level = (int)(rnd() % 10),
                               .shuffle = (enum gt_blosc_shuffle)(rnd() % 3),
                               .item = items[rnd() % 12],
                               .blocksize = rnd() % 3 ? 0 : some_size()};
        size_t n = some_size();
        if (how.zstd && how.level > 6)
            n = n % 20000 + 1;
        uint8_t *data = malloc(n);
        fill(data, n);
        wrong += !is_same(&how, data, n);
        free(data);
    }
    ok(wrong == 0, "%s: the bytes are those of libblosc, and what it writes is read", level);
}

/* Bytes of a container changed, or cut off. */
static void test_damage(void)
{
    int crashed = 0, told = 0;
    for (int i = 0; i < 3000; i++) {
        struct gt_blosc how = {.zstd = rnd() % 2,
                               .level = 1 + (int)(rnd() % 5),
                               .shuffle = (enum gt_blosc_shuffle)(rnd() % 3),
                               .item = 1 + rnd() % 8,
                               .blocksize = rnd() % 2 ? 1000 : 0};
        const size_t n = 1 + rnd() % 20000, room = n + BLOSC_MAX_OVERHEAD;
        uint8_t *data = malloc(n), *coded = malloc(room);
        struct gt_err err = {0};
        struct gt_blosc_frame frame;
        size_t len;
        fill(data, n);
        crashed += gt_blosc_encode(&how, data, n, coded, room, &len, &err) != 0;
        for (uint32_t k = rnd() % 4; k > 0; k--)
            coded[rnd() % (rnd() % 2 ? len : len < 40 ? len : 40)] = (uint8_t)rnd();
        if (rnd() % 4 == 0)
            len -= rnd() % len;
        struct guard in = guard_new(len, 0);
        memcpy(in.data, coded, len);
        if (gt_blosc_open(&frame, in.data, len) && frame.n < 1u << 24) {
            struct guard out = guard_new(frame.n, (int)(rnd() % 2));
            told += gt_blosc_decode(&frame, 0, frame.n_blocks, out.data, &err) == GT_INPUT;
            guard_free(&out);
        } else {
            told++;
        }
        guard_free(&in), free(data), free(coded);
    }
    ok(crashed == 0 && told > 500, "damage is told, or nothing but what is read is touched");
}

static void test_room(void)
{
    uint8_t data[5000];
    size_t len;
    struct gt_err err = {0};
    const struct gt_blosc how = {.level = 1, .shuffle = GT_BLOSC_BITS, .item = 1};
    bool whole = true;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(rnd() % 4);
    for (size_t room = 0; room < sizeof data + 40; room += 1 + room / 50) {
        struct guard to = guard_new(room + 1, 0);
        to.data[room] = 77;
        whole = whole && gt_blosc_encode(&how, data, sizeof data, to.data, room, &len, &err) == 0 && len <= room && to.data[room] == 77;
        guard_free(&to);
    }
    ok(whole, "what does not fit its room is not written");
}

int main(void)
{
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    for (int i = 0; i < n; i++) {
        gt_kernels_select(all[i]->name);
        test_same(all[i]->name);
    }
    gt_kernels_select(NULL);
    test_damage();
    test_room();
    return done_testing();
}
