#include "config.h"

#include "geno/model/ploidy.h"

#include <string.h>

#include "core/base/err.h"
#include "geno/model/geno_info.h"

enum { WORD = 8 }; /* bytes */

static uint64_t low_bits(void)
{
    return 0x5555555555555555u;
}

/* Bits of samples whose code is 1, and 2. */
static uint64_t ones(uint64_t x)
{
    return x & ~(x >> 1) & low_bits();
}
static uint64_t twos(uint64_t x)
{
    return x >> 1 & ~x & low_bits();
}

/* In haploid data of codes of `from`: a heterozygote, or a code that it cannot have. */
static uint64_t not_haploid(uint64_t x, int from)
{
    return from == GT_HAPLOID ? twos(x) : ones(x);
}

/* 1 and 2 change places: neither stands next to the other. */
static uint64_t swapped(uint64_t x)
{
    const uint64_t both = ones(x) | twos(x);
    return x ^ (both | both << 1);
}

static int64_t first_of(uint64_t bits, size_t at)
{
    return (int64_t)at * 4 + __builtin_ctzll(bits) / 2;
}

int64_t gt_ploidy_row(uint8_t *row, int64_t n, int from, int to)
{
    const size_t bytes = ((size_t)n + 3) / 4;
    for (size_t at = 0; at < bytes; at += WORD) {
        const size_t some = bytes - at < WORD ? bytes - at : WORD;
        uint64_t x = 0;
        memcpy(&x, row + at, some); /* little endian, as all that is built for */
        const uint64_t bad = to == GT_HAPLOID ? not_haploid(x, from) : 0;
        if (bad)
            return first_of(bad, at);
        x = from == to ? x : swapped(x);
        memcpy(row + at, &x, some);
    }
    return -1;
}

int gt_ploidy_join(int *all, const struct gt_geno_info *input, struct gt_err *err)
{
    const int ploidy = input->ploidy;
    if (*all && ploidy && *all != ploidy) {
        gt_fail(err, GT_INPUT, "'%s' is %s, but the inputs before it are %s", input->name, ploidy == GT_HAPLOID ? "haploid" : "diploid",
                ploidy == GT_HAPLOID ? "diploid" : "haploid");
        gt_hint(err, "--ploidy 2 counts haploid calls as homozygous");
        return GT_INPUT;
    }
    *all = *all ? *all : ploidy;
    return GT_OK;
}

int gt_ploidy_need_diploid(const struct gt_geno_info *input, const char *what, struct gt_err *err)
{
    if (input->ploidy != GT_HAPLOID)
        return GT_OK;
    gt_fail(err, GT_USAGE, "%s needs heterozygous calls, and '%s' is haploid", what, input->name);
    return GT_USAGE;
}
