#include "config.h"

#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>
#include <zstd.h>

#include "storage/codec/step.h"

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static int key_failed;

static void thread_free(void *p)
{
    struct gt_codec_thread *thread = p;
    ZSTD_freeCCtx(thread->compress);
    ZSTD_freeDCtx(thread->decompress);
    libdeflate_free_compressor(thread->deflate);
    libdeflate_free_decompressor(thread->inflate);
    free(thread->aside);
    free(thread);
}

static void make_key(void)
{
    key_failed = pthread_key_create(&key, thread_free);
}

struct gt_codec_thread *gt_codec_thread(void)
{
    pthread_once(&key_once, make_key);
    if (key_failed)
        return NULL;
    struct gt_codec_thread *thread = pthread_getspecific(key);
    if (!thread && (thread = calloc(1, sizeof *thread)) != NULL && pthread_setspecific(key, thread) != 0) {
        free(thread);
        thread = NULL;
    }
    return thread;
}
