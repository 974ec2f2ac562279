/* Pair kernels of every level against sums taken straight from the packed rows. */
#include "config.h"

#include <string.h>

#include "kernels/impl.h"
#include "test/support/amx_trap.h"
#include "test/support/guard_page.h"
#include "test/support/kernel_levels.h"
#include "test/support/tap.h"

enum filling { RANDOM, SPARSE_MISSING, ALL_MISSING, ALL_TWO, FILLINGS };
enum { CELLS = GT_PANEL * GT_PANEL };

static int code_at(const uint8_t *row, int64_t s)
{
    return row[s / 4] >> s % 4 * 2 & 3;
}

static int some_code(enum filling f)
{
    switch (f) {
    case RANDOM:
        return (int)(rnd() & 3);
    case SPARSE_MISSING:
        return rnd() % 50 ? (int)(rnd() % 3) : 3;
    case ALL_MISSING:
        return 3;
    default:
        return 2;
    }
}

/* Rows with whatever in their pad bits, between rows and behind the last one. */
static struct guard make_rows(int64_t n_sites, int64_t n_samples, size_t stride, enum filling f)
{
    struct guard g = guard_new((size_t)n_sites * stride + GT_KERNEL_PAD, 0);
    for (size_t i = 0; i < (size_t)n_sites * stride + GT_KERNEL_PAD; i++)
        g.data[i] = (uint8_t)rnd();
    for (int64_t v = 0; v < n_sites; v++) {
        for (int64_t s = 0; s < n_samples; s++) {
            uint8_t *p = g.data + (size_t)v * stride + s / 4;
            *p = (uint8_t)((*p & ~(3 << s % 4 * 2)) | some_code(f) << s % 4 * 2);
        }
    }
    return g;
}

/* What the forms say, in words of their own. */
static int value(enum gt_pair_product form, int x, int y)
{
    bool homs = x % 2 == 0 && y % 2 == 0;
    switch (form) {
    case GT_PAIR_AGREE:
        return homs && x == y;
    case GT_PAIR_DOT:
        return homs ? x == y ? 1 : -1 : 0;
    default:
        return x + y == 4 && x == 2;
    }
}

static struct guard encode(const struct gt_pair_kernel *pair, const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples)
{
    struct guard g = guard_new((size_t)((n_samples + GT_PANEL - 1) / GT_PANEL * pair->bytes(n_sites)), 0);
    pair->encode(rows, stride, n_sites, n_samples, g.data);
    return g;
}

/* The kernel that a form is asked of, alone or with others. */
static const struct gt_pair_kernel *kernel_of(const struct gt_kernels *k, int form, bool alone)
{
    return form == GT_PAIR_AGREE && alone ? &k->pair_agree : &k->pair;
}

/* Sums before the tile are `before`, which a pair that is not there keeps. */
static int64_t tile_errors(enum gt_pair_product form, const struct guard *rows, size_t stride, int64_t n_sites, int64_t n_samples,
                           int64_t a, int64_t b, const uint32_t *sums, uint32_t before)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < GT_PANEL; i++)
        for (int64_t j = 0; j < GT_PANEL; j++) {
            int64_t x = a * GT_PANEL + i, y = b * GT_PANEL + j;
            uint32_t want = before;
            for (int64_t v = 0; v < n_sites && x < n_samples && y < n_samples; v++) {
                const uint8_t *row = rows->data + (size_t)v * stride;
                want += (uint32_t)value(form, code_at(row, x), code_at(row, y));
            }
            wrong += sums[i * GT_PANEL + j] != want;
        }
    return wrong;
}

