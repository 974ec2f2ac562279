/* Rows of codes between haploid and diploid data, code by code, and inputs of both that do not go together. */
#include "geno/model/ploidy.h"

#include <string.h>

#include "geno/model/geno_info.h"
#include "test/support/random.h"
#include "test/support/tap.h"

enum { MOST = 140 };

static int get(const uint8_t *row, int64_t i)
{
    return row[i / 4] >> i % 4 * 2 & 3;
}

/* A haploid ALT is 1, a diploid call of two of them 2; the third of the two has no place in the data. */
static bool is_right(const uint8_t *before, const uint8_t *after, int64_t n, int from, int to, int64_t got)
{
    int64_t first = -1;
    for (int64_t i = 0; i < n && first < 0 && to == GT_HAPLOID; i++)
        if (get(before, i) == (from == GT_HAPLOID ? 2 : 1))
            first = i;
    if (got != first)
        return false;
    for (int64_t i = 0; i < n && first < 0; i++) {
        const int code = get(before, i), wanted = from == to || code == 0 || code == 3 ? code : 3 - code;
        if (get(after, i) != wanted)
            return false;
    }
    return true;
}

static void test_rows(void)
{
    int wrong = 0, refused = 0, beyond = 0;
    for (int round = 0; round < 4000; round++) {
        const int64_t n = 1 + random_below(MOST - 4);
        const int from = 1 + round % 2, to = 1 + round / 2 % 2, odd = from == GT_HAPLOID ? 2 : 1;
        uint8_t row[MOST / 4 + 1], before[MOST / 4 + 1];
        memset(row, 0, sizeof row);
        for (int64_t i = 0; i < n; i++) {
            int code = (int)random_below(4);
            code = code == odd && random_below(40) ? 3 - odd : code;
            row[i / 4] |= (uint8_t)(code << i % 4 * 2);
        }
        memset(row + (n + 3) / 4, 0xa5, sizeof row - (size_t)(n + 3) / 4);
        memcpy(before, row, sizeof row);
        const int64_t got = gt_ploidy_row(row, n, from, to);
        wrong += !is_right(before, row, n, from, to, got);
        refused += got >= 0;
        for (size_t i = (size_t)(n + 3) / 4; i < sizeof row; i++)
            beyond += row[i] != 0xa5;
    }
    ok(wrong == 0 && refused > 100, "4000 rows: %d are wrong, %d have a code without a place", wrong, refused);
    ok(beyond == 0, "nothing behind a row is written");
}

static void test_inputs(void)
{
    struct gt_geno_info none = {.name = (char *)"none"}, one = {.name = (char *)"one", .ploidy = GT_HAPLOID},
                        two = {.name = (char *)"two", .ploidy = GT_DIPLOID};
    struct gt_err err = {0};
    int all = 0;
    bool good = gt_ploidy_join(&all, &none, &err) == 0 && all == 0 && gt_ploidy_join(&all, &one, &err) == 0 && all == GT_HAPLOID;
    good = good && gt_ploidy_join(&all, &none, &err) == 0 && gt_ploidy_join(&all, &one, &err) == 0 && all == GT_HAPLOID;
    ok(good && gt_ploidy_join(&all, &two, &err) == GT_INPUT &&
           strcmp(err.msg, "'two' is diploid, but the inputs before it are haploid") == 0,
       "%s", err.msg);
    all = GT_DIPLOID;
    ok(gt_ploidy_join(&all, &two, &err) == 0 && gt_ploidy_join(&all, &one, &err) == GT_INPUT && all == GT_DIPLOID, "%s", err.msg);
    ok(gt_ploidy_need_diploid(&none, "x", &err) == 0 && gt_ploidy_need_diploid(&two, "x", &err) == 0 &&
           gt_ploidy_need_diploid(&one, "x", &err) == GT_USAGE,
       "%s", err.msg);
}

int main(void)
{
    test_rows();
    test_inputs();
    return done_testing();
}
