/* Row kernels of every level against plain loops, on odd shapes between guard pages. */
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/guard_page.h"
#include "test/support/kernel_levels.h"
#include "test/support/tap.h"

static int code_at(const uint8_t *row, int64_t s)
{
    return row[s / 4] >> s % 4 * 2 & 3;
}

/* A row of n samples with random pad bits and GT_KERNEL_PAD random bytes behind. */
static struct guard make_row(int64_t n, int style)
{
    size_t bytes = (size_t)(n + 3) / 4;
    struct guard g = guard_new(bytes + GT_KERNEL_PAD, 0);
    for (size_t i = 0; i < bytes + GT_KERNEL_PAD; i++)
        g.data[i] = (uint8_t)(style == 0 ? rnd() : style == 1 ? 0xff : style == 2 ? 0xaa : rnd() % 40 ? 0 : rnd());
    for (size_t i = bytes; i < bytes + GT_KERNEL_PAD; i++)
        g.data[i] = (uint8_t)rnd();
    return g;
}

static int check_counts(const struct gt_kernels *k, const uint8_t *row, int64_t n)
{
    int64_t got[4] = {-1, -1, -1, -1}, want[4] = {0};
    k->count_codes(row, n, got);
    for (int64_t s = 0; s < n; s++)
        want[code_at(row, s)]++;
    return memcmp(got, want, sizeof want) != 0;
}

/* With a limit: the same list where it is within the limit, and more than the limit where it is not.  out: the whole list. */
static int check_most(const struct gt_kernels *k, const uint8_t *row, int64_t n, int major, int64_t most, const struct guard *out,
                      int64_t all)
{
    struct guard some = guard_new((size_t)n * 4, 1);
    const int64_t found = k->list_carriers(row, n, major, most, (uint32_t *)(void *)some.data);
    const int wrong = all > most ? found <= most || found > all : found != all || memcmp(some.data, out->data, (size_t)all * 4) != 0;
    guard_free(&some);
    return wrong;
}

static int check_carriers(const struct gt_kernels *k, const uint8_t *row, int64_t n)
{
    static const int kinds[4] = {GT_CARRIER_HOM, GT_CARRIER_HET, GT_CARRIER_HOM, GT_CARRIER_MISSING};
    struct guard out = guard_new((size_t)n * 4, 0);
    const uint32_t *got = (const uint32_t *)(void *)out.data;
    int wrong = 0;
    for (int major = 0; major < 3; major += 2) {
        int64_t found = k->list_carriers(row, n, major, n, (uint32_t *)(void *)out.data), at = 0;
        for (int64_t s = 0; s < n; s++)
            if (code_at(row, s) != major) {
                wrong |= at >= found || got[at] >> 2 != s / 32 * 1024 + s % 32 || (int)(got[at] & 3) != kinds[code_at(row, s)];
                at += at < found;
            }
        wrong |= at != found;
        for (int64_t most = 0; most < 40; most += 1 + most / 2)
            wrong |= check_most(k, row, n, major, most, &out, found);
    }
    guard_free(&out);
    return wrong;
}

/* The rows stand `stride` bytes apart. */
static int check_missing(const struct gt_kernels *k, const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n)
{
    struct guard g = guard_new((size_t)n * 4, (int)(rnd() & 1));
    uint32_t *got = (uint32_t *)(void *)g.data;
    int wrong = 0;
    for (int64_t s = 0; s < n; s++)
        got[s] = (uint32_t)s * 7;
    k->add_missing(rows, stride, n_rows, n, got);
    for (int64_t s = 0; s < n; s++) {
        uint32_t want = (uint32_t)s * 7;
        for (int64_t r = 0; r < n_rows; r++)
            want += code_at(rows + (size_t)r * stride, s) == 3;
        wrong |= got[s] != want;
    }
    guard_free(&g);
    return wrong;
}

/* Many rows: where all calls are missing fields are filled to their brim. */
static int check_missing_rows(const struct gt_kernels *k, int64_t n, int64_t n_rows, int style)
{
    const size_t stride = (size_t)(n + 3) / 4 + rnd() % 3;
    struct guard g = make_row((int64_t)stride * 4 * n_rows, style);
    int wrong = check_missing(k, g.data, stride, n_rows, n);
    guard_free(&g);
    return wrong;
}

