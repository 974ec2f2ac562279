/* Phases of .pgen records: bytes as the specification of the format has them, made here bit by bit, written and read. */
#include "geno/plink/pgen_phase.h"

#include <stdlib.h>
#include <string.h>

#include "geno/model/block.h"
#include "geno/model/dosage.h"
#include "kernels/kernels.h"
#include "test/support/random.h"
#include "test/support/tap.h"

enum { MOST = 200, ROW = MOST / 4 + 1 + GT_KERNEL_PAD };

struct track {
    uint8_t bytes[2 * (MOST / 8 + 2)];
    size_t n;
};

struct calls {
    int64_t n;
    uint8_t row[ROW], phases[ROW], alleles[2 * MOST];
    bool het[MOST];
    unsigned phase[MOST];
};

/* usual: of heterozygous calls, percent that are phased; alts: some calls of code 2 have two different ALTs. */
static void make(struct calls *c, int64_t n, int hets, int usual, bool alts)
{
    memset(c, 0, sizeof *c);
    c->n = n;
    for (int64_t s = 0; s < n; s++) {
        unsigned code = random_below(100) < hets ? 1 : (unsigned)random_below(3);
        code = code == 1 && random_below(100) >= hets ? 3 : code;
        c->alleles[2 * s] = c->alleles[2 * s + 1] = GT_ALLELE_BY_CODE;
        if (alts && code == 2 && random_below(2)) {
            c->alleles[2 * s] = 1;
            c->alleles[2 * s + 1] = (uint8_t)(1 + random_below(3));
        }
        c->het[s] = code == 1 || (code == 2 && c->alleles[2 * s] != c->alleles[2 * s + 1]);
        c->phase[s] = !c->het[s] || random_below(100) >= usual ? GT_PHASED_NOT
                      : random_below(2)                        ? GT_PHASED_DESCENDING
                                                               : GT_PHASED_ASCENDING;
        c->row[s / 4] |= (uint8_t)(code << s % 4 * 2);
        c->phases[s / 4] |= (uint8_t)(c->phase[s] << s % 4 * 2);
    }
}

static void put_bit(struct track *t, size_t at, bool bit)
{
    t->bytes[at / 8] |= (uint8_t)(bit << at % 8);
    t->n = at / 8 + 1;
}

/* Bit 0: are there heterozygous calls that are not phased?  If not, whether each is 1|0; if so, which are phased, and from the next byte on
 * whether each of these is 1|0.  Nothing if none is. */
static struct track by_specification(const struct calls *c)
{
    struct track t = {.n = 0};
    int64_t phased = 0, hets = 0;
    for (int64_t s = 0; s < c->n; s++)
        hets += c->het[s], phased += c->phase[s] != GT_PHASED_NOT;
    const bool some = phased < hets;
    size_t at = 0;
    if (!phased)
        return t;
    put_bit(&t, at++, some);
    for (int64_t s = 0; s < c->n; s++)
        if (c->het[s])
            put_bit(&t, at++, some ? c->phase[s] != GT_PHASED_NOT : c->phase[s] == GT_PHASED_DESCENDING);
    at = (at + 7) / 8 * 8;
    for (int64_t s = 0; s < c->n && some; s++)
        if (c->phase[s] != GT_PHASED_NOT)
            put_bit(&t, at++, c->phase[s] == GT_PHASED_DESCENDING);
    return t;
}

static bool written(const struct calls *c, const uint8_t *alleles, const struct track *t)
{
    struct gt_buf bytes = {0};
    struct gt_err err = {0};
    bool any = !t->n;
    gt_buf_append(&bytes, "before", 6, &err);
    const bool same = gt_pgen_put_phase(c->row, alleles, c->phases, c->n, &bytes, &any, &err) == 0 && any == (t->n > 0) &&
                      bytes.len == 6 + t->n && memcmp(bytes.data, "before", 6) == 0 && memcmp(bytes.data + 6, t->bytes, t->n) == 0;
    gt_buf_release(&bytes);
    return same;
}

/* In full, and cut by each number of bytes, from memory that ends there. */
static bool is_read(const struct calls *c, const uint8_t *alleles, const struct track *t)
{
    bool same = true;
    for (size_t n = 0; n <= t->n && same; n++) {
        uint8_t phases[ROW] = {0}, *data = malloc(n + !n);
        memcpy(data, t->bytes, n);
        struct gt_pgen_bytes r = {data, data + n};
        const char *wrong = gt_pgen_read_phase(&r, c->n, c->row, alleles, phases);
        same = n < t->n ? wrong != NULL : !wrong && r.at == r.end && memcmp(phases, c->phases, (size_t)(c->n + 3) / 4) == 0;
        free(data);
    }
    return same;
}

int main(void)
{
    static const int percent[] = {0, 3, 50, 97, 100};
    struct calls *c = malloc(sizeof *c);
    int wrong[2] = {0}, n = 0;
    for (int round = 0; round < 2000; round++) {
        const bool alts = round & 1;
        make(c, 1 + (round < 1000 ? random_below(9) : random_below(MOST)), percent[random_below(5)], percent[random_below(5)], alts);
        const uint8_t *alleles = alts ? c->alleles : NULL;
        const struct track t = by_specification(c);
        wrong[0] += !written(c, alleles, &t);
        if (t.n)
            n++, wrong[1] += !is_read(c, alleles, &t);
    }
    ok(wrong[0] == 0, "2000 tracks are written as the specification has them, but for %d", wrong[0]);
    ok(wrong[1] == 0 && n > 500, "%d are read, and none that is cut; but for %d", n, wrong[1]);
    make(c, 50, 50, 50, false);
    struct gt_buf bytes = {0};
    struct gt_err err = {0};
    bool any = true;
    ok(gt_pgen_put_phase(c->row, NULL, NULL, c->n, &bytes, &any, &err) == 0 && !any && bytes.len == 0, "no phases, no track");
    free(c);
    return done_testing();
}
