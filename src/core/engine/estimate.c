#include "core/engine/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/size.h"
#include "core/engine/comm.h"

/* Where nothing else is given: an MPI that starts at once, a disk in memory or of the fast kind, a link of 10 Gbit/s. */
static const struct gt_rates usual = {.start = 0.3, .read = 2e9, .write = 1e9, .decode = 5e8, .link = 1.25e9, .latency = 5e-5};

enum { CHAIN_RANKS = 4 };

/* --- rates ------------------------------------------------------------------------------- */

struct name {
    const char *text;
    size_t at;
};

#define RATES "start, read, decode, compute, link, latency, finish, write"
static const struct name names[] = {{"start", offsetof(struct gt_rates, start)},   {"read", offsetof(struct gt_rates, read)},
                                    {"decode", offsetof(struct gt_rates, decode)}, {"compute", offsetof(struct gt_rates, compute)},
                                    {"link", offsetof(struct gt_rates, link)},     {"latency", offsetof(struct gt_rates, latency)},
                                    {"finish", offsetof(struct gt_rates, last)},   {"write", offsetof(struct gt_rates, write)}};

static double *find(struct gt_rates *rates, const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].text) == len && !memcmp(names[i].text, text, len))
            return (double *)(void *)((char *)rates + names[i].at);
    return NULL;
}

static int parse_one(struct gt_rates *rates, const char *text, size_t len, struct gt_err *err)
{
    const char *equals = memchr(text, '=', len);
    double *to = equals ? find(rates, text, (size_t)(equals - text)) : NULL;
    char number[64] = "";
    struct gt_err inner = {0};
    const size_t digits = equals ? len - (size_t)(equals + 1 - text) : 0;
    if (to && digits < sizeof number)
        memcpy(number, equals + 1, digits);
    if (!to || gt_parse_double(number, to, &inner) || !(*to > 0)) {
        gt_fail(err, GT_USAGE, "environment variable GT_RATES: '%.*s' is not a NAME=NUMBER above 0", (int)len, text);
        gt_hint(err, "NAME is one of " RATES);
        return GT_USAGE;
    }
    return GT_OK;
}

int gt_rates_parse(struct gt_rates *rates, const char *text, struct gt_err *err)
{
    int status = GT_OK;
    *rates = (struct gt_rates){0};
    while (text && *text && !status) {
        const size_t len = strcspn(text, ",");
        status = parse_one(rates, text, len, err);
        text += len + (text[len] == ',');
    }
    return status;
}

int gt_rates_get(struct gt_rates *rates, struct gt_err *err)
{
    return gt_rates_parse(rates, getenv("GT_RATES"), err);
}

/* --- the sum ------------------------------------------------------------------------------ */

static double or_else(double given, double otherwise)
{
    return given > 0 ? given : otherwise;
}

static double over(double amount, double rate)
{
    return amount > 0 ? amount / rate : 0;
}

void gt_estimate_make(struct gt_estimate *estimate, const struct gt_work *work, const struct gt_rates *given, int ranks, double cores)
{
    const struct gt_rates rates = {.start = or_else(given->start, usual.start),
                                   .read = or_else(given->read, usual.read),
                                   .write = or_else(given->write, usual.write),
                                   .decode = or_else(given->decode, usual.decode),
                                   .compute = or_else(given->compute, work->rate),
                                   .last = or_else(given->last, work->last_rate),
                                   .link = or_else(given->link, usual.link),
                                   .latency = or_else(given->latency, usual.latency)};
    *estimate = (struct gt_estimate){.start = ranks > 1 ? rates.start : 0,
                                     .read = over(work->reads, rates.read),
                                     .decode = over(work->decodes, rates.decode * cores),
                                     .compute = over(work->operations, rates.compute * cores),
                                     .send = over(work->moved, rates.link),
                                     .latency = work->messages * rates.latency,
                                     .finish = over(work->last, rates.last * fmin(cores, work->last_threads)),
                                     .write = over(work->writes, rates.write),
                                     .rates = rates};
    estimate->total = estimate->start + fmax(estimate->read, estimate->decode + estimate->compute) + estimate->send + estimate->latency +
                      estimate->finish + estimate->write;
}

/* --- collective operations ------------------------------------------------------------------ */

double gt_estimate_collective(double bytes, int ranks)
{
    return ranks == 1 ? 0 : ranks <= CHAIN_RANKS ? bytes : bytes * ceil(log2(ranks));
}

double gt_estimate_messages(double bytes, int ranks)
{
    return ranks == 1 || !(bytes > 0) ? 0 : ceil(bytes / (double)GT_COMM_BLOCK) * ceil(log2(ranks));
}
