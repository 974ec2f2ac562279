/* The trace as figures of a report: sums, and a time axis that is cut into bins. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/trace_impl.h"

#define SHORTEST_BIN_NS 2000000
enum { MOST_BINS = 500, FEWEST_BINS = 50, LEAST_BINS = 8, MOST_CELLS = 20000, MOST_TASKS = 4000, MOST_SAMPLES = 250, MOST_ROWS = 1000 };

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* The threads of a report, or streams of a device: each ring, or where all ranks together have too many, all rings of this rank as one. */
struct rows {
    struct gt_trace_impl *impl;
    int ranks;
    bool together, streams;
    const char *what; /* "threads", "streams" */
};

static struct rows rows_of(struct gt_trace_impl *impl, int ranks, bool streams)
{
    return (struct rows){impl, ranks, (int64_t)impl->n_rings * ranks > MOST_ROWS, streams, streams ? "streams" : "threads"};
}

/* The ring after those of a row. */
static const struct gt_ring *next_row(const struct rows *rows, const struct gt_ring *ring)
{
    return rows->together ? NULL : ring->next;
}

/* --- lists of numbers ------------------------------------------------------------ */

/* A list is printed at once: each value ends with a comma, in whose place the end of the list comes. */
static void begin_list(struct gt_str *out)
{
    gt_str_add(out, "[");
}

static void end_list(struct gt_str *out)
{
    if (out->len && out->s[out->len - 1] == ',')
        out->len--;
    gt_str_add(out, "],");
}

/* The outermost list ends; out is released. */
static struct json_object *whole_list(struct gt_str *out)
{
    end_list(out);
    if (out->len)
        out->s[--out->len] = '\0';
    return gt_json_printed(out);
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
             gt_json_set(stage, "worked", gt_json_seconds(seconds(totals[i].worked))) &&
             gt_json_set(stage, "waited", gt_json_seconds(seconds(totals[i].waited))) &&
             gt_json_set(stage, "longest", gt_json_seconds(seconds(totals[i].longest))) &&
             gt_json_set(stage, "bytes", json_object_new_int64(totals[i].bytes));
        ok = gt_json_add(stages, gt_json_if_complete(stage, ok));
    }
    return gt_json_if_complete(stages, ok);
}

static struct json_object *row_stages(const struct rows *rows, const struct gt_ring *first)
{
    struct json_object *stages = json_object_new_array();
    bool ok = stages != NULL;
    for (int i = 0; i < rows->impl->n_stages && ok; i++) {
        int64_t count = 0, worked = 0, waited = 0;
        for (const struct gt_ring *ring = first; ring != next_row(rows, first); ring = ring->next) {
            count += atomic_load_explicit(&ring->totals[i].count, memory_order_relaxed);
            worked += atomic_load_explicit(&ring->totals[i].worked, memory_order_relaxed);
            waited += atomic_load_explicit(&ring->totals[i].waited, memory_order_relaxed);
        }
        if (!count)
            continue;
        struct json_object *sum = json_object_new_array();
        ok = gt_json_add(sum, json_object_new_int(i)) && gt_json_add(sum, gt_json_seconds(seconds(worked))) &&
             gt_json_add(sum, gt_json_seconds(seconds(waited)));
        ok = gt_json_add(stages, gt_json_if_complete(sum, ok));
    }
    return gt_json_if_complete(stages, ok);
}

static struct json_object *row_sums(const struct rows *rows, const struct gt_ring *first)
{
    struct json_object *thread = json_object_new_object();
    int64_t cpu = 0;
    for (const struct gt_ring *ring = first; ring != next_row(rows, first); ring = ring->next)
        cpu += gt_ring_cpu(ring);
    bool ok = gt_json_set(thread, "name",
                          json_object_new_string(!rows->together ? first->thread
                                                 : rows->streams ? "all streams"
                                                                 : "all threads")) &&
              (rows->streams || gt_json_set(thread, "cpu", gt_json_seconds(seconds(cpu)))) &&
              gt_json_set(thread, "stages", row_stages(rows, first));
    if (ok && rows->together)
        ok = gt_json_set_int(thread, rows->what, rows->impl->n_rings);
    return gt_json_if_complete(thread, ok);
}

/* --- samples -------------------------------------------------------------------- */

