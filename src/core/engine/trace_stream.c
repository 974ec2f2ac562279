/* Streams of devices in a trace: rings of a trace inside it, so that they are in no sum of threads. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/trace_impl.h"

/* The inner trace, whose time begins with the outer one; NULL: out of memory. */
static struct gt_trace_impl *streams_of(struct gt_trace_impl *impl)
{
    pthread_mutex_lock(&impl->lock);
    if (!impl->streams && (impl->streams = calloc(1, sizeof *impl->streams)) != NULL) {
        pthread_mutex_init(&impl->streams->lock, NULL);
        impl->streams->began = impl->began;
    }
    struct gt_trace_impl *streams = impl->streams;
    pthread_mutex_unlock(&impl->lock);
    return streams;
}

struct gt_ring *gt_trace_stream(struct gt_trace *trace, const char *device, const char *name)
{
    struct gt_trace_impl *streams = streams_of(trace->impl);
    char row[sizeof((struct gt_ring *)NULL)->thread];
    if (!streams)
        return NULL;
    snprintf(row, sizeof row, "%s %s", device, name);
    pthread_mutex_lock(&streams->lock);
    struct gt_ring *ring = streams->rings;
    while (ring && (ring->in_use || strcmp(ring->thread, row) != 0))
        ring = ring->next;
    ring = ring ? ring : gt_ring_new(streams);
    if (ring) {
        ring->in_use = true;
        memcpy(ring->thread, row, sizeof row);
    }
    pthread_mutex_unlock(&streams->lock);
    return ring;
}

void gt_trace_stream_work(struct gt_ring *stream, const char *kind, int64_t bytes, int64_t start, int64_t end)
{
    struct gt_trace of = {stream->impl};
    gt_ring_record(stream, &(struct gt_trace_event){.task = atomic_load_explicit(&stream->n, memory_order_relaxed),
                                                    .start = start - of.impl->began,
                                                    .end = end - of.impl->began,
                                                    .worked = end - start,
                                                    .bytes = bytes,
                                                    .stage = gt_trace_stage(&of, "device", kind)});
}

void gt_trace_stream_end(struct gt_ring *stream)
{
    pthread_mutex_lock(&stream->impl->lock);
    stream->in_use = false;
    pthread_mutex_unlock(&stream->impl->lock);
}
