/* A table of sites, scanned in parts.  Groups of sites begin at every step-th one, so that a part has to know how many come before: lines
 * are counted first. */
#include "config.h"

#include <pthread.h>
#include <string.h>

#include "core/base/size.h"
#include "core/engine/pool.h"
#include "geno/plink/site_scan.h"

enum { PARTS_MAX = 16 };

/* The lines that begin in [from, to). */
struct part {
    struct gt_bim bim; /* what they hold; file, path and header are those of the table */
    int64_t from, to;
    bool first;
    int64_t lines; /* counted */
    int64_t end;   /* of the last one */
    pthread_t thread;
    bool started;
    int status;
    struct gt_err err;
};

/* Behind a line end at the byte before `from`, a line begins at `from`. */
static int64_t look_from(const struct part *part)
{
    return part->from - !part->first;
}

static void *count_lines(void *arg)
{
    struct part *part = arg;
    char text[1 << 14];
    size_t got = 1;
    struct gt_err ignored = {0}; /* comes again when the lines are scanned */
    part->lines = part->first;
    for (int64_t at = look_from(part); got && at < part->to - 1; at += (int64_t)got) {
        const size_t n = (size_t)gt_min_i64(sizeof text, part->to - 1 - at);
        bim_read_piece(&part->bim, text, n, at, &got, &ignored);
        for (size_t i = 0; i < got; i++)
            part->lines += text[i] == '\n';
    }
    return NULL;
}

/* part->end: where the first line begins; at `to` or behind it if none does. */
static int find_first(struct part *part)
{
    char text[256];
    size_t got = 1;
    part->end = look_from(part);
    while (!part->first && got && part->end < part->to) {
        const int status = bim_read_piece(&part->bim, text, sizeof text, part->end, &got, &part->err);
        const char *nl = memchr(text, '\n', got);
        part->end += nl ? nl + 1 - text : (int64_t)got;
        if (status || nl)
            return status;
    }
    return 0;
}

static void *scan(void *arg)
{
    struct part *part = arg;
    part->status = find_first(part);
    if (!part->status)
        part->status = bim_scan_lines(&part->bim, &part->end, part->to, false, &part->err);
    return NULL;
}

/* Each in a thread of its own, or in this one where none can be started. */
static void run_parts(struct part *parts, int n, void *(*run)(void *))
{
    struct gt_err none = {0};
    for (int i = 1; i < n; i++)
        parts[i].started = !gt_thread_start(&parts[i].thread, "gt-reader", run, &parts[i], &none);
    for (int i = 0; i < n; i++)
        if (!parts[i].started)
            run(&parts[i]);
    for (int i = 0; i < n; i++)
        if (parts[i].started)
            pthread_join(parts[i].thread, NULL);
}

static int init_part(struct part *part, const struct gt_bim *bim, struct gt_err *err)
{
    struct gt_budget *budget = bim->starts.budget;
    part->bim = *bim;
    part->bim.starts = part->bim.start_lines = part->bim.meta = (struct gt_buf){.budget = budget};
    part->bim.contigs = part->bim.filters = (struct gt_strs){.budget = budget};
    part->bim.numbers = gt_names_new(budget, err);
    part->bim.filter_numbers = gt_names_new(budget, err);
    return part->bim.numbers && part->bim.filter_numbers ? 0 : err->status;
}

static void release_part(struct part *part)
{
    part->bim.fd = -1;
    part->bim.path = NULL;
    gt_bim_close(&part->bim);
}

static int add_names(struct gt_names *numbers, struct gt_strs *to, const struct gt_strs *from, struct gt_err *err)
{
    int64_t number;
    int status = 0;
    for (size_t i = 0; i < from->n && !status; i++)
        status = gt_names_number(numbers, to, gt_strs_get(from, i), strlen(gt_strs_get(from, i)), &number, err);
    return status;
}

static int add_part(struct gt_bim *bim, const struct gt_bim *part, struct gt_err *err)
{
    int status = add_names(bim->numbers, &bim->contigs, &part->contigs, err);
    status = status ? status : add_names(bim->filter_numbers, &bim->filters, &part->filters, err);
    status = status ? status : gt_buf_append(&bim->starts, part->starts.data, part->starts.len, err);
    status = status ? status : gt_buf_append(&bim->start_lines, part->start_lines.data, part->start_lines.len, err);
    bim->n = part->n;
    bim->line = part->line;
    bim->alleles = gt_max_i64(bim->alleles, part->alleles);
    bim->all_alleles += part->all_alleles;
    return status;
}

/* Was each line before the last part a site?  Those that follow a blank one have wrong numbers. */
static bool join(const struct part *parts, int n)
{
    int64_t sites = 0;
    for (int i = 0; i < n - 1; i++)
        if ((sites += parts[i].lines) != parts[i].bim.n)
            return false;
    return true;
}

static int scan_all(struct part *parts, int n, struct gt_err *err)
{
    int status = 0;
    run_parts(parts, n - 1, count_lines);
    for (int i = 1; i < n; i++) {
        parts[i].bim.n = parts[i - 1].bim.n + parts[i - 1].lines;
        parts[i].bim.line = parts[i - 1].bim.line + parts[i - 1].lines;
    }
    run_parts(parts, n, scan);
    for (int i = 0; i < n && !status; i++) {
        status = parts[i].status;
        *err = parts[i].err;
    }
    return status;
}

/* Adds the others to the first, each of which is released then. */
static int add_all(struct part *parts, int n, struct gt_err *err)
{
    int status = 0;
    for (int i = 1; i < n && !status; i++) {
        status = add_part(&parts[0].bim, &parts[i].bim, err);
        release_part(&parts[i]);
    }
    return status;
}

/* What the first part has become is the table, which has a header and nothing else. */
static void take(struct gt_bim *bim, struct part *whole)
{
    whole->bim.meta = bim->meta;
    gt_names_free(bim->numbers);
    gt_names_free(bim->filter_numbers);
    *bim = whole->bim;
    whole->bim = (struct gt_bim){.fd = -1};
}

int bim_scan_parts(struct gt_bim *bim, int64_t *offset, int64_t size, struct gt_bim_threads threads, bool *scanned, struct gt_err *err)
{
    const int64_t length = size - *offset, most = gt_min_i64(threads.most, PARTS_MAX);
    const int n = (int)gt_min_i64(most, length / gt_max_i64(threads.bytes, 1));
    struct part parts[PARTS_MAX] = {0};
    struct gt_err fault = {0};
    int status = 0;
    *scanned = false;
    if (n < 2)
        return 0;
    for (int i = 0; i < n && !status; i++) {
        parts[i].first = i == 0;
        parts[i].from = *offset + length / n * i;
        parts[i].to = i + 1 < n ? *offset + length / n * (i + 1) : INT64_MAX;
        status = init_part(&parts[i], bim, &fault);
    }
    status = status ? status : scan_all(parts, n, &fault);
    if (!status && join(parts, n)) {
        status = add_all(parts, n, &fault);
        *scanned = !status;
    }
    if (*scanned) {
        take(bim, &parts[0]);
        *offset = parts[n - 1].end;
    }
    for (int i = 0; i < n; i++)
        release_part(&parts[i]);
    if (!status || status == GT_NOFIT)
        return 0;
    *err = fault;
    return status;
}
