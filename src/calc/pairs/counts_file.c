#include "calc/pairs/counts_file.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "calc/pairs/pair_count.h"
#include "core/base/le.h"
#include "core/base/size.h"

static const char magic[8] = "\x93"
                             "GTPAIRS";
enum { VERSION = 2, FIXED = 88, ALIGN = 64, DIGEST = 8 };

int gt_counts_width(int64_t sites)
{
    enum { MOST = 9 }; /* that a site adds */
    return sites <= INT32_MAX / MOST ? 4 : 8;
}

int gt_counts_bits(const char *plane)
{
    for (int k = GT_COUNT_NONE + 1; k < GT_COUNTS; k++)
        if (strcmp(gt_count_name((enum gt_count)k), plane) == 0)
            return gt_count_plane((enum gt_count)k, GT_MISSING_RESCALE).terms ? 1 - ilogb(GT_SITE_UNIT) : 0;
    return 0;
}

int64_t gt_counts_head_bytes(const struct gt_counts_head *head)
{
    return gt_ceil_div(FIXED + (int64_t)head->n_planes * GT_COUNTS_NAME + head->ids_bytes + head->ranges_bytes, ALIGN) * ALIGN;
}

int64_t gt_counts_data_bytes(const struct gt_counts_head *head)
{
    return gt_counts_before(head, head->last) * head->width;
}

static int put_head(struct gt_buf *out, struct gt_counts_head *head, const struct gt_strs *ids, const struct gt_buf *ranges,
                    struct gt_err *err)
{
    head->ids_bytes = 0;
    head->ranges_bytes = (int64_t)ranges->len;
    for (size_t i = 0; i < ids->n; i++)
        head->ids_bytes += (int64_t)strlen(gt_strs_get(ids, i)) + 1;
    int status = gt_buf_resize(out, (size_t)gt_counts_head_bytes(head), err);
    if (status)
        return status;
    memset(out->data, 0, out->len);
    memcpy(out->data, magic, sizeof magic);
    uint8_t *at = gt_le_put(out->data + sizeof magic, VERSION, 4);
    at = gt_le_put(at, head->flags, 4);
    const uint64_t wide[] = {(uint64_t)head->samples, (uint64_t)head->first, (uint64_t)head->last, (uint64_t)head->sites, head->digest};
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
        at = gt_le_put(at, wide[k], 8);
    at = gt_le_put(at, (uint64_t)head->n_planes, 4);
    at = gt_le_put(at, (uint64_t)head->width, 4);
    at = gt_le_put(at, (uint64_t)head->ids_bytes, 8);
    at = gt_le_put(at, (uint64_t)head->n_ranges, 8);
    at = gt_le_put(at, (uint64_t)head->ranges_bytes, 8);
    for (int k = 0; k < head->n_planes; k++, at += GT_COUNTS_NAME)
        memcpy(at, head->plane[k], GT_COUNTS_NAME);
    for (size_t i = 0; i < ids->n; i++) {
        size_t n = strlen(gt_strs_get(ids, i)) + 1;
        memcpy(at, gt_strs_get(ids, i), n);
        at += n;
    }
    if (ranges->len)
        memcpy(at, ranges->data, ranges->len);
    return GT_OK;
}

int gt_counts_put_head(struct gt_buf *out, struct gt_counts_head *head, const struct gt_strs *ids, const struct gt_variant_ranges *ranges,
                       struct gt_err *err)
{
    struct gt_buf bytes = {.budget = out->budget};
    int status = ranges ? gt_variant_ranges_put(ranges, &bytes, err) : GT_OK;
    head->n_ranges = ranges ? (int64_t)gt_variant_ranges_n(ranges) : 0;
    if (!status)
        status = put_head(out, head, ids, &bytes, err);
    gt_buf_release(&bytes);
    return status;
}

/* --- reading -------------------------------------------------------------------- */

static int read_all(int fd, void *to, size_t n, const char *name, struct gt_err *err)
{
    for (ssize_t got; n; n -= (size_t)got, to = (char *)to + got) {
        do
            got = read(fd, to, n);
        while (got < 0 && errno == EINTR);
        if (got < 0)
            return gt_fail_errno(err, errno, "cannot read '%s'", name);
        if (got == 0)
            return gt_fail(err, GT_INPUT, "'%s' is truncated or damaged", name);
    }
    return GT_OK;
}

static bool below(int64_t x, int64_t end)
{
    return x >= 0 && x < end;
}

/* Do the numbers make sense together?  Then no size made of them overflows. */
static bool is_sound(const struct gt_counts_head *head, int64_t size)
{
    const int64_t numbers = INT64_C(1) << 50;
    return below(head->samples, INT32_MAX) && below(head->last, head->samples + 1) && below(head->first, head->last + 1) &&
           head->sites >= 0 && head->n_planes >= 1 && head->n_planes <= GT_MAX_PLANES && (head->width == 4 || head->width == 8) &&
           below(head->ids_bytes, size) && below(head->ranges_bytes, size) && below(head->n_ranges, size) &&
           head->ids_bytes >= head->samples && gt_counts_before(head, head->last) < numbers &&
           gt_counts_head_bytes(head) + gt_counts_data_bytes(head) + DIGEST == size;
}