static int64_t check_shape(const struct gt_kernels *k, int64_t n_sites, int64_t n_samples, enum filling f)
{
    size_t stride = (size_t)(n_samples + 3) / 4 + rnd() % 5;
    int64_t wrong = 0, panels = (n_samples + GT_PANEL - 1) / GT_PANEL, a = rnd() % panels, b = rnd() % panels,
            n_b = 1 + rnd() % (panels - b);
    struct guard rows = make_rows(n_sites, n_samples, stride, f);
    struct guard sums = guard_new((size_t)n_b * CELLS * sizeof(uint32_t), 0);
    uint32_t *got = (uint32_t *)(void *)sums.data, before = rnd() % 1000;
    for (int t = 0; t < GT_PAIR_PRODUCTS + 1; t++) {
        const enum gt_pair_product form = t < GT_PAIR_PRODUCTS ? (enum gt_pair_product)t : GT_PAIR_AGREE;
        const struct gt_pair_kernel *pair = kernel_of(k, form, t == GT_PAIR_PRODUCTS);
        const size_t panel = (size_t)pair->bytes(n_sites);
        struct guard codes = encode(pair, rows.data, stride, n_sites, n_samples);
        for (int64_t i = 0; i < n_b * CELLS; i++)
            got[i] = before;
        pair->tile(form, n_sites, codes.data + (size_t)a * panel, codes.data + (size_t)b * panel, n_b, got);
        for (int64_t p = 0; p < n_b; p++)
            wrong += tile_errors(form, &rows, stride, n_sites, n_samples, a, b + p, got + p * CELLS, before);
        guard_free(&codes);
    }
    if (wrong)
        diag("%s: %lld sites, %lld samples, panels %lld and %lld to %lld: %lld sums are wrong", k->name, (long long)n_sites,
             (long long)n_samples, (long long)a, (long long)b, (long long)(b + n_b), (long long)wrong);
    guard_free(&sums);
    guard_free(&rows);
    return wrong;
}

/* One in `thin` of the numbers of samples. */
static void check_shapes(const struct gt_kernels *k, int thin)
{
    int64_t wrong = 0;
    for (int64_t n_samples = 1; n_samples <= 290; n_samples += thin * (n_samples < 20 ? 1 : 11))
        for (int64_t n_sites = 0; n_sites <= 70; n_sites += 1 + (int64_t)(rnd() % 9))
            wrong += check_shape(k, n_sites, n_samples, (enum filling)(rnd() % FILLINGS));
    static const int64_t edges[] = {61,  62,  63,  64,  65,  66,  126, 127, 128,  129,  191,  192,  193,  254,  255,
                                    256, 257, 447, 448, 449, 511, 512, 513, 1023, 1025, 2047, 2049, 4095, 4096, 4097};
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        for (int64_t n_samples = 63; n_samples <= 65; n_samples++)
            wrong += check_shape(k, edges[e], n_samples, RANDOM);
    ok(wrong == 0, "%s: sums of random and odd shapes in every form", k->name);
}

/* The same row again and again, every pair adding all it can; at most so many sites. */
static void check_overflow(const struct gt_kernels *k, int64_t most)
{
    static const int64_t counts[] = {126, 127, 128, 254, 255, 256, 510, 511, 512, 16380, 32767, 32768, 65535, 65536, 65537, 131073};
    enum { N = 37, MOST = 131073 };
    static const struct {
        enum gt_pair_product form;
        uint8_t row;
        int adds;
        bool alone;
    } cases[] = {{GT_PAIR_AGREE, 0xaa, 1, false}, {GT_PAIR_AGREE, 0, 1, false},  {GT_PAIR_AGREE, 0xaa, 1, true},
                 {GT_PAIR_AGREE, 0, 1, true},     {GT_PAIR_DOT, 0xaa, 1, false}, {GT_PAIR_DOT, 0x88, 0, false},
                 {GT_PAIR_ALT, 0xaa, 1, false},   {GT_PAIR_ALT, 0xff, 0, false}, {GT_PAIR_DOT, 0x55, 0, false}};
    int64_t wrong = 0;
    for (size_t t = 0; t < sizeof counts / sizeof *counts; t++) {
        if (counts[t] > most)
            break;
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            static uint8_t rows[(N + 3) / 4 + GT_KERNEL_PAD];
            static uint32_t sums[CELLS];
            memset(rows, cases[c].row, sizeof rows);
            const struct gt_pair_kernel *pair = kernel_of(k, cases[c].form, cases[c].alone);
            struct guard codes = encode(pair, rows, 0, counts[t], N);
            memset(sums, 0, sizeof sums);
            pair->tile(cases[c].form, counts[t], codes.data, codes.data, 1, sums);
            for (int i = 0; i < CELLS; i++) {
                int odd = (i / GT_PANEL + i % GT_PANEL) % 2; /* of 0x88, codes 0 and 2 in turn */
                int64_t want = cases[c].row == 0x88 ? odd ? -counts[t] : counts[t] : counts[t] * cases[c].adds;
                wrong += sums[i] != (uint32_t)want;
            }
            guard_free(&codes);
        }
    }
    ok(wrong == 0, "%s: no sum overflows when every site adds", k->name);
}

/* --- bit rows -------------------------------------------------------------------- */

