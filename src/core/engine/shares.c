#include "config.h"

#include "core/engine/shares.h"

#include "core/base/size.h"
#include "core/base/str.h"
#include "core/engine/flow.h"

#define MIB (INT64_C(1) << 20)
#define MOST (INT64_MAX / 2)

int64_t gt_bytes_add(int64_t a, int64_t b)
{
    a = a > 0 ? a : 0;
    b = b > 0 ? b : 0;
    return a > MOST - (b < MOST ? b : MOST) ? MOST : a + b;
}

int64_t gt_bytes_mul(int64_t a, int64_t b)
{
    int64_t n;
    if (a <= 0 || b <= 0)
        return 0;
    return gt_mul_i64(a, b, &n) && n < MOST ? n : MOST;
}

int64_t gt_shares_of_flow(const struct gt_engine *engine, int readers, int64_t task_bytes)
{
    return gt_bytes_mul(gt_flow_most_items(engine, readers), task_bytes);
}

/* Code and libraries, and what is counted in the budget already. */
static int64_t taken_by(const struct gt_engine *engine)
{
    return engine->limits.memory - engine->budget.limit + atomic_load(&engine->budget.used);
}

void gt_shares_note(const struct gt_engine *engine, int64_t least, int64_t wanted)
{
    struct gt_needs *needs = engine->needs;
    const int64_t peak = engine->limits.memory - engine->budget.limit + atomic_load(&engine->budget.high);
    int64_t all = gt_bytes_add(taken_by(engine), least);

    all = all > peak ? all : peak;
    needs->least = needs->least > all ? needs->least : all;
    all = gt_bytes_add(taken_by(engine), wanted > least ? wanted : least);
    needs->wanted = needs->wanted > all ? needs->wanted : all;
    needs->wanted = needs->wanted > needs->least ? needs->wanted : needs->least;
}

int64_t gt_shares_memory(const struct gt_engine *engine, int64_t least)
{
    return gt_ceil_div(gt_bytes_add(taken_by(engine), least), MIB);
}

bool gt_shares_accepted(const struct gt_engine *engine)
{
    const struct gt_needs *needs = engine->needs;
    return needs->told || (needs->least > 0 && needs->least <= engine->limits.memory);
}

static int64_t all_least(const struct gt_share *shares, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum = gt_bytes_add(sum, shares[i].least);
    return sum;
}

static int64_t all_wanted(const struct gt_share *shares, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum = gt_bytes_add(sum, shares[i].wanted > shares[i].least ? shares[i].wanted : shares[i].least);
    return sum;
}

static int refuse(const struct gt_share *shares, int n, int64_t room, const struct gt_engine *engine, struct gt_err *err)
{
    char memory[GT_NUM_LEN], left[GT_NUM_LEN], need[GT_NUM_LEN], one[GT_NUM_LEN];
    struct gt_str parts = {0};
    for (int i = 0; i < n; i++)
        if (shares[i].least > 0)
            gt_str_addf(&parts, "%s%s for %s", parts.len ? ", " : "", gt_format_size(one, shares[i].least), shares[i].name);
    int status = gt_str_check(&parts, err);
    if (!status) {
        status =
            gt_fail(err, GT_NOFIT, "%s of memory leaves %s for data, but %s is needed: %s", gt_format_size(memory, engine->limits.memory),
                    gt_format_size(left, room > 0 ? room : 0), gt_format_size(need, all_least(shares, n)), parts.s);
        gt_hint(err, "--memory %lldM would do", (long long)gt_shares_memory(engine, all_least(shares, n)));
    }
    gt_str_release(&parts);
    return status;
}

static int64_t lacks(const struct gt_share *share)
{
    return share->wanted > share->size ? share->wanted - share->size : 0;
}

/* Those that want least get it first: every round each gets the same, or what it lacks. */
static void spread(struct gt_share *shares, int n, int64_t rest)
{
    for (;;) {
        int64_t hungry = 0, each;
        for (int i = 0; i < n; i++)
            hungry += lacks(&shares[i]) > 0;
        if (!hungry || (each = rest / hungry) == 0)
            return;
        for (int i = 0; i < n; i++) {
            int64_t more = lacks(&shares[i]) < each ? lacks(&shares[i]) : each;
            shares[i].size += more;
            rest -= more;
        }
    }
}

int gt_shares_settle(struct gt_share *shares, int n, const struct gt_engine *engine, struct gt_err *err)
{
    int64_t room = engine->budget.limit - atomic_load(&engine->budget.used), least = all_least(shares, n);
    gt_shares_note(engine, least, all_wanted(shares, n));
    if (least > room)
        return refuse(shares, n, room, engine, err);
    for (int i = 0; i < n; i++)
        shares[i].size = shares[i].least;
    spread(shares, n, room - least);
    return GT_OK;
}

int gt_shares_metadata(const struct gt_engine *engine, int64_t bytes, struct gt_err *err)
{
    struct gt_share share = {.name = "metadata", .least = bytes};
    int status = gt_shares_settle(&share, 1, engine, err);
    engine->needs->told = status && share.least > GT_PLANNING_BYTES / 2;
    return status;
}
