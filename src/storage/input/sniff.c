#include "config.h"

#include "storage/input/sniff.h"

#include <string.h>
#include <zlib.h>

#include "core/base/mem.h"

static bool starts(const uint8_t *data, size_t n, const char *with, size_t len)
{
    return n >= len && memcmp(data, with, len) == 0;
}

bool gt_sniff_geno(const uint8_t *data, size_t n)
{
    size_t i = 0;
    while (i < n && (data[i] <= '2' ? data[i] >= '0' : data[i] == '9'))
        i++;
    return i > 0 && (i == n || data[i] == '\n' || data[i] == '\r');
}

bool gt_sniff_tar(const uint8_t *data, size_t n)
{
    enum { BLOCK = 512, SUM_AT = 148, SUM_LEN = 8 };
    long sum = 0, want = 0;
    bool digits = false;
    if (n < BLOCK)
        return false;
    for (int i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM_LEN ? ' ' : data[i];
    for (int i = 0; i < SUM_LEN; i++) {
        int c = data[SUM_AT + i];
        if (c >= '0' && c <= '7')
            want = want * 8 + (c - '0'), digits = true;
        else if (digits || c != ' ')
            break;
    }
    return digits && want == sum;
}

/* A gzip member with the extra field "BC" of a BGZF block. */
static bool is_bgzf(const uint8_t *data, size_t n)
{
    if (n < 18 || !(data[3] & 4))
        return false;
    size_t end = 12 + data[10] + 256u * data[11];
    for (size_t at = 12; at + 4 <= end && at + 4 <= n; at += 4 + data[at + 2] + 256u * data[at + 3])
        if (data[at] == 'B' && data[at + 1] == 'C' && data[at + 2] == 2 && data[at + 3] == 0)
            return true;
    return false;
}

int gt_sniff_inflate(const uint8_t *data, size_t n, uint8_t *out, size_t room, size_t *got, struct gt_err *err)
{
    z_stream z = {.next_in = (uint8_t *)(uintptr_t)data, .avail_in = (uInt)n, .next_out = out, .avail_out = (uInt)room};
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return gt_no_memory(err);
    int rc = Z_OK;
    while (rc == Z_OK && z.avail_out > 0 && z.avail_in > 0) {
        rc = inflate(&z, Z_SYNC_FLUSH);
        if (rc == Z_STREAM_END) /* an empty block before it */
            rc = inflateReset(&z);
    }
    inflateEnd(&z);
    *got = room - z.avail_out;
    return rc == Z_MEM_ERROR ? gt_no_memory(err) : 0;
}

static int sniff_gzip(const uint8_t *data, size_t n, enum gt_input_kind *kind, struct gt_err *err)
{
    uint8_t inside[32];
    size_t got = 0;
    int rc = gt_sniff_inflate(data, n, inside, sizeof inside, &got, err);
    if (starts(inside, got, "BCF\2", 4))
        *kind = GT_KIND_BCF;
    else if (starts(inside, got, "##fileformat=VCF", 16))
        *kind = is_bgzf(data, n) ? GT_KIND_VCF_BGZF : GT_KIND_VCF_GZIP;
    return rc;
}

static enum gt_input_kind sniff_bare(const uint8_t *data, size_t n)
{
    if (starts(data, n, "PK\3\4", 4) || starts(data, n, "PK\5\6", 4))
        return GT_KIND_ZIP;
    if (starts(data, n, "\x93NUMPY", 6))
        return GT_KIND_NPY;
    if (starts(data, n, "\x6c\x1b", 2) && n > 2 && data[2] < 2)
        return GT_KIND_BED;
    if (starts(data, n, "\x6c\x1b", 2) && n > 2)
        return GT_KIND_PGEN;
    if (starts(data, n, "BCF\2", 4))
        return GT_KIND_BCF;
    if (starts(data, n, "##fileformat=VCF", 16))
        return GT_KIND_VCF;
    if (gt_sniff_tar(data, n) || (n >= 262 && memcmp(data + 257, "ustar", 5) == 0))
        return GT_KIND_TAR;
    if (starts(data, n, "GENO ", 5) || starts(data, n, "TGENO ", 6))
        return GT_KIND_EIGENSTRAT;
    return GT_KIND_UNKNOWN;
}

int gt_sniff(const uint8_t *data, size_t n, enum gt_input_kind *kind, struct gt_err *err)
{
    *kind = sniff_bare(data, n);
    return starts(data, n, "\x1f\x8b", 2) ? sniff_gzip(data, n, kind, err) : 0;
}