enum { VECTOR = GT_BIT_ROW / 8 };

static int bit_at(const uint8_t *row, int64_t k)
{
    return row[k / 8] >> k % 8 & 1;
}

static void check_split(const struct gt_kernels *k)
{
    int64_t wrong = 0;
    for (int n_samples = 1; n_samples <= 3 * GT_BIT_ROW; n_samples += n_samples < 20 || (n_samples > 500 && n_samples < 530) ? 1 : 19) {
        int64_t n_rows = rnd() % 5, missing = 0, width = (n_samples + GT_BIT_ROW - 1) / GT_BIT_ROW * VECTOR;
        size_t stride = (size_t)(n_samples + 3) / 4 + rnd() % 3, bits = (size_t)width + rnd() % 2 * VECTOR;
        size_t size = n_rows ? (size_t)(n_rows - 1) * bits + (size_t)width : 0;
        struct guard rows = make_rows(n_rows, n_samples, stride, (enum filling)(rnd() % FILLINGS)), plane[3];
        bool alt = n_samples % 7;
        for (int p = 0; p < 3; p++)
            plane[p] = guard_new(size, 0);
        int64_t got = k->bits_split(rows.data, stride, n_rows, n_samples, bits, plane[0].data, alt ? plane[1].data : NULL, plane[2].data);
        for (int64_t r = 0; r < n_rows; r++)
            for (int64_t s = 0; s < width * 8; s++) {
                int code = s < n_samples ? code_at(rows.data + (size_t)r * stride, s) : 1;
                missing += code == 3;
                wrong += bit_at(plane[0].data + (size_t)r * bits, s) != (code % 2 == 0);
                wrong += bit_at(plane[1].data + (size_t)r * bits, s) != (alt && code == 2);
                wrong += bit_at(plane[2].data + (size_t)r * bits, s) != (code == 3);
            }
        wrong += got != missing;
        for (int p = 0; p < 3; p++)
            guard_free(&plane[p]);
        guard_free(&rows);
    }
    ok(wrong == 0, "%s: packed rows as three bit rows", k->name);
}

/* Of two samples' codes. */
static void add_pair(int x, int y, bool gaps, int64_t want[GT_BITS_PAIR])
{
    const bool x_hom = x % 2 == 0, y_hom = y % 2 == 0;
    want[GT_BITS_HOM] += x_hom && y_hom;
    want[GT_BITS_UNLIKE] += x_hom && y_hom && x != y;
    want[GT_BITS_GAPS] += gaps && (x == 3 || y == 3);
    want[GT_BITS_X_HOM] += gaps && x_hom && y == 3;
    want[GT_BITS_X_ALT] += gaps && x == 2 && y == 3;
    want[GT_BITS_Y_HOM] += gaps && y_hom && x == 3;
    want[GT_BITS_Y_ALT] += gaps && y == 2 && x == 3;
}

static void check_bits_pair(const struct gt_kernels *k)
{
    int64_t wrong = 0;
    for (int n_samples = 1; n_samples <= 3 * GT_BIT_ROW; n_samples += n_samples < 20 || (n_samples > 500 && n_samples < 530) ? 1 : 19) {
        const size_t stride = (size_t)(n_samples + 3) / 4, bits = (size_t)(n_samples + GT_BIT_ROW - 1) / GT_BIT_ROW * VECTOR;
        struct guard rows = make_rows(2, n_samples, stride, (enum filling)(rnd() % FILLINGS)), row[2];
        const bool gaps = n_samples % 3;
        int64_t counts[GT_BITS_PAIR], want[GT_BITS_PAIR] = {0};
        for (int r = 0; r < 2; r++) {
            row[r] = guard_new(3 * bits, 0);
            k->bits_split(rows.data + (size_t)r * stride, stride, 1, n_samples, bits, row[r].data, row[r].data + bits,
                          row[r].data + 2 * bits);
        }
        for (int64_t s = 0; s < n_samples; s++)
            add_pair(code_at(rows.data, s), code_at(rows.data + stride, s), gaps, want);
        k->bits_pair(row[0].data, row[1].data, bits, gaps, counts);
        wrong += memcmp(counts, want, sizeof want) != 0;
        guard_free(&row[0]);
        guard_free(&row[1]);
        guard_free(&rows);
    }
    ok(wrong == 0, "%s: pairs of bit rows", k->name);
}

