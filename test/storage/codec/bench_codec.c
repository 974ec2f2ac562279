/* What gt-rechunk has to do at least: the items of chunks of one shape decoded, and encoded as chunks of another, in memory, by
 * so many threads, each with buffers that it has touched before.  Not a test.
 *
 *     bench_codec [SPEC [OTHER [CHUNK [MB [THREADS]]]]]
 *
 * int8 items of 0 to 2, at random: chunks of 10 MB of the one, of CHUNK MB (1, 2, 5, 10) of the other; default
 * blosc:lz4:5:bitshuffle, the same, 2, 2000, 2. */
#include <json-c/json.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "storage/codec/codec.h"
#include "test/support/clock.h"

enum { DECODED = 10000000, KINDS = 16 };

struct job {
    struct gt_codec_chain *from, *to;
    struct gt_buf stored[KINDS]; /* chunks; there are no more different ones */
    int64_t bytes;               /* for this thread */
    size_t chunk;                /* of what is encoded */
    bool encode;
    int status;
};

static struct gt_codec_chain *chain_of(const char *spec, size_t n)
{
    struct gt_codec_array array = {.item_size = 1, .type = GT_I8, .n_items = n, .zarr_format = 2};
    struct json_object *filters = NULL, *compressor = NULL;
    struct gt_codec_chain *chain = NULL;
    struct gt_err err = {0};
    if (gt_codec_spec_v2(spec, &array, &filters, &compressor, &err) || gt_codec_parse_v2(&chain, filters, compressor, &array, &err)) {
        fprintf(stderr, "bench_codec: %s\n", err.msg);
        exit(2);
    }
    json_object_put(filters);
    json_object_put(compressor);
    return chain;
}

static void *run(void *data)
{
    struct job *job = data;
    struct gt_buf items = {0}, out = {0}, scratch[2] = {{0}};
    struct gt_err err = {0};
    for (int64_t i = 0; i * DECODED < job->bytes && !job->encode && !job->status; i++)
        job->status = gt_codec_decode(job->from, job->stored[i % KINDS].data, job->stored[i % KINDS].len, &items, scratch, &err);
    if (job->encode)
        job->status = gt_codec_decode(job->from, job->stored[0].data, job->stored[0].len, &items, scratch, &err);
    for (int64_t i = 0; i * (int64_t)job->chunk < job->bytes && job->encode && !job->status; i++) {
        struct gt_buf chunk = {.data = items.data + (size_t)i % (DECODED / job->chunk) * job->chunk, .len = job->chunk};
        job->status = gt_codec_encode(job->to, &chunk, &out, scratch, &err);
    }
    if (job->status)
        fprintf(stderr, "bench_codec: %s\n", err.msg);
    gt_buf_release(&items), gt_buf_release(&out), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
    return NULL;
}

/* Seconds of all threads. */
static double time_of(struct job *job, int64_t bytes, int threads, bool encode)
{
    pthread_t thread[64];
    struct job each = *job;
    each.bytes = bytes / threads;
    each.encode = encode;
    double began = now();
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, run, &each);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    return now() - began;
}

int main(int argc, char **argv)
{
    const char *from = argc > 1 ? argv[1] : "blosc:lz4:5:bitshuffle", *to = argc > 2 ? argv[2] : from;
    const int64_t bytes = (argc > 4 ? strtoll(argv[4], NULL, 10) : 2000) * 1000000;
    const size_t chunk = (size_t)(argc > 3 ? atoi(argv[3]) : 2) * 1000000;
    const int threads = argc > 5 ? atoi(argv[5]) % 64 : 2;
    if (chunk == 0 || chunk > DECODED)
        return 2;
    struct job job = {.from = chain_of(from, DECODED), .to = chain_of(to, chunk), .chunk = chunk};
    struct gt_buf items = {0}, scratch[2] = {{0}};
    struct gt_err err = {0};
    uint64_t x = 88172645463325252u;
    double best[2] = {1e9, 1e9};
    gt_buf_resize(&items, DECODED, &err);
    for (int k = 0; k < KINDS; k++) {
        for (size_t i = 0; i < DECODED; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            items.data[i] = (uint8_t)((x >> 32) % 3);
        }
        gt_codec_encode(job.from, &items, &job.stored[k], scratch, &err);
    }
    for (int rep = 0; rep < 5; rep++)
        for (int encode = 0; encode < 2; encode++) {
            double took = time_of(&job, bytes, threads > 0 ? threads : 1, encode);
            best[encode] = took < best[encode] ? took : best[encode];
        }
    printf("%s to %s, %lld MB, %d threads: decoded in %.3f s, encoded in %.3f s, both %.3f s\n", from, to, (long long)(bytes / 1000000),
           threads, best[0], best[1], best[0] + best[1]);
    for (int k = 0; k < KINDS; k++)
        gt_buf_release(&job.stored[k]);
    gt_buf_release(&items), gt_buf_release(&scratch[0]), gt_buf_release(&scratch[1]);
    gt_codec_free(job.from);
    gt_codec_free(job.to);
    return job.status;
}
