#include "arrays/linalg/block_orth.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "arrays/linalg/linalg.h"
#include "core/base/philox.h"

/* Rounds at most, and the length that is left of each column when no other round is needed (Daniel et al. 1976). */
enum { ROUNDS = 6 };
#define ENOUGH 0.7
/* A column of length 1 that falls below this is rounding error of what was taken off. */
#define NOTHING 1e-12

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void add(double *x, double factor, const double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] += factor * y[i];
}

static void put_scaled(double *to, const double *from, double length, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i] / length;
}

/* Column j of the result becomes random, of length 1; the next round takes off what it has of the others. */
static void draw(const struct gt_block_orth *o, int64_t j)
{
    const uint32_t key[2] = {(uint32_t)o->seed, (uint32_t)(o->seed >> 32)};
    double *to = o->out + j * o->n;
    for (int64_t i = 0; i < o->n; i++) {
        const uint32_t at[4] = {(uint32_t)i, (uint32_t)(i >> 32), (uint32_t)(o->m + j), 1};
        uint32_t bits[4];
        gt_philox(at, key, bits);
        to[i] = 2 * gt_unit32(bits[0]) - 1;
    }
    put_scaled(to, to, sqrt(dot(to, to, o->n)), o->n);
}

/* block -= basis more, with more = basis' block. */
static void project(const struct gt_block_orth *o, int64_t columns)
{
    const struct gt_matrix_ref basis = {o->basis, o->n, false}, transposed = {o->basis, o->n, true}, block = {o->block, o->n, false};
    const struct gt_matrix_ref more = {o->more, o->lead, false};
    gt_linalg_product(o->m, columns, o->n, &transposed, &block, 0, o->more, o->lead);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < o->m; i++)
            o->more[i + c * o->lead] = -o->more[i + c * o->lead];
    gt_linalg_product(o->n, columns, o->m, &basis, &more, 1, o->block, o->n);
}

/* --- the first round ---------------------------------------------------------------- */

/* The longest column that is left; -1: none has any length. */
static int64_t longest(const double *lengths, int64_t columns)
{
    int64_t at = -1;
    for (int64_t c = 0; c < columns; c++)
        if (lengths[c] > 0 && (at < 0 || lengths[c] > lengths[at]))
            at = c;
    return at;
}

/* Column `from` of the block, less what is left in it of the results before, becomes result j. */
static bool take(const struct gt_block_orth *o, int64_t j, int64_t from)
{
    double *column = o->block + from * o->n, *rest = o->rest + from * o->width;
    for (int64_t f = 0; f < j; f++) {
        const double part = dot(o->out + f * o->n, column, o->n);
        add(column, -part, o->out + f * o->n, o->n);
        rest[f] += part;
    }
    const double length = sqrt(dot(column, column, o->n));
    if (!(length > 0))
        return false;
    put_scaled(o->out + j * o->n, column, length, o->n);
    rest[j] = length;
    return true;
}

/* Modified Gram-Schmidt, the longest column first, so that of dependent columns those with most of their own are taken. */
static void factor_pivoted(const struct gt_block_orth *o)
{
    double *lengths = o->work;
    memset(o->rest, 0, (size_t)(o->width * o->width) * sizeof *o->rest);
    for (int64_t c = 0; c < o->columns; c++)
        lengths[c] = sqrt(dot(o->block + c * o->n, o->block + c * o->n, o->n));
    for (int64_t j = 0; j < o->made; j++) {
        const double *made = o->out + j * o->n;
        const int64_t from = longest(lengths, o->columns);
        if (from >= 0)
            lengths[from] = 0;
        if (from < 0 || !take(o, j, from)) {
            draw(o, j);
            continue;
        }
        for (int64_t c = 0; c < o->columns; c++) {
            double *column = o->block + c * o->n;
            if (!(lengths[c] > 0))
                continue;
            const double part = dot(made, column, o->n);
            add(column, -part, made, o->n);
            o->rest[j + c * o->width] = part;
            lengths[c] = sqrt(dot(column, column, o->n));
        }
    }
}

/* --- others -------------------------------------------------------------------------- */

/* Columns in their order; r: the triangle.  Returns the length of the shortest before it was normalised. */
static double factor(const struct gt_block_orth *o, double *r)
{
    double minimum = 1;
    memset(r, 0, (size_t)(o->width * o->width) * sizeof *r);
    for (int64_t c = 0; c < o->made; c++) {
        double *column = o->block + c * o->n;
        for (int64_t f = 0; f < c; f++) {
            const double part = dot(o->out + f * o->n, column, o->n);
            add(column, -part, o->out + f * o->n, o->n);
            r[f + c * o->width] = part;
        }
        const double length = sqrt(dot(column, column, o->n));
        minimum = length > minimum ? minimum : length;
        if (length > NOTHING) {
            put_scaled(o->out + c * o->n, column, length, o->n);
            r[c + c * o->width] = length;
        } else
            draw(o, c);
    }
    return minimum;
}

static double again(const struct gt_block_orth *o)
{
    double *r = o->work, *old = r + o->width * o->width;
    const struct gt_matrix_ref more = {o->more, o->lead, false}, rest = {old, o->width, false}, triangle = {r, o->width, false};
    memcpy(o->block, o->out, (size_t)(o->made * o->n) * sizeof *o->out);
    memcpy(old, o->rest, (size_t)(o->width * o->width) * sizeof *old);
    if (o->m > 0) {
        project(o, o->made);
        for (int64_t c = 0; c < o->made; c++)
            for (int64_t i = 0; i < o->m; i++)
                o->more[i + c * o->lead] = -o->more[i + c * o->lead];
        gt_linalg_product(o->m, o->columns, o->made, &more, &rest, 1, o->seen, o->lead);
    }
    const double minimum = factor(o, r);
    gt_linalg_product(o->made, o->columns, o->made, &triangle, &rest, 0, o->rest, o->width);
    return minimum;
}

void gt_block_orth(struct gt_block_orth *o)
{
    o->made = o->columns < o->n - o->m ? o->columns : o->n - o->m;
    if (o->m > 0) {
        project(o, o->columns);
        for (int64_t c = 0; c < o->columns; c++)
            for (int64_t i = 0; i < o->m; i++)
                o->seen[i + c * o->lead] = -o->more[i + c * o->lead];
    }
    factor_pivoted(o);
    for (int round = 0; round < ROUNDS && o->made > 0; round++)
        if (again(o) > ENOUGH)
            break;
}