static struct guard random_bits(int64_t n_rows, size_t stride)
{
    struct guard g = guard_new((size_t)n_rows * stride, 0);
    for (size_t i = 0; i < (size_t)n_rows * stride; i++)
        g.data[i] = (uint8_t)rnd();
    return g;
}

static void check_turn(const struct gt_kernels *k)
{
    static const int64_t rows[] = {0, 1, 5, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 127, 128, 129, 200};
    int64_t wrong = 0;
    for (size_t t = 0; t < sizeof rows / sizeof *rows; t++) {
        int64_t n = rows[t], words = (n + 63) / 64, step = GT_BIT_ROW + (int64_t)t % 3;
        size_t size = words ? (size_t)((words - 1) * step + GT_BIT_ROW) * 8 : 0, stride = VECTOR * (1 + t % 2);
        struct guard bits = random_bits(n, stride), out = guard_new(size, 0);
        memset(out.data, 0xa5, size);
        k->bits_turn(bits.data, stride, n, (uint64_t *)(void *)out.data, (size_t)step);
        for (int64_t r = 0; r < words * 64; r++)
            for (int64_t c = 0; c < (r / 64 < words - 1 ? step : GT_BIT_ROW); c++) {
                int want = c >= GT_BIT_ROW ? 0xa5 >> r % 8 & 1 : r < n ? bit_at(bits.data + (size_t)r * stride, c) : 0;
                wrong += bit_at(out.data + (r / 64 * step + c) * 8, r % 64) != want;
            }
        guard_free(&out);
        guard_free(&bits);
    }
    ok(wrong == 0, "%s: bit rows as columns, nothing else written", k->name);
}

enum { VECTORS = 3, COUNTS = VECTORS * GT_BIT_ROW };

/* Where bit b of count i stands. */
static int64_t place(int i, int b)
{
    return (i / GT_BIT_ROW * GT_COUNT_BITS + b) * GT_BIT_ROW + i % GT_BIT_ROW;
}

/* Counts with any bits up to the highest given, and what they are. */
static struct guard random_counts(int vectors, int highest, uint32_t numbers[COUNTS])
{
    struct guard g = guard_new((size_t)vectors * GT_BIT_ROW * 4, 0);
    memset(g.data, 0, (size_t)vectors * GT_BIT_ROW * 4);
    for (int i = 0; i < vectors * GT_BIT_ROW; i++) {
        numbers[i] = 0;
        for (int b = 0; b <= highest; b++) {
            unsigned on = rnd() & 1;
            numbers[i] |= on << b;
            g.data[place(i, b) / 8] |= (uint8_t)(on << i % 8);
        }
    }
    return g;
}

static struct gt_bit_counts in_order(uint8_t *counts)
{
    return (struct gt_bit_counts){.at = counts, .vector = GT_BIT_ROW * 4, .apart = GT_BIT_ROW};
}

static int64_t unlike(const struct gt_kernels *k, struct guard *counts, int vectors, const uint32_t want[COUNTS])
{
    k->bits_numbers(counts->data, vectors);
    int64_t wrong = memcmp(counts->data, want, (size_t)vectors * GT_BIT_ROW * 4) != 0;
    guard_free(counts);
    return wrong;
}

/* Many and few rows, onto counts of any size and off them. */
static void check_sum(const struct gt_kernels *k)
{
    static const int64_t lengths[] = {0, 1, 2, 7, 8, 9, 15, 16, 31, 64, 127, 128, 254, 255, 256, 300, 511, 1000};
    enum { ROWS = 150, STRIDE = VECTORS * VECTOR };
    struct guard bits = random_bits(ROWS, STRIDE);
    int64_t wrong = 0;
    memset(bits.data, 0xff, 70 * STRIDE); /* sums as large as can be */
    for (size_t t = 0; t < 2 * sizeof lengths / sizeof *lengths; t++)
        for (int first = 0; first <= VECTORS; first++) {
            static uint32_t want[COUNTS];
            int vectors = (int)(rnd() % (unsigned)(VECTORS + 1 - first));
            int64_t n = lengths[t / 2];
            bool off = t % 2;
            struct guard list = guard_new((size_t)n * 4, 0), counts = random_counts(vectors, rnd() % 2 ? 31 : (int)(rnd() % 12), want);
            uint32_t *l = (uint32_t *)(void *)list.data;
            for (int64_t i = 0; i < n; i++) {
                l[i] = rnd() % (rnd() % 2 ? 70 : ROWS) * STRIDE;
                for (int c = 0; c < vectors * GT_BIT_ROW; c++) {
                    uint32_t one = (uint32_t)bit_at(bits.data + l[i], first * GT_BIT_ROW + c);
                    want[c] += off ? -one : one;
                }
            }
            k->bits_sum(bits.data, l, n, first, first + vectors, off, in_order(counts.data));
            wrong += unlike(k, &counts, vectors, want);
            guard_free(&list);
        }
    guard_free(&bits);
    ok(wrong == 0, "%s: sums of bit rows, as numbers", k->name);
}

