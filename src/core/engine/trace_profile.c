/* The trace as figures of a report: sums, and a time axis that is cut into bins. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/engine/trace_impl.h"

#define SHORTEST_BIN_NS 2000000
enum { MOST_BINS = 500, FEWEST_BINS = 50, MOST_CELLS = 20000, MOST_TASKS = 4000, MOST_SAMPLES = 250 };

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* Seconds with the digits that a reader of a report needs. */
static struct json_object *number(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6f", value);
    size_t n = strlen(text);
    while (n && text[n - 1] == '0')
        n--;
    text[n && text[n - 1] == '.' ? n - 1 : n] = '\0';
    return json_object_new_double_s(value, text);
}

/* --- sums ---------------------------------------------------------------------- */

static struct json_object *stage_sums(const struct gt_trace_total *totals, int n)
{
    struct json_object *stages = json_object_new_array();
    bool ok = stages != NULL;
    for (int i = 0; i < n && ok; i++) {
        struct json_object *stage = json_object_new_object();
        ok = gt_json_set(stage, "flow", json_object_new_string(totals[i].flow)) &&
             gt_json_set(stage, "stage", json_object_new_string(totals[i].stage)) &&
             gt_json_set(stage, "tasks", json_object_new_int64(totals[i].count)) &&
             gt_json_set(stage, "worked", number(seconds(totals[i].worked))) &&
             gt_json_set(stage, "waited", number(seconds(totals[i].waited))) &&
             gt_json_set(stage, "longest", number(seconds(totals[i].longest))) &&
             gt_json_set(stage, "bytes", json_object_new_int64(totals[i].bytes));
        ok = gt_json_add(stages, gt_json_if_complete(stage, ok));
    }
    return gt_json_if_complete(stages, ok);
}

static struct json_object *thread_sums(const struct gt_trace_impl *impl, const struct gt_ring *ring)
{
    struct json_object *thread = json_object_new_object(), *stages = json_object_new_array();
    bool ok = stages != NULL;
    for (int i = 0; i < impl->n_stages && ok; i++) {
        if (!atomic_load_explicit(&ring->totals[i].count, memory_order_relaxed))
            continue;
        struct json_object *sum = json_object_new_array();
        ok = gt_json_add(sum, json_object_new_int(i)) &&
             gt_json_add(sum, number(seconds(atomic_load_explicit(&ring->totals[i].worked, memory_order_relaxed)))) &&
             gt_json_add(sum, number(seconds(atomic_load_explicit(&ring->totals[i].waited, memory_order_relaxed))));
        ok = gt_json_add(stages, gt_json_if_complete(sum, ok));
    }
    ok = gt_json_set(thread, "name", json_object_new_string(ring->thread)) &&
         gt_json_set(thread, "cpu", number(seconds(gt_ring_cpu(ring)))) && gt_json_set(thread, "stages", gt_json_if_complete(stages, ok));
    return gt_json_if_complete(thread, ok);
}

/* --- samples -------------------------------------------------------------------- */

static struct json_object *memory_samples(const struct gt_trace_impl *impl, int every)
{
    struct json_object *samples = json_object_new_array();
    bool ok = samples != NULL;
    for (int i = 0; i < impl->n_moments && ok; i += every) {
        struct json_object *sample = json_object_new_array();
        ok = gt_json_add(sample, number(seconds(impl->moments[i].time))) &&
             gt_json_add(sample, json_object_new_int64(impl->moments[i].memory));
        ok = gt_json_add(samples, gt_json_if_complete(sample, ok));
    }
    return gt_json_if_complete(samples, ok);
}

/* The queue of that flow among those of a moment; NULL: it did not run. */
static const struct gt_trace_queue *queue_of(const struct gt_trace_moment *moment, const char *flow)
{
    for (int q = 0; q < moment->n_queues; q++)
        if (!strcmp(moment->queue[q].flow, flow))
            return &moment->queue[q];
    return NULL;
}

