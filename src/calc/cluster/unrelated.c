#include "calc/cluster/unrelated.h"

#include <string.h>

#include "core/engine/memory_plan.h"

/* Words of the rows before a sample's: row i has one for each 64 before i, or part of them. */
static int64_t first_word(int64_t sample)
{
    int64_t whole = (sample - 1) / 64, rest = (sample - 1) % 64;
    return sample ? 32 * whole * (whole + 1) + (whole + 1) * rest : 0;
}

int64_t gt_relatives_bytes(int64_t n)
{
    return gt_bytes_mul(n > INT32_MAX ? INT64_MAX : first_word(n), sizeof(uint64_t)) + gt_bytes_mul(n, 2 * sizeof(uint32_t)) + 4096;
}

int gt_relatives_init(struct gt_relatives *relatives, int64_t n, struct gt_err *err)
{
    relatives->n = n;
    return gt_buf_zeros(&relatives->bits, (size_t)first_word(n) * sizeof(uint64_t), err);
}

static uint64_t *word_of(const struct gt_relatives *relatives, int64_t sample, int64_t before)
{
    return (uint64_t *)(void *)relatives->bits.data + first_word(sample) + before / 64;
}

void gt_relatives_add(struct gt_relatives *relatives, int64_t sample, int64_t before)
{
    __atomic_fetch_or(word_of(relatives, sample, before), UINT64_C(1) << before % 64, __ATOMIC_RELAXED);
}

static bool related(const struct gt_relatives *relatives, int64_t a, int64_t b)
{
    return a != b && (*word_of(relatives, a > b ? a : b, a > b ? b : a) >> (a > b ? b : a) % 64 & 1);
}

/* --- who leaves --------------------------------------------------------------------- */

/* Samples with relatives at the beginning, and how many each has among those left. */
struct left {
    const struct gt_relatives *relatives;
    uint32_t *sample, *degree; /* degree: by sample */
    int64_t n;
};

static void count(struct left *left)
{
    for (int64_t i = 0; i < left->relatives->n; i++)
        for (int64_t j = 0; j < i; j += 64)
            for (uint64_t bits = *word_of(left->relatives, i, j); bits; bits &= bits - 1) {
                left->degree[i]++;
                left->degree[j + __builtin_ctzll(bits)]++;
            }
    for (int64_t i = 0; i < left->relatives->n; i++)
        if (left->degree[i])
            left->sample[left->n++] = (uint32_t)i;
}

/* The one relative left of a sample. */
static uint32_t relative_of(const struct left *left, uint32_t sample)
{
    int64_t k = 0;
    while (!left->degree[left->sample[k]] || !related(left->relatives, sample, left->sample[k]))
        k++;
    return left->sample[k];
}

/* Who is next to leave; false when no two are related. */
static bool find_next(const struct left *left, uint32_t *next)
{
    uint32_t most = 0;
    for (int64_t k = 0; k < left->n; k++) {
        const uint32_t sample = left->sample[k], degree = left->degree[sample];
        if (degree == 1) {
            *next = relative_of(left, sample);
            return true;
        }
        if (degree > most) {
            most = degree;
            *next = sample;
        }
    }
    return most > 0;
}

static void leave(struct left *left, uint32_t sample)
{
    left->degree[sample] = 0;
    for (int64_t k = 0; k < left->n; k++)
        if (left->degree[left->sample[k]] && related(left->relatives, sample, left->sample[k]))
            left->degree[left->sample[k]]--;
}

int gt_unrelated(const struct gt_relatives *relatives, bool *out, struct gt_err *err)
{
    struct gt_buf numbers = {.budget = relatives->bits.budget};
    const size_t n = (size_t)relatives->n;
    int status = gt_buf_zeros(&numbers, 2 * n * sizeof(uint32_t), err);
    uint32_t *number = (uint32_t *)(void *)numbers.data, next;
    struct left left = {relatives, number, number + n, 0};
    memset(out, 0, n * sizeof *out);
    if (!status && n)
        count(&left);
    while (!status && find_next(&left, &next)) {
        leave(&left, next);
        out[next] = true;
    }
    gt_buf_release(&numbers);
    return status;
}