static struct json_object *memory_samples(const struct gt_trace_impl *impl, int every)
{
    struct gt_str samples = {0};
    begin_list(&samples);
    for (int i = 0; i < impl->n_moments; i += every) {
        gt_json_print_numbers(&samples, (const int64_t[]){impl->moments[i].time, impl->moments[i].memory}, 2, 1u);
    }
    return whole_list(&samples);
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
    struct json_object *queue = json_object_new_object();
    struct gt_str samples = {0};
    begin_list(&samples);
    for (int i = 0; i < impl->n_moments; i += every) {
        const struct gt_trace_queue *q = queue_of(&impl->moments[i], flow);
        if (q)
            gt_json_print_numbers(&samples, (const int64_t[]){impl->moments[i].time, q->in_flight, q->waiting, q->memory}, 4, 1u);
    }
    const bool ok = gt_json_set(queue, "flow", json_object_new_string(flow)) && gt_json_set(queue, "samples", whole_list(&samples));
    gt_str_release(&samples);
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
        double bytes;
    } * cell;
};

/* Spreads work, waiting and bytes evenly over [start, end). */
static void spread(struct axis *axis, int stage, int64_t start, int64_t end, const struct cell *what)
{
    const double length = end > start ? (double)(end - start) : 1;
    for (int64_t bin = start / axis->bin_ns; bin < axis->bins; bin++) {
        const int64_t from = bin * axis->bin_ns, to = from + axis->bin_ns;
        const double part = ((double)(end < to ? end : to) - (double)(start > from ? start : from)) / length;
        struct cell *cell = &axis->cell[(int64_t)stage * axis->bins + bin];
        cell->worked += what->worked * (end > start ? part : 1);
        cell->waited += what->waited * (end > start ? part : 1);
        cell->bytes += what->bytes * (end > start ? part : 1);
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
        spread(axis, e->stage, e->start, e->end, &(struct cell){(double)e->worked, e->wait ? (double)e->waited : 0, (double)e->bytes});
    }
    for (int i = 0; i < ring->n_sums; i++) {
        const struct gt_trace_sum *sum = &ring->sums[i];
        const int64_t start = sum->stretch * ring->stretch_ns;
        spread(axis, sum->stage, sum->start < start ? sum->start : start, start + ring->stretch_ns,
               &(struct cell){(double)sum->worked, (double)sum->waited, (double)sum->bytes});
    }
}

/* shared_by: threads whose sums these are. */
static void add_cells(struct gt_str *out, const struct axis *axis, int shared_by)
{
    const double whole = (double)axis->bin_ns * shared_by;
    begin_list(out);
    for (int bin = 0; bin < axis->bins; bin++)
        for (int stage = 0; stage < axis->stages; stage++) {
            const struct cell *c = &axis->cell[(int64_t)stage * axis->bins + bin];
            if (c->worked + c->waited <= 0)
                continue;
            const long worked = lround(c->worked * 1000 / whole), waited = lround(c->waited * 1000 / whole);
            if (worked || waited)
                gt_json_print_numbers(out, (const int64_t[]){bin, stage, worked, waited}, 4, 0);
        }
    end_list(out);
}

/* Bytes of all threads. */
static struct json_object *bytes_of(const struct axis *axis, const double *bytes)
{
    struct gt_str cells = {0};
    begin_list(&cells);
    for (int bin = 0; bin < axis->bins; bin++)
        for (int stage = 0; stage < axis->stages; stage++) {
            const int64_t n = (int64_t)(bytes[(int64_t)stage * axis->bins + bin] + 0.5);
            if (n)
                gt_json_print_numbers(&cells, (const int64_t[]){bin, stage, n}, 3, 0);
        }
    return whole_list(&cells);
}

/* As many as there is room for; fewer for a short run, whose report should cost nothing next to it. */
static int count_bins(const struct rows *rows, int64_t now)
{
    const int n = rows->together || !rows->impl->n_rings ? 1 : rows->impl->n_rings;
    const int64_t room = gt_max_i64(MOST_CELLS / ((int64_t)n * rows->ranks), LEAST_BINS);
    return (int)gt_min_i64(gt_min_i64(room, MOST_BINS), gt_max_i64(now / SHORTEST_BIN_NS, FEWEST_BINS));
}

