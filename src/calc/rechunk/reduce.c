#include "calc/rechunk/reduce.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

/* Items that are made int64 or double at a time; and sums that go side by side. */
enum { BLOCK = 256, LANES = 8 };

/* One operation: on whole numbers, or on reals where `whole` is NULL or the items are reals. */
struct gt_reduction {
    const char *name;
    enum gt_type (*type)(enum gt_type from);
    bool of_none;
    /* n items more into a state; real: called with state->n the items before. */
    void (*whole)(struct gt_reduction_state *state, const int64_t *x, int64_t n);
    void (*real)(struct gt_reduction_state *state, const double *x, int64_t n);
    void (*join_whole)(struct gt_reduction_state *state, const struct gt_reduction_state *more);
    void (*join_real)(struct gt_reduction_state *state, const struct gt_reduction_state *more);
    double (*finish)(const struct gt_reduction_state *state);                    /* of reals; NULL: the state's number is it */
    bool counts;                                                                 /* what comes out is state->whole, also of reals */
    double (*finish_whole)(const struct gt_reduction_state *state, bool turned); /* a real of whole numbers; NULL: state->whole is it */
    int none;                                                                    /* of no items, where that is defined */
};

static bool is_real(enum gt_type type)
{
    return type >= GT_F16;
}

/* --- types ----------------------------------------------------------------------------------- */

static enum gt_type wide(enum gt_type from)
{
    return is_real(from) ? from : from >= GT_U8 && from <= GT_U64 ? GT_U64 : GT_I64;
}

static enum gt_type real(enum gt_type from)
{
    return is_real(from) ? from : GT_F64;
}

static enum gt_type same(enum gt_type from)
{
    return from;
}

static enum gt_type truth(enum gt_type from)
{
    (void)from;
    return GT_BOOL;
}

static enum gt_type number(enum gt_type from)
{
    (void)from;
    return GT_I64;
}

/* --- sums, means ------------------------------------------------------------------------------- */

static void sum_whole(struct gt_reduction_state *state, const int64_t *x, int64_t n)
{
    uint64_t sum = (uint64_t)state->whole;
    for (int64_t i = 0; i < n; i++)
        sum += (uint64_t)x[i];
    state->whole = (int64_t)sum;
}