static struct json_object *queue_samples(const struct gt_trace_impl *impl, const char *flow, int every)
{
    struct json_object *queue = json_object_new_object(), *samples = json_object_new_array();
    bool ok = samples != NULL;
    for (int i = 0; i < impl->n_moments && ok; i += every) {
        const struct gt_trace_queue *q = queue_of(&impl->moments[i], flow);
        if (!q)
            continue;
        struct json_object *sample = json_object_new_array();
        ok = gt_json_add(sample, number(seconds(impl->moments[i].time))) && gt_json_add(sample, json_object_new_int64(q->in_flight)) &&
             gt_json_add(sample, json_object_new_int64(q->waiting));
        ok = gt_json_add(samples, gt_json_if_complete(sample, ok));
    }
    ok = gt_json_set(queue, "flow", json_object_new_string(flow)) && gt_json_set(queue, "samples", gt_json_if_complete(samples, ok));
    return gt_json_if_complete(queue, ok);
}

static bool is_first_of_flow(const struct gt_trace_impl *impl, int stage)
{
    for (int i = 0; i < stage; i++)
        if (!strcmp(impl->stages[i].flow, impl->stages[stage].flow))
            return false;
    return true;
}

static struct json_object *all_queues(const struct gt_trace_impl *impl, int every)
{
    struct json_object *queues = json_object_new_array();
    bool ok = queues != NULL;
    for (int i = 0; i < impl->n_stages && ok; i++)
        if (is_first_of_flow(impl, i))
            ok = gt_json_add(queues, queue_samples(impl, impl->stages[i].flow, every));
    return gt_json_if_complete(queues, ok);
}

/* --- the time axis ---------------------------------------------------------------- */

/* Work and waiting of one thread, cell[stage][bin]. */
struct axis {
    int64_t bin_ns;
    int bins, stages;
    struct cell {
        double worked, waited; /* ns */
    } * cell;
};

/* Spreads work and waiting evenly over [start, end). */
static void spread(struct axis *axis, int stage, int64_t start, int64_t end, double worked, double waited)
{
    const double length = end > start ? (double)(end - start) : 1;
    for (int64_t bin = start / axis->bin_ns; bin < axis->bins; bin++) {
        const int64_t from = bin * axis->bin_ns, to = from + axis->bin_ns;
        const double part = ((double)(end < to ? end : to) - (double)(start > from ? start : from)) / length;
        struct cell *cell = &axis->cell[(int64_t)stage * axis->bins + bin];
        cell->worked += worked * (end > start ? part : 1);
        cell->waited += waited * (end > start ? part : 1);
        if (end <= to)
            break;
    }
}

/* A wait has an event of its own and is spread by that. */
static void spread_ring(struct axis *axis, const struct gt_ring *ring)
{
    const int64_t n = atomic_load_explicit(&ring->n, memory_order_acquire);
    for (int64_t i = n > GT_RING_EVENTS ? n - GT_RING_EVENTS : 0; i < n; i++) {
        const struct gt_trace_event *e = &ring->events[i % GT_RING_EVENTS];
        spread(axis, e->stage, e->start, e->end, (double)e->worked, e->wait ? (double)e->waited : 0);
    }
    for (int i = 0; i < ring->n_sums; i++) {
        const struct gt_trace_sum *sum = &ring->sums[i];
        const int64_t start = sum->stretch * ring->stretch_ns;
        spread(axis, sum->stage, sum->start < start ? sum->start : start, start + ring->stretch_ns, (double)sum->worked,
               (double)sum->waited);
    }
}

static struct json_object *cells_of(const struct axis *axis)
{
    struct json_object *cells = json_object_new_array();
    bool ok = cells != NULL;
    for (int bin = 0; bin < axis->bins; bin++)
        for (int stage = 0; stage < axis->stages && ok; stage++) {
            const struct cell *c = &axis->cell[(int64_t)stage * axis->bins + bin];
            const long worked = lround(c->worked * 1000 / (double)axis->bin_ns), waited = lround(c->waited * 1000 / (double)axis->bin_ns);
            if (!worked && !waited)
                continue;
            struct json_object *cell = json_object_new_array();
            ok = gt_json_add(cell, json_object_new_int(bin)) && gt_json_add(cell, json_object_new_int(stage)) &&
                 gt_json_add(cell, json_object_new_int64(worked)) && gt_json_add(cell, json_object_new_int64(waited));
            ok = gt_json_add(cells, gt_json_if_complete(cell, ok));
        }
    return gt_json_if_complete(cells, ok);
}

