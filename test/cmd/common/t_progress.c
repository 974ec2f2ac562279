/* What progress displays show, of made-up moments: times of seconds to days, the part that is done, the rate, what is waited for. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/common/progress_view.h"
#include "test/support/tap.h"

/* m:ss, from an hour on h:mm:ss, 99:59:59 at the most. */
static const char *clock_text(int64_t seconds)
{
    static char text[4][32];
    static int at;
    const lldiv_t minutes = lldiv(seconds > 359999 ? 359999 : seconds, 60), hours = lldiv(minutes.quot, 60);
    at = (at + 1) % 4;
    if (hours.quot)
        snprintf(text[at], sizeof text[at], "%lld:%02lld:%02lld", hours.quot, hours.rem, minutes.rem);
    else
        snprintf(text[at], sizeof text[at], "%lld:%02lld", minutes.quot, minutes.rem);
    return text[at];
}

/* One flow, of which a tenth is done after `seconds`: nine times as long is left. */
static struct gt_progress tenth(double seconds)
{
    return (struct gt_progress){.n_flows = 1,
                                .flow = {{.name = "pdist", .done = 10, .tasks = 100, .seconds = seconds, .in_flight = 3, .most = 8}},
                                .memory_used = 3 << 20};
}

static void check_times(void)
{
    static const int64_t passed[] = {1, 6, 7, 60, 399, 400, 401, 799, 801, 3600, 7499, 21600, 39999, 40000, 86400};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        const struct gt_progress now = tenth((double)passed[i]);
        const struct gt_limits limits = {.threads = 2, .memory = 12 << 20};
        struct gt_str line = {0}, lines = {0};
        char want[96], first[96];
        gt_progress_line(&line, &now);
        gt_progress_lines(&lines, &now, &limits, (double)passed[i], 200);
        snprintf(want, sizeof want, "sums of pairs   10 %%  ETA %s  mem 3.0 MiB", clock_text(9 * passed[i]));
        snprintf(first, sizeof first, "%s  10 %%  ETA %s  0 of 2 threads busy", clock_text(passed[i]), clock_text(9 * passed[i]));
        ok(strcmp(line.s, want) == 0, "after %lld s: '%s' (%s)", (long long)passed[i], line.s, want);
        ok(strncmp(lines.s, first, strlen(first)) == 0, "after %lld s: '%.*s' (%s)", (long long)passed[i], (int)strcspn(lines.s, "\n"),
           lines.s, first);
        gt_str_release(&line);
        gt_str_release(&lines);
    }
}

static void line_is(const struct gt_progress *now, const char *want, const char *what)
{
    struct gt_str line = {0};
    gt_progress_line(&line, now);
    ok(strcmp(line.s, want) == 0, "%s: '%s'", what, line.s);
    gt_str_release(&line);
}

static void check_parts(void)
{
    struct gt_progress now = tenth(90);
    now.flow[0].bytes = 900 << 20;
    line_is(&now, "sums of pairs   10 %  10.0 MiB/s  ETA 13:30  mem 3.0 MiB", "a rate");
    now.flow[0].tasks = -1;
    line_is(&now, "sums of pairs  10 chunks  10.0 MiB/s  1:30  mem 3.0 MiB", "no number of tasks: the time that went by");
    now.size = 4000, now.read = 3000, now.pass_seconds = 60;
    line_is(&now, "sums of pairs   75 %  50 B/s  ETA 0:20  mem 3.0 MiB", "by the size of the input, of this pass");
    now.read = 4000;
    line_is(&now, "sums of pairs  100 %  66 B/s  ETA 0:00  mem 3.0 MiB", "all is read");
    now.read = 0;
    line_is(&now, "sums of pairs    0 %  1:00  mem 3.0 MiB", "nothing is read: what is left is not known");
}

/* The second flow was started first: its reader brings the data. */
static void check_lines(void)
{
    const struct gt_limits limits = {.threads = 4, .memory = 12 << 20};
    struct gt_progress now = tenth(90);
    struct gt_str text = {0};
    now.n_flows = 2;
    now.flow[0].running = 1;
    now.flow[1] = (struct gt_progress_flow){.name = "vcf", .done = 1234, .tasks = -1, .seconds = 10, .bytes = 50 << 20, .reads = true};
    gt_progress_lines(&text, &now, &limits, 3725, 120);
    ok(strcmp(text.s, "1:02:05  10 %  ETA 13:30  1 of 4 threads busy, waiting for input (VCF records)\n"
                      "  VCF records                                    1,234  5.0 MiB/s  0 in flight\n"
                      "  sums of pairs           [##..................]  10 %  3 in flight, 1 busy\n"
                      "  memory of buffers       [#####...............]  25 %  3.0 MiB of 12.0 MiB") == 0,
       "lines in the order of the data: %zu bytes", text.len);
    gt_str_clear(&text);
    gt_progress_lines(&text, &now, &limits, 3725, 60);
    int widest = 0, width = 0;
    for (const char *at = text.s; *at; at++) {
        width = *at == '\n' ? 0 : width + 1;
        widest = width > widest ? width : widest;
    }
    ok(widest == 60, "lines are cut to the width: %d", widest);
    gt_str_release(&text);
}

int main(void)
{
    check_times();
    check_parts();
    check_lines();
    return done_testing();
}
