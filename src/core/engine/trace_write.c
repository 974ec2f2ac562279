#include "config.h"

#include <errno.h>
#include <inttypes.h>

#include "core/engine/trace_impl.h"

/* Sums stand on lines of their own, below those of the threads. */
#define SUMS_LINE 10000
/* Those of streams of devices come after all of threads. */
#define STREAMS_LINE 20000

static void write_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else
            putc(c, file);
    }
    putc('"', file);
}

/* The format's unit is the microsecond. */
static double us(int64_t ns)
{
    return (double)ns / 1e3;
}

static void write_line_name(FILE *file, int process, int line, const char *thread, const char *more)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", thread, more);
    fprintf(file, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":", process, line);
    write_string(file, name);
    fputs("}}", file);
}

/* A slice up to its arguments. */
static void write_slice(FILE *file, int process, int line, const char *name, const char *category, int64_t start, int64_t ns)
{
    fputs(",\n{\"name\":", file);
    write_string(file, name);
    fputs(",\"cat\":", file);
    write_string(file, category);
    fprintf(file, ",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":", process, line, us(start), us(ns));
}

static void write_event(const struct gt_trace_impl *impl, int process, int line, const struct gt_trace_event *e, FILE *file)
{
    const char *flow = impl->stages[e->stage].flow;
    write_slice(file, process, line, e->wait ? "waiting" : impl->stages[e->stage].stage, flow, e->start, e->end - e->start);
    fprintf(file, "{\"ticket\":%" PRId64, e->task);
    if (!e->wait)
        fprintf(file, ",\"tasks\":1,\"worked\":%.3f,\"waited\":%.3f,\"bytes\":%" PRId64, us(e->worked), us(e->waited), e->bytes);
    fputs("}}", file);
}

/* A thread does one thing at a time, so that the work and the waiting of a stretch fit after
 * each other where its first task began. */
static void write_sums(const struct gt_trace_impl *impl, int process, int line, const struct gt_ring *ring, FILE *file)
{
    int64_t at = 0;
    if (!ring->n_sums)
        return;
    write_line_name(file, process, line, ring->thread, ", earlier, summed up");
    for (int i = 0; i < ring->n_sums; i++) {
        const struct gt_trace_sum *sum = &ring->sums[i];
        at = sum->start > at ? sum->start : at;
        write_slice(file, process, line, impl->stages[sum->stage].stage, impl->stages[sum->stage].flow, at, sum->worked + sum->waited);
        fprintf(file, "{\"tasks\":%" PRId64 ",\"worked\":%.3f,\"waited\":%.3f,\"bytes\":%" PRId64 "}}", sum->count, us(sum->worked),
                us(sum->waited), sum->bytes);
        at += sum->worked + sum->waited;
    }
}

static void write_ring(const struct gt_trace_impl *impl, int process, int line, const struct gt_ring *ring, FILE *file)
{
    int64_t n = atomic_load_explicit(&ring->n, memory_order_acquire);
    write_line_name(file, process, line, ring->thread, "");
    for (int64_t i = n > GT_RING_EVENTS ? n - GT_RING_EVENTS : 0; i < n; i++)
        write_event(impl, process, line, &ring->events[i % GT_RING_EVENTS], file);
    write_sums(impl, process, line + SUMS_LINE, ring, file);
}

static void write_rings(struct gt_trace_impl *impl, int process, int first_line, FILE *file)
{
    pthread_mutex_lock(&impl->lock);
    for (const struct gt_ring *ring = impl->rings; ring; ring = ring->next)
        write_ring(impl, process, first_line + ring->number, ring, file);
    pthread_mutex_unlock(&impl->lock);
}

static void write_moment(const struct gt_trace_moment *m, int process, FILE *file)
{
    fprintf(file, ",\n{\"name\":\"memory\",\"ph\":\"C\",\"pid\":%d,\"ts\":%.3f,\"args\":{\"bytes\":%" PRId64 "}}", process, us(m->time),
            m->memory);
    for (int i = 0; i < m->n_queues; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s: tickets", m->queue[i].flow);
        fputs(",\n{\"name\":", file);
        write_string(file, name);
        fprintf(file, ",\"ph\":\"C\",\"pid\":%d,\"ts\":%.3f,\"args\":{\"waiting\":%" PRId64 ",\"others in flight\":%" PRId64 "}}", process,
                us(m->time), m->queue[i].waiting, m->queue[i].in_flight - m->queue[i].waiting);
    }
}

static void write_totals(const struct gt_trace *trace, FILE *file)
{
    struct gt_trace_total totals[GT_TRACE_STAGES];
    int n = gt_trace_totals(trace, totals);
    fputs("\"stages\":[", file);
    for (int i = 0; i < n; i++) {
        fprintf(file, "%s\n{\"flow\":", i ? "," : "");
        write_string(file, totals[i].flow);
        fputs(",\"stage\":", file);
        write_string(file, totals[i].stage);
        fprintf(file, ",\"tasks\":%" PRId64 ",\"worked\":%.3f,\"waited\":%.3f,\"bytes\":%" PRId64 "}", totals[i].count,
                us(totals[i].worked), us(totals[i].waited), totals[i].bytes);
    }
    fputs("],\n", file);
}

int gt_trace_write_events(const struct gt_trace *trace, int process, const char *name, FILE *file, struct gt_err *err)
{
    struct gt_trace_impl *impl = trace->impl;
    fprintf(file, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":", process);
    write_string(file, name);
    fputs("}}", file);
    write_rings(impl, process, 0, file);
    if (impl->streams)
        write_rings(impl->streams, process, STREAMS_LINE, file);
    pthread_mutex_lock(&impl->lock);
    for (int i = 0; i < impl->n_moments; i++)
        write_moment(&impl->moments[i], process, file);
    pthread_mutex_unlock(&impl->lock);
    if (fflush(file) || ferror(file))
        return gt_fail_errno(err, errno, "cannot write the trace");
    return GT_OK;
}

int gt_trace_write(const struct gt_trace *trace, const char *others, FILE *file, struct gt_err *err)
{
    fputs("{\"displayTimeUnit\":\"ms\",", file);
    write_totals(trace, file);
    fputs("\"traceEvents\":[\n", file);
    int status = gt_trace_write_events(trace, 1, others ? "gt-utils, rank 0" : "gt-utils", file, err);
    fprintf(file, "%s\n]}\n", others ? others : "");
    if (!status && (fflush(file) || ferror(file)))
        status = gt_fail_errno(err, errno, "cannot write the trace");
    return status;
}
