#include "config.h"

#include "geno/plink/site_scan.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/base/size.h"
#include "geno/plink/site_line.h"

enum { PIECE = 1 << 18 };

int bim_read_piece(const struct gt_bim *bim, char *data, size_t n, int64_t offset, size_t *got, struct gt_err *err)
{
    ssize_t r;
    do
        r = pread(bim->fd, data, n, offset);
    while (r < 0 && errno == EINTR);
    *got = r > 0 ? (size_t)r : 0;
    return r < 0 ? gt_fail_errno(err, errno, "cannot read '%s'", bim->path) : 0;
}

/* Filters are numbered as they come, PASS being the first. */
static int see_filters(struct gt_bim *bim, int64_t line, const struct bim_column *column, struct gt_err *err)
{
    int64_t number;
    int status = 0;
    if (bim->at[BIM_FILTER] < 0)
        return 0;
    if (!bim->filters.n)
        status = gt_names_number(bim->filter_numbers, &bim->filters, "PASS", 4, &number, err);
    for (const char *p = NULL, *stop = NULL; !status && bim_next_filter(column, &p, &stop);)
        status = stop == p ? bim_bad_line(bim, line, "a FILTER is empty", err)
                           : gt_names_number(bim->filter_numbers, &bim->filters, p, (size_t)(stop - p), &number, err);
    return status;
}

static int64_t alleles_of(const struct gt_bim *bim, const struct bim_column *alts)
{
    int64_t n = 2;

    for (size_t i = 0; bim->pvar && i < alts->n; i++)
        n += alts->s[i] == ',';
    return n;
}

static int scan_line(struct gt_bim *bim, const char *p, const char *end, int64_t offset, struct gt_err *err)
{
    struct bim_column columns[BIM_ALL];
    const int64_t line = bim->line++;
    int64_t position, number;
    if (bim_line_is_blank(p, end))
        return 0;
    if (bim->pvar && *p == '#' && !bim->n && !bim->named)
        return bim_header(bim, p, end, err);
    int status = bim->n % bim->step ? 0 : gt_buf_append(&bim->starts, &offset, sizeof offset, err);
    if (!status && bim->n % bim->step == 0)
        status = gt_buf_append(&bim->start_lines, &line, sizeof line, err);
    if (!status)
        status = bim_line(bim, line, p, end, columns, &position, err);
    if (!status && bim->named)
        status = see_filters(bim, line, &columns[BIM_FILTER], err);
    if (status)
        return status;
    bim->n++;
    const int64_t alleles = alleles_of(bim, &columns[4]);
    bim->alleles = gt_max_i64(bim->alleles, alleles);
    bim->all_alleles += alleles;
    const char *last = bim->contigs.n ? gt_strs_get(&bim->contigs, bim->contigs.n - 1) : NULL;
    if (last && strlen(last) == columns[0].n && memcmp(last, columns[0].s, columns[0].n) == 0)
        return 0;
    return gt_names_number(bim->numbers, &bim->contigs, columns[0].s, columns[0].n, &number, err);
}

int bim_scan_lines(struct gt_bim *bim, int64_t *offset, int64_t to, bool header, struct gt_err *err)
{
    struct gt_buf window = {.budget = bim->starts.budget}; /* grows for lines of more than half a piece */
    int status = gt_buf_reserve(&window, PIECE, err);
    for (bool more = *offset < to, end = false; more && !status; more = more && !(end && !window.len)) {
        size_t got;
        if (window.cap - window.len < PIECE / 2 && (status = gt_buf_reserve(&window, window.cap * 2, err)) != 0)
            break;
        char *text = (char *)window.data, *p = text, *nl;
        if ((status = bim_read_piece(bim, text + window.len, window.cap - window.len, *offset + (int64_t)window.len, &got, err)) != 0)
            break;
        window.len += got;
        end = got == 0;
        char *stop = text + window.len;
        while (!status && p < stop && (more = *offset + (p - text) < to) &&
               ((nl = memchr(p, '\n', (size_t)(stop - p))) || (end && (nl = stop)))) {
            if (header && (bim->named || *p != '#') && !bim_line_is_blank(p, nl)) {
                more = false;
                break;
            }
            status = scan_line(bim, p, nl, *offset + (p - text), err);
            p = nl < stop ? nl + 1 : stop;
        }
        const size_t used = (size_t)(p - text);
        memmove(text, p, window.len - used);
        window.len -= used;
        *offset += (int64_t)used;
    }
    gt_buf_release(&window);
    return status;
}

/* Where the first line begins: behind a UTF-8 byte order mark. */
static int first_offset(const struct gt_bim *bim, int64_t *offset, struct gt_err *err)
{
    static const char mark[] = "\xef\xbb\xbf";
    char start[sizeof mark - 1];
    size_t got;
    const int status = bim_read_piece(bim, start, sizeof start, 0, &got, err);
    *offset = !status && got == sizeof start && memcmp(start, mark, sizeof start) == 0 ? (int64_t)sizeof start : 0;
    return status;
}

int bim_scan(struct gt_bim *bim, int64_t size, struct gt_bim_threads threads, struct gt_err *err)
{
    int64_t offset;
    bool scanned = false;
    int status = first_offset(bim, &offset, err);
    if (!status && bim->pvar)
        status = bim_scan_lines(bim, &offset, INT64_MAX, true, err);
    if (!status)
        status = bim_scan_parts(bim, &offset, size, threads, &scanned, err);
    if (!status && !scanned)
        status = bim_scan_lines(bim, &offset, INT64_MAX, false, err);
    return status ? status : gt_buf_append(&bim->starts, &offset, sizeof offset, err);
}