static int check_gather(const struct gt_kernels *k, const uint8_t *row, int64_t n, int order)
{
    int64_t n_out = n == 0 ? 0 : (int64_t)(rnd() % (unsigned)(n + 70));
    struct guard index = guard_new((size_t)n_out * 4, 0), out = guard_new((size_t)(n_out + 3) / 4, 0);
    uint32_t *at = (uint32_t *)(void *)index.data;
    int wrong = 0;
    for (int64_t s = 0; s < n_out; s++)
        at[s] = order == 0 ? rnd() % (unsigned)n : order == 1 ? (uint32_t)(s % n) : (uint32_t)((n_out - s) % n);
    memset(out.data, 0xee, (size_t)(n_out + 3) / 4);
    k->gather_samples(row, at, n_out, out.data);
    for (int64_t s = 0; s < (n_out + 3) / 4 * 4; s++)
        wrong |= code_at(out.data, s) != (s < n_out ? code_at(row, at[s]) : 0);
    guard_free(&index);
    guard_free(&out);
    return wrong;
}

static int check_unpack(const struct gt_kernels *k, const uint8_t *row, int64_t n)
{
    struct guard out = guard_new((size_t)n, (int)(rnd() & 1));
    int wrong = 0;
    k->unpack_i8(row, n, (int8_t *)out.data);
    for (int64_t s = 0; s < n; s++)
        wrong |= (int8_t)out.data[s] != (code_at(row, s) == 3 ? -1 : code_at(row, s));
    guard_free(&out);
    return wrong;
}

static int check_bed(const struct gt_kernels *k, int64_t n)
{
    static const int want[4] = {2, 3, 1, 0};
    size_t bytes = (size_t)(n + 3) / 4;
    struct guard in = guard_new(bytes, 0), out = guard_new(bytes, (int)(rnd() & 1));
    int wrong = 0;
    for (size_t i = 0; i < bytes; i++)
        in.data[i] = (uint8_t)rnd();
    k->bed_to_packed(in.data, n, out.data);
    for (int64_t s = 0; s < (int64_t)bytes * 4; s++)
        wrong |= code_at(out.data, s) != (s < n ? want[code_at(in.data, s)] : 0);
    guard_free(&in);
    guard_free(&out);
    return wrong;
}

static int check_geno(const struct gt_kernels *k, int64_t n)
{
    static const int want[4] = {2, 1, 0, 3};
    size_t bytes = (size_t)(n + 3) / 4;
    struct guard in = guard_new(bytes, 0), out = guard_new(bytes, (int)(rnd() & 1));
    int wrong = 0;
    for (size_t i = 0; i < bytes; i++)
        in.data[i] = (uint8_t)rnd();
    k->geno_to_packed(in.data, n, out.data);
    for (int64_t s = 0; s < (int64_t)bytes * 4; s++)
        wrong |= code_at(out.data, s) != (s < n ? want[in.data[s / 4] >> (6 - s % 4 * 2) & 3] : 0);
    k->geno_to_packed(in.data, n, in.data);
    wrong |= bytes && memcmp(in.data, out.data, bytes) != 0;
    guard_free(&in);
    guard_free(&out);
    return wrong;
}

static void check_level(const struct gt_kernels *k)
{
    int counts = 0, carriers = 0, missing = 0, gather = 0, unpack = 0, bed = 0, geno = 0;
    for (int64_t n = 0; n <= 1100; n += n < 300 ? 1 : 1 + (int64_t)(rnd() % 40)) {
        for (int style = 0; style < 4; style++) {
            struct guard row = make_row(n, style);
            counts += check_counts(k, row.data, n);
            carriers += check_carriers(k, row.data, n);
            missing += check_missing(k, row.data, 0, 1, n);
            gather += check_gather(k, row.data, n, style % 3);
            unpack += check_unpack(k, row.data, n);
            guard_free(&row);
        }
        bed += check_bed(k, n);
        geno += check_geno(k, n);
    }
    ok(counts == 0, "%s: count_codes", k->name);
    ok(carriers == 0, "%s: list_carriers", k->name);
    for (int style = 0; style < 4; style++)
        for (int64_t rows = 0; rows < 1600; rows += rows < 8 ? 1 : rows == 254 ? 2 : rows < 254 ? 82 : 517)
            missing += check_missing_rows(k, 1 + (int64_t)(rnd() % 600), rows, style);
    ok(missing == 0, "%s: add_missing", k->name);
    ok(gather == 0, "%s: gather_samples", k->name);
    ok(unpack == 0, "%s: unpack_i8", k->name);
    ok(bed == 0, "%s: bed_to_packed", k->name);
    ok(geno == 0, "%s: geno_to_packed", k->name);
}

int main(void)
{
    check_levels(check_level, NULL);
    return done_testing();
}