static double sum_of(const double *x, int64_t n)
{
    double lane[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] += x[i + k];
    for (int k = 0; i < n; i++, k++)
        lane[k] += x[i];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static void sum_real(struct gt_reduction_state *state, const double *x, int64_t n)
{
    state->real += sum_of(x, n);
}

static void join_sum(struct gt_reduction_state *state, const struct gt_reduction_state *more)
{
    state->whole = (int64_t)((uint64_t)state->whole + (uint64_t)more->whole);
}

static void join_sum_real(struct gt_reduction_state *state, const struct gt_reduction_state *more)
{
    state->real += more->real;
}

static double mean(const struct gt_reduction_state *state)
{
    return state->n ? state->real / (double)state->n : NAN;
}

/* The sum of whole numbers is exact, so that large ones do not cancel each other out. */
static __int128 long_sum(const struct gt_reduction_state *state)
{
    return (__int128)(((unsigned __int128)(uint64_t)state->high << 64) | (uint64_t)state->whole);
}

static void set_long_sum(struct gt_reduction_state *state, __int128 sum)
{
    state->whole = (int64_t)(uint64_t)sum;
    state->high = (int64_t)(uint64_t)((unsigned __int128)sum >> 64);
}

static void sum_long(struct gt_reduction_state *state, const int64_t *x, int64_t n)
{
    __int128 sum = long_sum(state);
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    set_long_sum(state, sum);
}

static void join_long(struct gt_reduction_state *state, const struct gt_reduction_state *more)
{
    set_long_sum(state, long_sum(state) + long_sum(more));
}

static double mean_whole(const struct gt_reduction_state *state, bool turned)
{
    const __int128 n = state->n, sum = long_sum(state) + (turned ? n << 63 : 0), exact = (__int128)1 << 53;
    if (n == 0)
        return NAN;
    return sum >= -exact && sum <= exact ? (double)sum / (double)n : (double)(sum / n) + (double)(sum % n) / (double)n;
}

/* --- products ------------------------------------------------------------------------------------- */

static void multiply_whole(struct gt_reduction_state *state, const int64_t *x, int64_t n)
{
    uint64_t product = state->n ? (uint64_t)state->whole : 1;
    for (int64_t i = 0; i < n; i++)
        product *= (uint64_t)x[i];
    state->whole = (int64_t)product;
}

static void multiply_real(struct gt_reduction_state *state, const double *x, int64_t n)
{
    double product = state->n ? state->real : 1;
    for (int64_t i = 0; i < n; i++)
        product *= x[i];
    state->real = product;
}

static void join_product(struct gt_reduction_state *state, const struct gt_reduction_state *more)
{
    state->whole = (int64_t)((uint64_t)state->whole * (uint64_t)more->whole);
}

static void join_product_real(struct gt_reduction_state *state, const struct gt_reduction_state *more)
{
    state->real *= more->real;
}

/* --- spread --------------------------------------------------------------------------------------- */

static void join_spread(struct gt_reduction_state *state, const struct gt_reduction_state *more)
{
    const double n = (double)state->n, m = (double)more->n, apart = more->real - state->real;
    state->real += apart * (m / (n + m));
    state->spread += more->spread + apart * apart * (n * (m / (n + m)));
}

static void spread(struct gt_reduction_state *state, const double *x, int64_t n)
{
    struct gt_reduction_state block = {.n = n, .real = sum_of(x, n) / (double)n};
    double squared[BLOCK];
    for (int64_t i = 0; i < n; i++)
        squared[i] = (x[i] - block.real) * (x[i] - block.real);
    block.spread = sum_of(squared, n);
    if (state->n)
        join_spread(state, &block);
    else
        *state = (struct gt_reduction_state){.real = block.real, .spread = block.spread};
}

static double variance(const struct gt_reduction_state *state)
{
    return state->n ? state->spread / (double)state->n : NAN;
}

static double deviation(const struct gt_reduction_state *state)
{
    return sqrt(variance(state));
}

/* --- least and largest: a NaN wins ----------------------------------------------------------------- */

#define EXTREME(name, least_or_most)                                                                                                       \
    static void name##_whole(struct gt_reduction_state *state, const int64_t *x, int64_t n)                                                \
    {                                                                                                                                      \
        int64_t best = state->n ? state->whole : x[0];                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                                                                    \
            best = x[i] least_or_most best ? x[i] : best;                                                                                  \
        state->whole = best;                                                                                                               \
    }                                                                                                                                      \
    static void name##_real(struct gt_reduction_state *state, const double *x, int64_t n)                                                  \
    {                                                                                                                                      \
        double best = state->n ? state->real : x[0];                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                                                                    \
            best = isnan(best) || !(x[i] least_or_most best || isnan(x[i])) ? best : x[i];                                                 \
        state->real = best;                                                                                                                \
    }                                                                                                                                      \
    static void join_##name##_whole(struct gt_reduction_state *state, const struct gt_reduction_state *more)                               \
    {                                                                                                                                      \
        name##_whole(state, &more->whole, 1);                                                                                              \
    }                                                                                                                                      \
    static void join_##name##_real(struct gt_reduction_state *state, const struct gt_reduction_state *more)                                \
    {                                                                                                                                      \
        name##_real(state, &more->real, 1);                                                                                                \
    }

EXTREME(lowest, <)
EXTREME(most, >)

/* --- those that are not 0, as NaN is not -------------------------------------------------------------- */

static void count_whole(struct gt_reduction_state *state, const int64_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        state->whole += x[i] != 0;
}

static void count_real(struct gt_reduction_state *state, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        state->whole += x[i] != 0;
}

/* --- the table ----------------------------------------------------------------------------------------- */

static const struct gt_reduction folds[] = {
    {"sum", wide, true, sum_whole, sum_real, join_sum, join_sum_real, NULL, false, NULL, 0},
    {"prod", wide, true, multiply_whole, multiply_real, join_product, join_product_real, NULL, false, NULL, 1},
    {"mean", real, true, sum_long, sum_real, join_long, join_sum_real, mean, false, mean_whole, 0},
    {"min", same, false, lowest_whole, lowest_real, join_lowest_whole, join_lowest_real, NULL, false, NULL, 0},
    {"max", same, false, most_whole, most_real, join_most_whole, join_most_real, NULL, false, NULL, 0},
    {"std", real, true, NULL, spread, NULL, join_spread, deviation, false, NULL, 0},
    {"var", real, true, NULL, spread, NULL, join_spread, variance, false, NULL, 0},
    {"any", truth, true, count_whole, count_real, join_sum, join_sum, NULL, true, NULL, 0},
    {"all", truth, true, count_whole, count_real, join_sum, join_sum, NULL, true, NULL, 0},
    {"count", number, true, count_whole, count_real, join_sum, join_sum, NULL, true, NULL, 0},
};

const char *const gt_reduction_names = "sum, prod, mean, min, max, std, var, any, all or count, or nansum, nanprod, ... nanvar";

const struct gt_reduction *gt_reduction_find(const char *name, size_t n, bool *skip_nan)
{
    *skip_nan = n > 3 && memcmp(name, "nan", 3) == 0;
    name += *skip_nan ? 3 : 0;
    n -= *skip_nan ? 3 : 0;
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
        if (strlen(folds[i].name) == n && memcmp(folds[i].name, name, n) == 0)
            return *skip_nan && folds[i].counts ? NULL : &folds[i];
    return NULL;
}

const char *gt_reduction_name(const struct gt_reduction *reduction)
{
    return reduction->name;
}

enum gt_type gt_reduction_type(const struct gt_reduction *reduction, enum gt_type from)
{
    return reduction->type(from);
}

bool gt_reduction_of_none(const struct gt_reduction *reduction)
{
    return reduction->of_none;
}

/* --- rows -------------------------------------------------------------------------------------------------- */

static bool as_ints(const struct gt_reduction *reduction, enum gt_type type)
{
    return reduction->whole && !is_real(type);
}

/* A uint64 keeps its order, as an int64, when its highest bit is turned, and is smaller by 2^63; sums and zeros do not want that. */
static bool is_turned(const struct gt_reduction *reduction, enum gt_type type)
{
    return type == GT_U64 && (!reduction->of_none || reduction->finish_whole);
}

static void turn(int64_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] ^= INT64_MIN;
}

