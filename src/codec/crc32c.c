/* crc32c: four bytes, little endian, after the data (v2 also: before it). */
#include "config.h"

#include "codec/step.h"

#include <pthread.h>
#include <string.h>

#include "base/le.h"

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

#define POLY 0x82F63B78u /* Castagnoli, reflected */

static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

/* table[k][b] is the CRC of byte b followed by k zero bytes. */
static void make_table(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLY : 0);
        table[0][b] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int b = 0; b < 256; b++)
            table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
}

uint32_t gt_crc32c_ref(uint32_t crc, const void *data, size_t n)
{
    const uint8_t *p = data;
    pthread_once(&table_once, make_table);
    crc = ~crc;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t x = 0;
        for (int i = 0; i < 8; i++)
            x |= (uint64_t)p[i] << 8 * i;
        x ^= crc;
        crc = 0;
        for (int i = 0; i < 8; i++)
            crc ^= table[7 - i][x >> 8 * i & 255];
    }
    for (; n > 0; n--, p++)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 255];
    return ~crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t crc, const void *data, size_t n)
{
    const uint8_t *p = data;
    uint64_t state = ~crc;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t x;
        memcpy(&x, p, 8);
        state = _mm_crc32_u64(state, x);
    }
    for (; n > 0; n--, p++)
        state = _mm_crc32_u8((uint32_t)state, *p);
    return ~(uint32_t)state;
}
#endif

uint32_t gt_crc32c(uint32_t crc, const void *data, size_t n)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.2"))
        return crc32c_sse42(crc, data, n);
#endif
    return gt_crc32c_ref(crc, data, n);
}

static int parse(struct gt_step *step, struct json_object *conf, int zarr_format, struct gt_codec_array *array, struct gt_err *err)
{
    const char *where;
    (void)zarr_format, (void)array;
    step->writes = false;
    int rc = gt_conf_text(conf, "location", &where, err);
    if (!rc && where && strcmp(where, "start") != 0 && strcmp(where, "end") != 0)
        rc = gt_fail(err, GT_INPUT, "'location' is '%s', neither start nor end", where);
    step->at_start = where && strcmp(where, "start") == 0;
    return rc;
}

static size_t bound(const struct gt_step *step, size_t n, bool *exact)
{
    *exact = step->raw_exact;
    return n + 4;
}

static int encode(const struct gt_step *step, struct gt_view in, struct gt_buf *out, struct gt_err *err)
{
    int rc = gt_step_room(out, in.n + 4, err);
    if (rc)
        return rc;
    uint32_t crc = gt_crc32c(0, in.data, in.n);
    uint8_t *mark = out->data + (step->at_start ? 0 : in.n);
    if (in.n > 0)
        memcpy(out->data + (step->at_start ? 4 : 0), in.data, in.n);
    gt_le_put(mark, crc, 4);
    return 0;
}

static int decode(const struct gt_step *step, struct gt_view *view, struct gt_buf *out, struct gt_err *err)
{
    (void)out;
    if (view->n < 4)
        return gt_fail(err, GT_INPUT, "%zu bytes are too short for a checksum", view->n);
    size_t n = view->n - 4;
    const uint8_t *data = view->data + (step->at_start ? 4 : 0), *mark = step->at_start ? view->data : data + n;
    uint32_t want = gt_le32(mark);
    uint32_t have = gt_crc32c(0, data, n);
    if (have != want)
        return gt_fail(err, GT_INPUT, "checksum is %08x, of the data %08x", want, have);
    *view = (struct gt_view){data, n};
    return gt_step_check_size(step, n, err);
}

const struct gt_codec gt_codec_crc32c = {
    .name = "crc32c", .kind = GT_BYTES_BYTES, .parse = parse, .bound = bound, .encode = encode, .decode = decode};