/* Onto sums modulo 2^32; numbers of other panels stay as they are. */
static void check_tally(const struct gt_kernels *k)
{
    static const int64_t lengths[] = {0, 1, 3, 8, 9, 63, 127, 255, 256, 700};
    enum { ROWS = 150, PANELS = GT_BIT_ROW / GT_PANEL };
    struct guard bits = random_bits(ROWS, VECTOR);
    int64_t wrong = 0;
    memset(bits.data, 0xff, 70 * VECTOR);
    for (size_t t = 0; t < 4 * sizeof lengths / sizeof *lengths; t++) {
        const int64_t n = lengths[t / 4], from = rnd() % PANELS, to = from + rnd() % (unsigned)(PANELS + 1 - from);
        struct guard list = guard_new((size_t)n * 2, 0), sums = guard_new(PANELS * CELLS * 4, 0);
        static uint32_t want[PANELS * CELLS];
        uint16_t *l = (uint16_t *)(void *)list.data;
        for (int c = 0; c < PANELS * CELLS; c++)
            ((uint32_t *)(void *)sums.data)[c] = want[c] = (uint32_t) - (rnd() % 500);
        for (int64_t i = 0; i < n; i++) {
            l[i] = (uint16_t)(rnd() % (rnd() % 2 ? 70 : ROWS));
            for (int64_t c = from * GT_PANEL; c < to * GT_PANEL; c++)
                want[(c / GT_PANEL - from) * CELLS + c % GT_PANEL] += (uint32_t)bit_at(bits.data + l[i] * VECTOR, c);
        }
        k->bits_tally(bits.data, l, n, from, to, (uint32_t *)(void *)sums.data);
        wrong += memcmp(sums.data, want, sizeof want) != 0;
        guard_free(&list);
        guard_free(&sums);
    }
    guard_free(&bits);
    ok(wrong == 0, "%s: sums of bit rows, by panels", k->name);
}

static void check_add(const struct gt_kernels *k)
{
    int64_t wrong = 0;
    for (int vectors = 0; vectors <= VECTORS; vectors++)
        for (int highest = 0; highest < GT_COUNT_BITS; highest++) {
            static uint32_t want[COUNTS], more[COUNTS];
            struct guard a = random_counts(vectors, 31 - highest / 2, want), b = random_counts(vectors, highest, more);
            for (int i = 0; i < vectors * GT_BIT_ROW; i++)
                want[i] += more[i];
            k->bits_add(b.data, vectors, in_order(a.data));
            wrong += unlike(k, &a, vectors, want) + unlike(k, &b, vectors, more);
        }
    ok(wrong == 0, "%s: counts added to counts", k->name);
}

/* One number in all columns, its bytes far from each other. */
static void set_all(const struct gt_bit_counts *counts, int vectors, uint32_t number)
{
    for (int v = 0; v < vectors; v++)
        for (int l = 0; l < GT_COUNT_BITS; l++)
            memset(counts->at + (size_t)v * counts->vector + (size_t)(l / 8) * counts->apart + l % 8 * VECTOR, number >> l & 1 ? 0xff : 0,
                   VECTOR);
}

static int64_t other_than(const struct gt_bit_counts *counts, int vectors, uint32_t number)
{
    int64_t wrong = 0;
    for (int v = 0; v < vectors; v++)
        for (int l = 0; l < GT_COUNT_BITS; l++)
            for (int c = 0; c < VECTOR; c++)
                wrong += counts->at[(size_t)v * counts->vector + (size_t)(l / 8) * counts->apart + l % 8 * VECTOR + c] !=
                         (number >> l & 1 ? 0xff : 0);
    return wrong;
}