static struct json_object *time_axis(const struct gt_trace_impl *impl, int64_t now)
{
    const int room = MOST_CELLS / (impl->n_rings ? impl->n_rings : 1), most = room < MOST_BINS ? room : MOST_BINS;
    const int64_t fine = now / SHORTEST_BIN_NS; /* a short run is not worth more: its report should cost nothing next to it */
    struct axis axis = {.bins = fine < FEWEST_BINS || most < FEWEST_BINS ? FEWEST_BINS
                                : fine < most                            ? (int)fine
                                                                         : most,
                        .stages = impl->n_stages};
    axis.bin_ns = now / axis.bins + 1;
    axis.cell = calloc((size_t)axis.stages * (size_t)axis.bins + 1, sizeof *axis.cell);
    struct json_object *timeline = json_object_new_object(), *threads = json_object_new_array();
    bool ok = axis.cell && threads;
    for (const struct gt_ring *ring = impl->rings; ring && ok; ring = ring->next) {
        memset(axis.cell, 0, (size_t)axis.stages * (size_t)axis.bins * sizeof *axis.cell);
        spread_ring(&axis, ring);
        ok = gt_json_add(threads, cells_of(&axis));
    }
    free(axis.cell);
    ok = gt_json_set(timeline, "seconds", json_object_new_double(seconds(axis.bin_ns))) &&
         gt_json_set(timeline, "bins", json_object_new_int(axis.bins)) &&
         gt_json_set(timeline, "threads", gt_json_if_complete(threads, ok));
    return gt_json_if_complete(timeline, ok);
}

/* --- single tasks ----------------------------------------------------------------- */

static bool add_tasks(struct json_object *tasks, const struct gt_ring *ring, int thread)
{
    const int64_t n = atomic_load_explicit(&ring->n, memory_order_acquire);
    bool ok = true;
    for (int64_t i = 0; i < n && ok; i++) {
        const struct gt_trace_event *e = &ring->events[i % GT_RING_EVENTS];
        if (e->wait)
            continue;
        struct json_object *task = json_object_new_array();
        ok = gt_json_add(task, json_object_new_int(thread)) && gt_json_add(task, json_object_new_int(e->stage)) &&
             gt_json_add(task, number(seconds(e->start))) && gt_json_add(task, number(seconds(e->end - e->start))) &&
             gt_json_add(task, number(seconds(e->waited))) && gt_json_add(task, json_object_new_int64(e->task));
        ok = gt_json_add(tasks, gt_json_if_complete(task, ok));
    }
    return ok;
}

static struct json_object *all_tasks(const struct gt_trace_impl *impl)
{
    struct json_object *tasks = json_object_new_array();
    int64_t n = 0;
    int thread = 0;
    bool ok = tasks != NULL, all = true;
    for (const struct gt_ring *ring = impl->rings; ring; ring = ring->next) {
        all &= atomic_load_explicit(&ring->n, memory_order_acquire) <= GT_RING_EVENTS;
        for (int i = 0; i < impl->n_stages; i++)
            n += atomic_load_explicit(&ring->totals[i].count, memory_order_relaxed);
    }
    for (const struct gt_ring *ring = impl->rings; ring && ok && all && n <= MOST_TASKS; ring = ring->next)
        ok = add_tasks(tasks, ring, thread++);
    return gt_json_if_complete(tasks, ok);
}

int gt_trace_profile(const struct gt_trace *trace, bool more, struct json_object *to, struct gt_err *err)
{
    struct gt_trace_impl *impl = trace->impl;
    struct gt_trace_total totals[GT_TRACE_STAGES];
    const int n = gt_trace_totals(trace, totals);
    const int64_t now = gt_trace_now(trace);
    struct json_object *threads = json_object_new_array();
    bool ok = threads != NULL;

    pthread_mutex_lock(&impl->lock);
    const int every = impl->n_moments / MOST_SAMPLES + 1;
    for (const struct gt_ring *ring = impl->rings; ring && ok; ring = ring->next)
        ok = gt_json_add(threads, thread_sums(impl, ring));
    ok = gt_json_set(to, "stages", stage_sums(totals, n)) && gt_json_set(to, "threads", gt_json_if_complete(threads, ok)) &&
         gt_json_set(to, "memory", memory_samples(impl, every)) && gt_json_set(to, "queues", all_queues(impl, every));
    if (ok && more)
        ok = gt_json_set(to, "timeline", time_axis(impl, now)) && gt_json_set(to, "tasks", all_tasks(impl));
    pthread_mutex_unlock(&impl->lock);
    return ok ? GT_OK : gt_fail(err, GT_FAIL, "out of memory");
}