union numbers {
    int64_t whole[BLOCK];
    double real[BLOCK];
};

/* At most BLOCK items, from number `at` on, made what the operation adds up. */
static void load(const struct gt_reduction *reduction, enum gt_type type, const uint8_t *items, int64_t at, int64_t n, union numbers *x)
{
    const enum gt_number to = as_ints(reduction, type) ? GT_NUMBER_I64 : GT_NUMBER_F64;
    gt_kernels()->cast((enum gt_number)type, items + (size_t)at * gt_dtype_of(type).size, to, x, n);
    if (to == GT_NUMBER_I64 && is_turned(reduction, type))
        turn(x->whole, n);
}

/* n numbers from `at` on without those that are left out; returns how many stay. */
static int64_t leave_out(const struct gt_reduction *reduction, const struct gt_reduction_skip *skip, enum gt_type type, union numbers *x,
                         int64_t at, int64_t n)
{
    int64_t kept = at;
    for (int64_t i = at; i < at + n; i++) {
        bool out = !as_ints(reduction, type) && isnan(x->real[i]);
        for (int k = 0; k < skip->n && !out; k++) {
            union numbers value;
            load(reduction, type, skip->item[k], 0, 1, &value);
            out = as_ints(reduction, type) ? x->whole[i] == value.whole[0] : x->real[i] == value.real[0];
        }
        if (!out)
            x->whole[kept++] = x->whole[i]; /* the bits of either */
    }
    return kept - at;
}

static void add(const struct gt_reduction *reduction, enum gt_type type, const union numbers *x, int64_t at, int64_t n,
                struct gt_reduction_state *state)
{
    if (n == 0)
        return;
    if (as_ints(reduction, type))
        reduction->whole(state, x->whole + at, n);
    else
        reduction->real(state, x->real + at, n);
    state->n += n;
}

/* --- sums of bytes --- */

/* Bytes without a sign, eight at a time: their pairs in four lanes, which hold 128 of them. */
static int64_t sum_of_bytes(const uint8_t *x, int64_t n, uint64_t flip)
{
    static const uint64_t even = 0x00ff00ff00ff00ff;
    int64_t sum = 0, i = 0;
    while (i + 8 <= n) {
        uint64_t lanes = 0, word;
        for (int k = 0; k < 128 && i + 8 <= n; k++, i += 8) {
            memcpy(&word, x + i, 8);
            word ^= flip;
            lanes += (word & even) + ((word >> 8) & even);
        }
        for (int k = 0; k < 4; k++)
            sum += (int64_t)((lanes >> (16 * k)) & 0xffff);
    }
    for (; i < n; i++)
        sum += x[i] ^ (uint8_t)flip;
    return sum;
}