/* Around the largest numbers of one byte, two and more; also where a carry stops at once. */
static void check_borders(const struct gt_kernels *k)
{
    static const uint32_t from[] = {0,     1,     127,   250,   254,   255,   256,      257,       511,
                                    65279, 65280, 65534, 65535, 65536, 65537, 0xffffff, 0xffffffff};
    static const int rows[] = {0, 1, 2, 3, 8, 254, 255, 256, 257};
    static uint32_t offsets[257];
    struct guard bits = random_bits(1, VECTORS * VECTOR), more = guard_new(VECTORS * GT_BIT_ROW * 4, 0);
    const size_t vector = GT_BIT_ROW + 64, apart = VECTORS * vector + 128;
    struct guard all = guard_new(GT_COUNT_BYTES * apart, 0);
    const struct gt_bit_counts counts = {.at = all.data, .vector = vector, .apart = apart};
    int64_t wrong = 0;
    memset(bits.data, 0xff, VECTORS * VECTOR);
    for (size_t f = 0; f < sizeof from / sizeof *from; f++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            const uint32_t n = (uint32_t)rows[r];
            const struct gt_bit_counts added = in_order(more.data);
            set_all(&counts, VECTORS, from[f]);
            k->bits_sum(bits.data, offsets, n, 0, VECTORS, false, counts);
            wrong += other_than(&counts, VECTORS, from[f] + n);
            k->bits_sum(bits.data, offsets, n, 1, 2, true, counts); /* the first vector only */
            wrong += other_than(&counts, 1, from[f]);
            set_all(&counts, VECTORS, from[f]);
            set_all(&added, VECTORS, n);
            k->bits_add(more.data, VECTORS, counts);
            wrong += other_than(&counts, VECTORS, from[f] + n);
        }
    guard_free(&all);
    guard_free(&more);
    guard_free(&bits);
    ok(wrong == 0, "%s: counts whose bytes are apart, at the largest of each", k->name);
}

/* Where nothing is carried, higher bytes are not even there. */
static void check_untouched(const struct gt_kernels *k)
{
    static uint32_t offsets[255];
    struct guard bits = random_bits(1, VECTOR), more = guard_new(GT_BIT_ROW * 4, 0), low = guard_new(GT_BIT_ROW, 0);
    const struct gt_bit_counts counts = {.at = low.data, .vector = GT_BIT_ROW, .apart = GT_BIT_ROW};
    memset(bits.data, 0xff, VECTOR);
    memset(low.data, 0, GT_BIT_ROW);
    memset(more.data, 0, GT_BIT_ROW * 4);
    k->bits_sum(bits.data, offsets, 255, 0, 1, false, counts);
    int64_t wrong = 0;
    for (int c = 0; c < GT_BIT_ROW; c++)
        wrong += low.data[c] != 0xff;
    k->bits_sum(bits.data, offsets, 127, 0, 1, true, counts);
    memset(more.data + 6 * VECTOR, 0xff, VECTOR); /* 64 */
    k->bits_add(more.data, 1, counts);
    for (int l = 0; l < 8; l++)
        for (int c = 0; c < VECTOR; c++)
            wrong += low.data[l * VECTOR + c] != ((128 + 64) >> l & 1 ? 0xff : 0);
    guard_free(&low);
    guard_free(&more);
    guard_free(&bits);
    ok(wrong == 0, "%s: counts below 256 touch a byte each", k->name);
}

/* The level avx512amx where the cpu lacks it, but has the levels below: its tile instructions are carried out one by one. */
static void check_emulated(const struct gt_kernels *below)
{
#if defined(GT_X86) && defined(__linux__)
    struct gt_kernels k = *below;
    k.name = "avx512amx, emulated";
    k.pair.bytes = gt_pair_bytes_avx512amx;
    k.pair.encode = gt_pair_encode_avx512amx;
    k.pair.tile = gt_pair_tile_avx512amx;
    ok(amx_trap_install(), "tile instructions are carried out by the test");
    check_shapes(&k, 3);
    check_overflow(&k, 600);
    ok(amx_trap_count() > 0, "and some were");
#else
    (void)below;
    skip("avx512amx");
#endif
}

static void check_all(const struct gt_kernels *k)
{
    check_shapes(k, 1);
    check_overflow(k, strcmp(k->name, "ref") ? 131073 : 600);
    check_split(k);
    check_bits_pair(k);
    check_turn(k);
    check_sum(k);
    check_tally(k);
    check_add(k);
    check_borders(k);
    check_untouched(k);
}

int main(void)
{
    check_levels(check_all, check_emulated);
    return done_testing();
}
