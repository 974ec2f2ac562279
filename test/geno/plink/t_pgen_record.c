/* Records of a .pgen, byte by byte as plink2 writes them: sample indices at the borders of their width, what follows
 * the hard calls, pad bits. */
#include "geno/plink/pgen_record.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/random.h"
#include "test/support/tap.h"

enum { LIST = 4 }; /* a list of those that are not 0 */

struct record {
    uint8_t bytes[512];
    size_t n;
};

static void put(struct record *r, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++)
        r->bytes[r->n++] = (uint8_t)(value >> 8 * i);
}

/* One call of code 1, of the last sample. */
static struct record one_call(int64_t n_samples, size_t width)
{
    struct record r = {.n = 0};
    put(&r, 1, 1);
    put(&r, (uint64_t)n_samples - 1, width);
    put(&r, 1, 1);
    return r;
}

static const char *decode(uint8_t type, const struct record *r, int64_t n_samples, uint32_t n_alleles, uint8_t *row)
{
    return gt_pgen_decode(type, r->bytes, r->n, n_samples, n_alleles, NULL, row);
}

static void test_width(int64_t n_samples, size_t width)
{
    uint8_t *row = malloc((size_t)n_samples / 4 + 64);
    struct record good = one_call(n_samples, width), narrow = one_call(n_samples, width - 1), wide = one_call(n_samples, width + 1);
    const int64_t last = n_samples - 1;
    const char *fault = row ? decode(LIST, &good, n_samples, 2, row) : "no memory";
    ok(!fault && (row[last / 4] >> 2 * (last & 3) & 3) == 1, "%lld samples: the last one's index in %zu bytes%s%s", (long long)n_samples,
       width, fault ? ": " : "", fault ? fault : "");
    ok(row && (width == 1 || decode(LIST, &narrow, n_samples, 2, row)) && decode(LIST, &wide, n_samples, 2, row),
       "%lld samples: no other width is taken", (long long)n_samples);
    put(&good, 2, 1); /* all phased, 1|0 */
    ok(row && !decode(LIST | GT_PGEN_PHASE, &good, n_samples, 2, row), "%lld samples: the same with a phase", (long long)n_samples);
    put(&wide, 2, 1);
    put(&narrow, 2, 1);
    ok(row && (width == 1 || decode(LIST | GT_PGEN_PHASE, &narrow, n_samples, 2, row)) &&
           decode(LIST | GT_PGEN_PHASE, &wide, n_samples, 2, row),
       "%lld samples: no other width is taken beside a phase", (long long)n_samples);
    free(row);
}

