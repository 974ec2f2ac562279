/* Casts of every type to every type, at every level: against C's own conversions where they are
 * defined, and against exact arithmetic where they are not. */
#include <math.h>
#include <string.h>

#include "kernels/half.h"
#include "kernels/kernels.h"
#include "test/support/guard_page.h"
#include "test/support/tap.h"

static const struct {
    const char *name;
    int size, bits; /* of a whole number: without its sign */
    bool is_signed, is_real;
} types[GT_NUMBERS] = {{"bool", 1, 1, false, false},    {"int8", 1, 7, true, false},     {"int16", 2, 15, true, false},
                       {"int32", 4, 31, true, false},   {"int64", 8, 63, true, false},   {"uint8", 1, 8, false, false},
                       {"uint16", 2, 16, false, false}, {"uint32", 4, 32, false, false}, {"uint64", 8, 64, false, false},
                       {"float16", 2, 0, true, true},   {"float32", 4, 0, true, true},   {"float64", 8, 0, true, true}};

/* A number of any type: a whole one as sign and size, a real one. */
struct number {
    bool real, negative;
    uint64_t size;
    double x;
};

static struct number load(enum gt_number type, const uint8_t *p)
{
    struct number n = {.real = types[type].is_real};
    uint64_t bits = 0;
    float f;
    uint16_t h;
    memcpy(&bits, p, (size_t)types[type].size);
    if (type == GT_NUMBER_F64)
        memcpy(&n.x, p, 8);
    else if (type == GT_NUMBER_F32)
        memcpy(&f, p, 4), n.x = (double)f;
    else if (type == GT_NUMBER_F16)
        memcpy(&h, p, 2), n.x = (double)gt_half_number(h);
    if (n.real)
        return n;
    n.negative = types[type].is_signed && bits >> types[type].bits & 1;
    n.size = n.negative ? 0 - (bits | (types[type].bits < 63 ? UINT64_MAX << types[type].bits : 0)) : bits;
    return n;
}

/* Towards zero. */
static struct number whole_of(struct number n)
{
    const double t = fabs(trunc(n.x));
    int e = 0;
    if (!n.real)
        return n;
    struct number whole = {.negative = n.x < 0};
    if (isfinite(t) && t > 0) {
        const uint64_t m = (uint64_t)ldexp(frexp(t, &e), 53);
        whole.size = e >= 53 ? (e - 53 < 64 ? m << (e - 53) : 0) : m >> (53 - e);
    }
    return whole;
}

/* The bytes of n as `to`, and whether it fits. */
static bool want(struct number n, enum gt_number to, uint8_t *p)
{
    const struct number whole = whole_of(n);
    uint64_t bits = whole.negative ? 0 - whole.size : whole.size;
    const double x = n.real ? n.x : n.negative ? -(double)n.size : (double)n.size;
    float f = n.real ? (float)n.x : n.negative ? -(float)n.size : (float)n.size;
    uint16_t h = gt_half_bits(x);
    if (to == GT_NUMBER_F64)
        return memcpy(p, &x, 8);
    if (to == GT_NUMBER_F32)
        return memcpy(p, &f, 4) && (isinf(f) == isinf(x));
    if (to == GT_NUMBER_F16)
        return memcpy(p, &h, 2) && ((h & 0x7fff) == 0x7c00) == !!isinf(x);
    if (to == GT_NUMBER_BOOL)
        bits = x != 0;
    memcpy(p, &bits, (size_t)types[to].size);
    if (n.real && !(isfinite(n.x) && trunc(n.x) == n.x && fabs(n.x) < 0x1p65))
        return false;
    if (n.real && fabs(n.x) >= 0x1p64)
        return false;
    const uint64_t most = to == GT_NUMBER_BOOL ? 1 : UINT64_MAX >> (64 - types[to].bits);
    return whole.negative ? whole.size <= (types[to].is_signed ? most + 1 : 0) : whole.size <= most;
}

/* Numbers near the ends of types, small ones, and any. */
static void make(enum gt_number type, uint8_t *p, bool tame)
{
    const int bits = (int)(rnd() % 66);
    double x = ldexp(1, bits - 1 < 0 ? 0 : bits - 1) * (rnd() % 2 ? 1 : -1) + (double)(rnd() % 5) - 2 + (rnd() % 3 ? 0 : 0.5);
    uint64_t any = (uint64_t)rnd() << 32 | rnd(), near = (UINT64_C(1) << bits % 64) + rnd() % 3 - 1;
    float f;
    uint16_t h;
    if (tame)
        x = (double)(rnd() % 2), any = near = rnd() % 2;
    else if (rnd() % 8 == 0)
        x = rnd() % 2 ? NAN : rnd() % 2 ? INFINITY : -INFINITY;
    else if (rnd() % 8 == 0)
        memcpy(&x, &any, 8);
    f = (float)x;
    h = gt_half_bits(x);
    if (rnd() % 2)
        any = near;
    if (type == GT_NUMBER_BOOL)
        any &= 1;
    memcpy(p,
           type == GT_NUMBER_F64   ? (void *)&x
           : type == GT_NUMBER_F32 ? (void *)&f
           : type == GT_NUMBER_F16 ? (void *)&h
                                   : (void *)&any,
           (size_t)types[type].size);
}