static int take_names(struct gt_counts_head *head, const uint8_t *at, const char *name, struct gt_err *err)
{
    for (int k = 0; k < head->n_planes; k++, at += GT_COUNTS_NAME) {
        memcpy(head->plane[k], at, GT_COUNTS_NAME);
        if (!head->plane[k][0] || head->plane[k][GT_COUNTS_NAME - 1])
            return gt_fail(err, GT_INPUT, "'%s' is damaged: its counts have no name", name);
    }
    return GT_OK;
}

static int take_ids(const struct gt_counts_head *head, const char *at, const char *name, struct gt_strs *ids, struct gt_err *err)
{
    const char *end = at + head->ids_bytes;
    int status = end[-1] && head->samples ? GT_INPUT : GT_OK;
    for (int64_t i = 0; !status && i < head->samples; i++) {
        size_t n = at < end ? strlen(at) : 0;
        status = at < end ? gt_strs_add(ids, at, n, err) : GT_INPUT;
        at += n + 1;
    }
    if (status == GT_INPUT || (!status && at != end))
        return gt_fail(err, GT_INPUT, "'%s' is damaged: it does not have %lld ids", name, (long long)head->samples);
    return status;
}

int gt_counts_get_head(int fd, int64_t size, const char *name, struct gt_counts_head *head, struct gt_strs *ids,
                       struct gt_variant_ranges *ranges, struct gt_err *err)
{
    uint8_t fixed[FIXED] = {0};
    struct gt_buf rest = {.budget = ids->budget};
    int status = size < FIXED ? GT_OK : read_all(fd, fixed, sizeof fixed, name, err);
    if (status)
        return status;
    if (memcmp(fixed, magic, sizeof magic) != 0)
        return gt_fail(err, GT_INPUT, "'%s' is not a file of pair counts (gt-pdist -O counts)", name);
    if (gt_le32(fixed + 8) != VERSION)
        return gt_fail_unsupported(err, "'%s' has version %u of the format; this program reads version %d", name, gt_le32(fixed + 8),
                                   VERSION);
    *head = (struct gt_counts_head){.flags = gt_le32(fixed + 12),
                                    .samples = (int64_t)gt_le64(fixed + 16),
                                    .first = (int64_t)gt_le64(fixed + 24),
                                    .last = (int64_t)gt_le64(fixed + 32),
                                    .sites = (int64_t)gt_le64(fixed + 40),
                                    .digest = gt_le64(fixed + 48),
                                    .n_planes = (int)gt_le32(fixed + 56),
                                    .width = (int)gt_le32(fixed + 60),
                                    .ids_bytes = (int64_t)gt_le64(fixed + 64),
                                    .n_ranges = (int64_t)gt_le64(fixed + 72),
                                    .ranges_bytes = (int64_t)gt_le64(fixed + 80)};
    if (!is_sound(head, size))
        return gt_fail(err, GT_INPUT, "'%s' is truncated or damaged: its length does not match its header", name);
    size_t names = (size_t)head->n_planes * GT_COUNTS_NAME;
    status = gt_buf_resize(&rest, (size_t)gt_counts_head_bytes(head) - FIXED, err);
    if (!status)
        status = read_all(fd, rest.data, rest.len, name, err);
    if (!status)
        status = take_names(head, rest.data, name, err);
    if (!status)
        status = take_ids(head, (const char *)rest.data + names, name, ids, err);
    if (!status) {
        status =
            gt_variant_ranges_take(ranges, (size_t)head->n_ranges, rest.data + names + head->ids_bytes, (size_t)head->ranges_bytes, err);
        if (status)
            gt_fail_prefix(err, "'%s'", name);
    }
    gt_buf_release(&rest);
    return status;
}

/* --- what is in it ---------------------------------------------------------------- */

static bool has_plane(const struct gt_counts_head *head, const char *plane)
{
    bool has = false;
    for (int k = 0; k < head->n_planes; k++)
        has |= strcmp(head->plane[k], plane) == 0;
    return has;
}

int gt_counts_check(const struct gt_counts_head *head, const char *name, const struct gt_plane *planes, int n, const char *whole,
                    struct gt_err *err)
{
    struct gt_str has = {0};
    int lacks = 0;
    while (lacks < n && has_plane(head, planes[lacks].name))
        lacks++;
    if (lacks == n)
        return GT_OK;
    for (int k = 0; k < head->n_planes; k++)
        gt_str_addf(&has, "%s%s", k ? ", " : "", head->plane[k]);
    gt_fail(err, GT_USAGE, "'%s' lacks the count '%s', which %s needs", name, planes[lacks].name, whole);
    gt_hint(err, "it has %s; make the counts with the same -m", has.s ? has.s : "");
    gt_str_release(&has);
    return GT_USAGE;
}