/* What follows the hard calls of 9 samples, one of code 1 and one of code 2. */
static const char *with_track(uint8_t type, uint32_t n_alleles, const char *track, size_t n)
{
    uint8_t row[64];
    struct record r = {.bytes = {2, 3, 1 | 2 << 2, 1}, .n = 4};
    memcpy(r.bytes + r.n, track, n);
    r.n += n;
    return decode(LIST | type, &r, 9, n_alleles, row);
}
#define GOOD(type, alleles, track) ok(!with_track(type, alleles, track, sizeof track - 1), "type %02x, %d alleles: " #track, type, alleles)
#define BAD(type, alleles, track)                                                                                                          \
    ok(with_track(type, alleles, track, sizeof track - 1), "type %02x, %d alleles: not " #track, type, alleles)

static void test_tracks(void)
{
    GOOD(0, 2, "");
    BAD(0, 2, "\0");
    GOOD(16, 2, "\2"), GOOD(16, 2, "\0"), GOOD(16, 2, "\3\1"), GOOD(16, 2, "\1");
    BAD(16, 2, ""), BAD(16, 2, "\4"), BAD(16, 2, "\3"), BAD(16, 2, "\3\2"), BAD(16, 2, "\2\0"), BAD(16, 2, "\1\0");
    GOOD(32, 2, "\1\4ab"), GOOD(32, 2, "\2\4\1abcd"), GOOD(32, 2, "\0");
    BAD(32, 2, "\1\011ab"), BAD(32, 2, "\1\4a"), BAD(32, 2, "\1\4abc"), BAD(32, 2, "\2\4\5abcd"), BAD(32, 2, "\2\4\0abcd"), BAD(32, 2, "");
    GOOD(64, 2, "aabbccddeeffgghhii"), BAD(64, 2, "aabbccddeeffgghhi"), BAD(64, 2, "aabbccddeeffgghhiij");
    GOOD(96, 2, "\3\1aabbcc"), BAD(96, 2, "\3\2aabbcc"), BAD(96, 2, "\3\1aabb"), BAD(96, 2, "\3");
    GOOD(96 + 128, 2, "\3\0aabb\1dd"), BAD(96 + 128, 2, "\3\0aabb\1"), BAD(96 + 128, 2, "\3\0aabb\4dd"), BAD(96 + 128, 2, "\3\0aabb\1ddd");
    GOOD(16 + 32, 2, "\2\1\4ab"), BAD(16 + 32, 2, "\1\4ab");
    GOOD(8, 3, "\xff"), GOOD(8, 3, "\xf0\1"), GOOD(8, 3, "\x0f\1\1"), GOOD(8, 3, "\1\1\3\0"), GOOD(8, 4, "\xf0\1\1"),
        GOOD(8, 4, "\x0f\1\6");
    BAD(8, 3, ""), BAD(8, 3, "\xf2"), BAD(8, 3, "\xf0\2"), BAD(8, 3, "\x0f\1"), BAD(8, 4, "\xf0\1"), BAD(8, 3, "\xf0\1\1");
    /* 1/2 is heterozygous, too, and 2/2 is not */
    GOOD(8 + 16, 3, "\x0f\1\0\6"), BAD(8 + 16, 3, "\x0f\1\1\6"), GOOD(8 + 16, 4, "\x0f\1\4\6"), BAD(8 + 16, 4, "\x0f\1\5\6");
    GOOD(8 + 16, 40, "\x0f\1\1\2\6"), BAD(8 + 16, 40, "\x0f\1\2\2\6");
}

/* 9 samples, of which the first five have `code`, and track 1: all of them have another ALT than the first, `n` bytes. */
static bool takes_alts(unsigned code, uint32_t n_alleles, size_t n)
{
    uint8_t row[64];
    const uint8_t codes = (uint8_t)(code * 0x55);
    struct record r = {.bytes = {5, 0, codes, (uint8_t)code, 1, 1, 1, 1}, .n = 8};
    put(&r, code == 1 ? 0xf0 : 0x0f, 1);
    put(&r, 0x1f, 1);
    memset(r.bytes + r.n, 0, n);
    r.n += n;
    return !decode(LIST | GT_PGEN_ALTS, &r, 9, n_alleles, row);
}

/* How wide the index of an ALT is (pgen_spec): of five heterozygous calls, and of five pairs of ALTs. */
static void test_alt_widths(void)
{
    static const struct {
        uint32_t n_alleles;
        size_t one, pair;
    } widths[] = {{4, 1, 3},   {5, 2, 3},   {6, 2, 5},    {7, 3, 5},    {17, 3, 5},
                  {18, 3, 10}, {19, 5, 10}, {257, 5, 10}, {258, 5, 20}, {259, 10, 20}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const uint32_t n = widths[i].n_alleles;
        bool ones = true, pairs = true;
        for (size_t bytes = 1; bytes <= 24; bytes++) {
            ones &= takes_alts(1, n, bytes) == (bytes == widths[i].one);
            pairs &= takes_alts(2, n, bytes) == (bytes == widths[i].pair);
        }
        ok(ones, "%u alleles: five ALTs are %zu bytes", n, widths[i].one);
        ok(pairs, "%u alleles: five pairs of ALTs are %zu bytes", n, widths[i].pair);
    }
}

/* 65 samples in a list: the first 64 are a group, whose steps take 63 bytes. */
static void test_groups(void)
{
    uint8_t row[128];
    struct record r = {.bytes = {65, 0, 70, 0}, .n = 4};
    memset(r.bytes + r.n, 0x55, 17);
    r.bytes[r.n + 16] = 1;
    r.n += 17;
    memset(r.bytes + r.n, 1, 63);
    r.n += 63;
    ok(!decode(LIST, &r, 100, 2, row) && row[15] == 0x55 && row[16] == 0 && row[17] == 0x10, "two groups");
    r.bytes[3] = 1;
    ok(decode(LIST, &r, 100, 2, row) != NULL, "a group's size that is wrong");
    r.bytes[3] = 0;
    r.bytes[2] = 63;
    ok(decode(LIST, &r, 100, 2, row) != NULL, "a group that begins with the last sample of the one before");
}

static void test_pad_bits(void)
{
    for (int64_t n = 1; n <= 9; n++) {
        uint8_t row[64];
        const size_t bytes = ((size_t)n + 3) / 4;
        const uint8_t pad = (uint8_t) ~(0xff >> (-2 * n & 7));
        struct record full = {.bytes = {0xff, 0xff, 0xff}, .n = bytes}, none = {.bytes = {0}, .n = 1};
        struct record two = {.bytes = {2 * 4 + 1, 0xff, 0xff, 0}, .n = 1 + ((size_t)n + 7) / 8 + 1};
        bool clear = !decode(0, &full, n, 2, row) && !(row[bytes - 1] & pad) && (row[0] & 3) == 3;
        two.bytes[two.n - 1] = 0;
        clear &= !decode(1, &two, n, 2, row) && !(row[bytes - 1] & pad) && (row[0] & 3) == 3;
        clear &= !decode(6, &none, n, 2, row) && !(row[bytes - 1] & pad) && (row[0] & 3) == 2;
        clear &= !decode(7, &none, n, 2, row) && !(row[bytes - 1] & pad) && (row[0] & 3) == 3;
        ok(clear, "%lld samples: pad bits are 0", (long long)n);
    }
}

/* --- all types of hard calls, made here by the specification ---------------------------------------------------------------- */

static int code_at(const uint8_t *row, int64_t s)
{
    return row[s / 4] >> s % 4 * 2 & 3;
}

static int turned(int code)
{
    return code == 0 ? 2 : code == 2 ? 0 : code;
}

/* The list of at most 60 samples, of at most 60, whose code is another than in `from`. */
static void put_list(struct record *r, const int *code, const int *from, int n)
{
    int listed[60], k = 0;
    for (int s = 0; s < n; s++)
        if (code[s] != from[s])
            listed[k++] = s;
    put(r, (uint64_t)k, 1);
    if (k)
        put(r, (uint64_t)listed[0], 1);
    for (int i = 0; i < k; i += 4) {
        uint64_t byte = 0;
        for (int j = i; j < k && j < i + 4; j++)
            byte |= (uint64_t)code[listed[j]] << 2 * (j - i);
        put(r, byte, 1);
    }
    for (int i = 1; i < k; i++)
        put(r, (uint64_t)(listed[i] - listed[i - 1]), 1);
}

static struct record make(int type, const int *code, const int *base, int n, int low, int high)
{
    struct record r = {.n = 0};
    int from[60], to[60];
    for (int s = 0; s < n; s++) {
        to[s] = type == 3 ? turned(code[s]) : code[s];
        from[s] = type == 1 ? (code[s] == high ? high : low) : type < 4 ? base[s] : type & 3;
    }
    if (type == 1)
        put(&r, (uint64_t)(4 * low + high - low), 1);
    for (int i = 0; i < n && type < 2; i += type ? 8 : 4) {
        uint64_t byte = 0;
        for (int s = i; s < n && s < i + (type ? 8 : 4); s++)
            byte |= type ? (uint64_t)(from[s] == high) << (s - i) : (uint64_t)code[s] << 2 * (s - i);
        put(&r, byte, 1);
    }
    if (type)
        put_list(&r, to, from, n);
    return r;
}

static void test_hard_calls(void)
{
    static const int types[] = {0, 1, 2, 3, 4, 6, 7};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        int wrong = 0, cut = 0;
        for (int round = 0; round < 600; round++) {
            const int n = 1 + (int)random_below(60), usual = (int)random_below(4), low = (int)random_below(3),
                      high = low + 1 + (int)random_below(3 - low);
            int code[60], base[60];
            uint8_t row[64], base_row[64] = {0};
            for (int s = 0; s < n; s++) {
                base[s] = (int)random_below(4);
                code[s] = random_below(6) ? usual : (int)random_below(4);
                base_row[s / 4] |= (uint8_t)(base[s] << s % 4 * 2);
            }
            const struct record r = make(types[t], code, base, n, low, high);
            memset(row, 0xff, sizeof row);
            wrong += gt_pgen_decode((uint8_t)types[t], r.bytes, r.n, n, 2, base_row, row) != NULL;
            for (int s = 0; s < (n + 3) / 4 * 4; s++)
                wrong += code_at(row, s) != (s < n ? code[s] : 0);
            cut += !gt_pgen_decode((uint8_t)types[t], r.bytes, r.n - 1, n, 2, base_row, row);
        }
        ok(wrong == 0 && cut == 0, "hard calls of type %d: %d are wrong, %d taken that are cut", types[t], wrong, cut);
    }
    uint8_t row[64];
    const uint8_t none[] = {0, 0, 0, 0};
    ok(gt_pgen_decode(2, none, 1, 9, 2, NULL, row) && gt_pgen_decode(3, none, 1, 9, 2, NULL, row), "differences from nothing are refused");
    ok(gt_pgen_decode(5, none, 1, 9, 2, NULL, row) != NULL, "a type 5 is refused");
    ok(gt_pgen_decode(1, (const uint8_t[]){0, 0, 0, 0}, 4, 9, 2, NULL, row) &&
           gt_pgen_decode(1, (const uint8_t[]){11, 0, 0, 0}, 4, 9, 2, NULL, row) &&
           gt_pgen_decode(1, (const uint8_t[]){12, 0, 0, 0}, 4, 9, 2, NULL, row) &&
           !gt_pgen_decode(1, (const uint8_t[]){9, 0, 0, 0}, 4, 9, 2, NULL, row),
       "two codes: of four, and not the same");
}

int main(void)
{
    static const struct {
        int64_t n_samples;
        size_t width;
    } borders[] = {{1, 1},     {2, 1},     {3, 1},     {4, 1},        {255, 1},      {256, 2},     {257, 2},
                   {65535, 2}, {65536, 3}, {65537, 3}, {16777215, 3}, {16777216, 4}, {16777217, 4}};
    for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++)
        test_width(borders[i].n_samples, borders[i].width);
    test_tracks();
    test_alt_widths();
    test_groups();
    test_pad_bits();
    test_hard_calls();
    return done_testing();
}
