#include "config.h"

#include "cmd/common/progress_view.h"

#include "cmd/figures/flow_titles.h"
#include "core/base/size.h"

static void add_time(struct gt_str *out, double seconds)
{
    const long s = seconds < 359999 ? (long)(seconds + 0.5) : 359999;
    if (s >= 3600)
        gt_str_addf(out, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        gt_str_addf(out, "%ld:%02ld", s / 60, s % 60);
}

/* Of all; negative where that is not known. */
static double part_of(int64_t done, int64_t all)
{
    return all <= 0 ? -1 : done < all ? (double)done / (double)all : 1;
}

/* How far the run is: by the tasks of its last flow, or by the size of the input. */
struct whole {
    double part; /* negative: not known */
    double seconds, left;
    int64_t bytes;
};

static struct whole whole_of(const struct gt_progress *progress)
{
    const struct gt_progress_flow *last = &progress->flow[0];
    const bool by_size = progress->size > 0; /* a stream of text knows how much there is, and not how many tasks */
    struct whole whole = {.part = by_size ? part_of(progress->read, progress->size) : part_of(last->done, last->tasks),
                          .seconds = by_size ? progress->pass_seconds : last->seconds,
                          .bytes = by_size ? progress->read : last->bytes};
    if (whole.seconds < 0.001)
        whole.seconds = 0.001;
    whole.left = whole.part > 0 ? whole.seconds * (1 - whole.part) / whole.part : -1;
    return whole;
}

static void add_rate(struct gt_str *out, int64_t bytes, double seconds)
{
    char number[GT_NUM_LEN];
    if (bytes > 0)
        gt_str_addf(out, "  %s/s", gt_format_size(number, (int64_t)((double)bytes / (seconds < 0.001 ? 0.001 : seconds))));
}

void gt_progress_line(struct gt_str *out, const struct gt_progress *progress)
{
    const struct whole whole = whole_of(progress);
    char number[GT_NUM_LEN];
    gt_str_add(out, gt_flow_title(progress->flow[0].name));
    if (whole.part >= 0)
        gt_str_addf(out, "  %3.0f %%", 100.0 * whole.part);
    else
        gt_str_addf(out, "  %s chunks", gt_format_count(number, progress->flow[0].done));
    add_rate(out, whole.bytes, whole.seconds);
    gt_str_add(out, whole.left >= 0 ? "  ETA " : "  ");
    add_time(out, whole.left >= 0 ? whole.left : whole.seconds);
    gt_str_addf(out, "  mem %s", gt_format_size(number, progress->memory_used));
}

/* --- several lines ------------------------------------------------------------------- */

enum { TITLE = 24, BAR = 20 };

static void add_bar(struct gt_str *out, double part)
{
    const int full = part < 0 ? 0 : (int)(part * BAR + 0.5);
    gt_str_add(out, "[");
    for (int i = 0; i < BAR; i++)
        gt_str_add(out, i < full ? "#" : ".");
    gt_str_add(out, "]");
}

/* The line that begins at `begin` is cut to the width. */
static void cut_line(struct gt_str *out, size_t begin, int width)
{
    if (!out->failed && out->len > begin + (size_t)width) {
        out->len = begin + (size_t)width;
        out->s[out->len] = '\0';
    }
}

static int busy_of(const struct gt_progress *progress)
{
    int busy = 0;
    for (int i = 0; i < progress->n_flows; i++)
        busy += progress->flow[i].running;
    return busy;
}

/* What keeps threads without work. */
static void add_wait(struct gt_str *out, const struct gt_progress *progress, int threads)
{
    const struct gt_progress_flow *first = &progress->flow[progress->n_flows - 1], *last = &progress->flow[0];
    if (progress->memory_short)
        gt_str_add(out, ", waiting for memory (--memory)");
    else if (busy_of(progress) < threads && first->reads && first->ready == 0)
        gt_str_addf(out, ", waiting for input (%s)", gt_flow_title(first->name));
    else if (busy_of(progress) < threads && last->in_flight >= last->most && last->running == 0)
        gt_str_add(out, ", waiting for output");
}

static void add_flow(struct gt_str *out, const struct gt_progress_flow *flow)
{
    const double part = part_of(flow->done, flow->tasks);
    char number[GT_NUM_LEN];
    gt_str_addf(out, "  %-*s", TITLE, gt_flow_title(flow->name));
    if (part >= 0) {
        add_bar(out, part);
        gt_str_addf(out, " %3.0f %%", 100 * part);
    } else {
        gt_str_addf(out, "%*s", BAR + 8, gt_format_count(number, flow->done));
    }
    add_rate(out, flow->bytes, flow->seconds);
    gt_str_addf(out, "  %s in flight", gt_format_count(number, flow->in_flight));
    if (flow->running)
        gt_str_addf(out, ", %d busy", flow->running);
}

static void add_memory(struct gt_str *out, const struct gt_progress *progress, const struct gt_limits *limits)
{
    char used[GT_NUM_LEN], limit[GT_NUM_LEN];
    const double part = part_of(progress->memory_used, limits->memory);
    gt_str_addf(out, "  %-*s", TITLE, "memory of buffers");
    add_bar(out, part);
    gt_str_addf(out, " %3.0f %%  %s of %s", 100 * part, gt_format_size(used, progress->memory_used), gt_format_size(limit, limits->memory));
}

void gt_progress_lines(struct gt_str *out, const struct gt_progress *progress, const struct gt_limits *limits, double elapsed, int width)
{
    const struct whole whole = whole_of(progress);
    size_t begin = out->len;
    add_time(out, elapsed);
    if (whole.part >= 0)
        gt_str_addf(out, "  %.0f %%", 100 * whole.part);
    if (whole.left >= 0) {
        gt_str_add(out, "  ETA ");
        add_time(out, whole.left);
    }
    gt_str_addf(out, "  %d of %d threads busy", busy_of(progress), limits->threads);
    add_wait(out, progress, limits->threads);
    cut_line(out, begin, width);
    gt_str_add(out, "\n");
    for (int i = progress->n_flows - 1; i >= 0; i--) {
        begin = out->len;
        add_flow(out, &progress->flow[i]);
        cut_line(out, begin, width);
        gt_str_add(out, "\n");
    }
    begin = out->len;
    add_memory(out, progress, limits);
    cut_line(out, begin, width);
}