/* All NaN are one. */
static bool same(enum gt_number type, const uint8_t *a, const uint8_t *b)
{
    const struct number x = load(type, a), y = load(type, b);
    return memcmp(a, b, (size_t)types[type].size) == 0 || (types[type].is_real && isnan(x.x) && isnan(y.x));
}

static bool agrees(const struct gt_kernels *k, enum gt_number from, enum gt_number to, int64_t n, bool tame)
{
    const size_t in = (size_t)types[from].size, out = (size_t)types[to].size;
    struct guard src = guard_new((size_t)n * in, (int)(rnd() % 2)), dst = guard_new((size_t)n * out, (int)(rnd() % 2));
    bool right = true, fits = true;
    uint8_t one[8];
    for (int64_t i = 0; i < n; i++)
        make(from, src.data + (size_t)i * in, tame);
    const bool said = k->cast(from, src.data, to, dst.data, n);
    for (int64_t i = 0; i < n; i++) {
        const struct number x = load(from, src.data + (size_t)i * in);
        fits = want(x, to, one) && fits;
        if (right && !same(to, one, dst.data + (size_t)i * out)) {
            right = false;
            diag("%s: %s %.17g to %s", k->name, types[from].name,
                 x.real       ? x.x
                 : x.negative ? -(double)x.size
                              : (double)x.size,
                 types[to].name);
        }
    }
    if (said != fits)
        diag("%s: %lld of %s to %s fit: %d, said to: %d", k->name, (long long)n, types[from].name, types[to].name, fits, said);
    guard_free(&src), guard_free(&dst);
    return right && said == fits;
}

/* Alone in their block: the last number that fits and the first that does not, at both ends. */
static bool ends_fit(const struct gt_kernels *k, enum gt_number from, enum gt_number to)
{
    const double end = ldexp(1, types[to].bits), least = types[to].is_signed ? -end : 0;
    const double some[] = {end, nextafter(end, 0), trunc(nextafter(end, 0)), end - 1, least, least - 1, nextafter(least, -INFINITY)};
    bool right = true;
    for (int i = 0; i < (int)(sizeof some / sizeof *some); i++)
        for (int64_t n = 1; n < 70; n += 23) {
            uint8_t src[8 * 70] = {0}, dst[8 * 70], one[8];
            const size_t in = (size_t)types[from].size;
            const float f = (float)some[i];
            if (from == GT_NUMBER_F32)
                memcpy(src + (size_t)(n - 1) * in, &f, in);
            else
                memcpy(src + (size_t)(n - 1) * in, &some[i], in);
            const bool fits = want(load(from, src + (size_t)(n - 1) * in), to, one), said = k->cast(from, src, to, dst, n);
            if (said != fits)
                diag("%s: %.17g as %s in %s fits: %d, said to: %d", k->name, some[i], types[from].name, types[to].name, fits, said);
            right = right && said == fits;
        }
    return right;
}

/* Every half is its number and comes back; between two of them the nearest is taken, the even one at half way. */
static bool halves_are_right(void)
{
    bool right = true;
    for (uint32_t h = 0; h < 0x7c00; h++) {
        const double x = (double)gt_half_number((uint16_t)h), next = h + 1 < 0x7c00 ? (double)gt_half_number((uint16_t)(h + 1)) : 65536;
        const int e = (int)(h >> 10);
        right = right && x == ldexp((double)(h & 1023) + (e ? 1024 : 0), (e ? e : 1) - 25) && gt_half_bits(x) == h &&
                gt_half_bits(-x) == (h | 0x8000) && gt_half_bits((x + next) / 2) == h + (h & 1) &&
                gt_half_bits(nextafter((x + next) / 2, 0)) == h && gt_half_bits(nextafter((x + next) / 2, INFINITY)) == h + 1;
    }
    return right && gt_half_number(0x7c00) == INFINITY && gt_half_number(0xfc00) == -INFINITY && isnan(gt_half_number(0x7e01)) &&
           gt_half_bits(1e300) == 0x7c00 && gt_half_bits(-INFINITY) == 0xfc00 && (gt_half_bits(NAN) & 0x7fff) > 0x7c00;
}

int main(void)
{
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    ok(halves_are_right(), "all numbers of half precision, and those between them");
    for (int i = 0; i < n; i++) {
        int wrong = 0;
        for (int from = 0; from < GT_NUMBERS; from++)
            for (int to = 0; to < GT_NUMBERS; to++)
                for (int turn = 0; turn < 40; turn++)
                    wrong += !agrees(all[i], (enum gt_number)from, (enum gt_number)to, turn < 20 ? turn % 5 : (int64_t)(1 + rnd() % 200),
                                     turn % 2);
        ok(wrong == 0, "%s: every type to every type", all[i]->name);
        wrong = 0;
        for (int to = 0; to < GT_NUMBER_F16; to++)
            wrong += !ends_fit(all[i], GT_NUMBER_F64, (enum gt_number)to) || !ends_fit(all[i], GT_NUMBER_F32, (enum gt_number)to);
        ok(wrong == 0, "%s: real numbers at the ends of whole types", all[i]->name);
    }
    return done_testing();
}