static bool adds_bytes(const struct gt_reduction *reduction, const struct gt_reduction_skip *skip, enum gt_type type)
{
    return (type == GT_I8 || type == GT_U8) && (reduction->whole == sum_whole || reduction->whole == sum_long) && !skip->on;
}

/* Of signed ones the highest bit is turned, which adds 128 to each. */
static void add_bytes(enum gt_type type, const uint8_t *items, int64_t rows, int64_t n, struct gt_reduction_state *states)
{
    const bool is_signed = type == GT_I8;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t sum = sum_of_bytes(items + i * n, n, is_signed ? 0x8080808080808080 : 0) - (is_signed ? 128 * n : 0);
        states[i] = (struct gt_reduction_state){.n = n};
        set_long_sum(&states[i], sum);
    }
}

/* --- all --- */

void gt_reduction_rows(const struct gt_reduction *reduction, const struct gt_reduction_skip *skip, enum gt_type type, const uint8_t *items,
                       int64_t rows, int64_t n, struct gt_reduction_state *states)
{
    const int64_t together = n > 0 && n < BLOCK ? BLOCK / n : 1; /* rows that are loaded at once */
    union numbers x;
    if (adds_bytes(reduction, skip, type)) {
        add_bytes(type, items, rows, n, states);
        return;
    }
    memset(states, 0, (size_t)rows * sizeof *states);
    for (int64_t i = 0; i < rows; i += together) {
        const int64_t some = rows - i < together ? rows - i : together;
        for (int64_t at = 0; at < n; at += BLOCK) {
            const int64_t length = n - at < BLOCK ? n - at : BLOCK;
            load(reduction, type, items, i * n + at, some * length, &x);
            for (int64_t k = 0; k < some; k++)
                add(reduction, type, &x, k * length, skip->on ? leave_out(reduction, skip, type, &x, k * length, length) : length,
                    &states[i + k]);
        }
    }
}

void gt_reduction_join(const struct gt_reduction *reduction, enum gt_type type, struct gt_reduction_state *state,
                       const struct gt_reduction_state *more)
{
    if (more->n == 0)
        return;
    if (state->n == 0) {
        *state = *more;
        return;
    }
    (as_ints(reduction, type) ? reduction->join_whole : reduction->join_real)(state, more);
    state->n += more->n;
}

/* --- numbers ------------------------------------------------------------------------------------------------- */

static int64_t whole_of(const struct gt_reduction *reduction, enum gt_type type, const struct gt_reduction_state *state)
{
    if (reduction->type == truth)
        return reduction->name[1] == 'n' ? state->whole > 0 : state->whole == state->n; /* any, all */
    if (state->n == 0 && reduction->none)
        return reduction->none;
    return is_turned(reduction, type) ? state->whole ^ INT64_MIN : state->whole;
}

void gt_reduction_finish(const struct gt_reduction *reduction, const struct gt_reduction_skip *skip, enum gt_type type,
                         const struct gt_reduction_state *states, int64_t n, uint8_t *to)
{
    const enum gt_type result = reduction->type(type);
    const size_t size = gt_dtype_of(result).size;
    const bool wholes = as_ints(reduction, type), whole = (wholes && !reduction->finish_whole) || reduction->counts;
    for (int64_t i = 0; i < n; i++) {
        if (states[i].n == 0 && !reduction->of_none) {
            const double nan = NAN;
            if (is_real(type))
                gt_kernels()->cast(GT_NUMBER_F64, &nan, (enum gt_number)result, to + (size_t)i * size, 1);
            else
                memcpy(to + (size_t)i * size, skip->item[0], size);
            continue;
        }
        const int64_t number = whole_of(reduction, type, &states[i]);
        const double value = whole               ? 0
                             : wholes            ? reduction->finish_whole(&states[i], is_turned(reduction, type))
                             : reduction->finish ? reduction->finish(&states[i])
                             : states[i].n == 0  ? reduction->none
                                                 : states[i].real;
        if (whole)
            gt_kernels()->cast(GT_NUMBER_I64, &number, (enum gt_number)result, to + (size_t)i * size, 1);
        else
            gt_kernels()->cast(GT_NUMBER_F64, &value, (enum gt_number)result, to + (size_t)i * size, 1);
    }
}