static struct json_object *time_axis(const struct rows *rows, int64_t now)
{
    const struct gt_trace_impl *impl = rows->impl;
    struct axis axis = {.bins = count_bins(rows, now), .stages = impl->n_stages};
    axis.bin_ns = now / axis.bins + 1;
    const size_t n = (size_t)axis.stages * (size_t)axis.bins;
    axis.cell = calloc(n + 1, sizeof *axis.cell);
    double *bytes = calloc(n + 1, sizeof *bytes);
    struct json_object *timeline = json_object_new_object();
    struct gt_str threads = {0};
    const bool room = axis.cell && bytes;
    begin_list(&threads);
    for (const struct gt_ring *row = impl->rings; row && room; row = next_row(rows, row)) {
        memset(axis.cell, 0, n * sizeof *axis.cell);
        for (const struct gt_ring *ring = row; ring != next_row(rows, row); ring = ring->next)
            spread_ring(&axis, ring);
        add_cells(&threads, &axis, rows->together ? impl->n_rings : 1);
        for (size_t i = 0; i < n; i++)
            bytes[i] += axis.cell[i].bytes;
    }
    const bool ok = gt_json_set(timeline, "seconds", json_object_new_double(seconds(axis.bin_ns))) &&
                    gt_json_set(timeline, "bins", json_object_new_int(axis.bins)) &&
                    gt_json_set(timeline, rows->what, whole_list(&threads)) &&
                    gt_json_set(timeline, "bytes", room ? bytes_of(&axis, bytes) : NULL);
    gt_str_release(&threads);
    free(axis.cell);
    free(bytes);
    return gt_json_if_complete(timeline, ok);
}

/* --- single tasks ----------------------------------------------------------------- */

static void add_tasks(struct gt_str *tasks, const struct gt_ring *ring, int thread)
{
    const int64_t n = atomic_load_explicit(&ring->n, memory_order_acquire);
    for (int64_t i = 0; i < n; i++) {
        const struct gt_trace_event *e = &ring->events[i % GT_RING_EVENTS];
        if (!e->wait)
            gt_json_print_numbers(tasks, (const int64_t[]){thread, e->stage, e->start, e->end - e->start, e->waited, e->task}, 6, 7u << 2);
    }
}

static struct json_object *all_tasks(const struct rows *rows)
{
    const struct gt_trace_impl *impl = rows->impl;
    struct gt_str tasks = {0};
    int64_t n = 0;
    int thread = 0;
    bool all = !rows->together;
    for (const struct gt_ring *ring = impl->rings; ring; ring = ring->next) {
        all &= atomic_load_explicit(&ring->n, memory_order_acquire) <= GT_RING_EVENTS;
        for (int i = 0; i < impl->n_stages; i++)
            n += atomic_load_explicit(&ring->totals[i].count, memory_order_relaxed);
    }
    begin_list(&tasks);
    for (const struct gt_ring *ring = impl->rings; ring && all && n <= MOST_TASKS / rows->ranks; ring = ring->next)
        add_tasks(&tasks, ring, thread++);
    return whole_list(&tasks);
}

/* Sums and, with `more`, the time axis and single tasks of threads, or of streams. */
static bool set_rows(struct json_object *to, struct gt_trace_impl *impl, bool more, int ranks, bool streams)
{
    struct gt_trace_total totals[GT_TRACE_STAGES];
    const struct gt_trace trace = {impl};
    const int n = gt_trace_totals(&trace, totals);
    const int64_t now = gt_trace_now(&trace);
    struct json_object *list = json_object_new_array();
    bool ok = list != NULL;

    pthread_mutex_lock(&impl->lock);
    const struct rows rows = rows_of(impl, ranks, streams);
    for (const struct gt_ring *row = impl->rings; row && ok; row = next_row(&rows, row))
        ok = gt_json_add(list, row_sums(&rows, row));
    ok = gt_json_set(to, "stages", stage_sums(totals, n)) && gt_json_set(to, rows.what, gt_json_if_complete(list, ok));
    if (ok && more)
        ok = gt_json_set(to, "timeline", time_axis(&rows, now)) && gt_json_set(to, "tasks", all_tasks(&rows));
    pthread_mutex_unlock(&impl->lock);
    return ok;
}

static bool set_devices(struct json_object *to, struct gt_trace_impl *streams, bool more, int ranks)
{
    struct json_object *devices = json_object_new_array(), *device = json_object_new_object();
    const bool ok = set_rows(device, streams, more, ranks, true), added = gt_json_add(devices, gt_json_if_complete(device, ok));
    return gt_json_set(to, "devices", gt_json_if_complete(devices, added));
}

int gt_trace_profile(const struct gt_trace *trace, bool more, int ranks, struct json_object *to, struct gt_err *err)
{
    struct gt_trace_impl *impl = trace->impl;
    bool ok = set_rows(to, impl, more, ranks, false);
    pthread_mutex_lock(&impl->lock);
    struct gt_trace_impl *streams = impl->streams;
    const int every = impl->n_moments / (int)gt_max_i64(MOST_SAMPLES / ranks, LEAST_BINS) + 1;
    ok = ok && gt_json_set(to, "memory", memory_samples(impl, every)) && gt_json_set(to, "queues", all_queues(impl, every));
    pthread_mutex_unlock(&impl->lock);
    ok = ok && (!streams || set_devices(to, streams, more, ranks));
    return ok ? GT_OK : gt_fail(err, GT_FAIL, "out of memory");
}
