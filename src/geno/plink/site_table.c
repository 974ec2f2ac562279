/* Tables of sites that stay on disk: .bim, .snp and .pvar. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/base/spoolfile.h"
#include "geno/model/geno_info.h"
#include "geno/plink/site_line.h"

#define BIM_PIECE ((size_t)1 << 20)

static int changed(const struct gt_bim *bim, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s' changed while it was read", bim->path);
}

/* The next filter of a column, [*p, *stop); false after the last. */
static bool next_filter(const struct bim_column *column, const char **p, const char **stop)
{
    const char *end = column->s + column->n, *semicolon;
    *p = *p ? *stop + 1 : column->s;
    if (*p > end || (column->n == 1 && *column->s == '.'))
        return false;
    semicolon = memchr(*p, ';', (size_t)(end - *p));
    *stop = semicolon ? semicolon : end;
    return true;
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
    for (const char *p = NULL, *stop = NULL; !status && next_filter(column, &p, &stop);)
        status = stop == p ? bim_bad_line(bim, line, "a FILTER is empty", err)
                           : gt_names_number(bim->filter_numbers, &bim->filters, p, (size_t)(stop - p), &number, err);
    return status;
}

static int add_filters(const struct gt_bim *bim, const struct bim_column *column, struct gt_buf *to, struct gt_err *err)
{
    int status = 0;
    for (const char *p = NULL, *stop = NULL; !status && next_filter(column, &p, &stop);) {
        const int32_t number = (int32_t)gt_names_find(bim->filter_numbers, p, (size_t)(stop - p));
        status = number < 0 ? changed(bim, err) : gt_buf_append(to, &number, sizeof number, err);
    }
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

static int read_piece(const struct gt_bim *bim, char *data, size_t n, int64_t offset, size_t *got, struct gt_err *err)
{
    ssize_t r;
    do
        r = pread(bim->fd, data, n, offset);
    while (r < 0 && errno == EINTR);
    *got = r > 0 ? (size_t)r : 0;
    return r < 0 ? gt_fail_errno(err, errno, "cannot read '%s'", bim->path) : 0;
}

/* Where the first line begins: behind a UTF-8 byte order mark. */
static int first_offset(const struct gt_bim *bim, int64_t *offset, struct gt_err *err)
{
    static const char mark[] = "\xef\xbb\xbf";
    char start[sizeof mark - 1];
    size_t got;
    const int status = read_piece(bim, start, sizeof start, 0, &got, err);
    *offset = !status && got == sizeof start && memcmp(start, mark, sizeof start) == 0 ? (int64_t)sizeof start : 0;
    return status;
}

/* Lines of the file through a window that grows only for a longer line. */
static int scan(struct gt_bim *bim, struct gt_buf *window, struct gt_err *err)
{
    int64_t base; /* offset of the window's first byte */
    int status = first_offset(bim, &base, err);
    status = status ? status : gt_buf_reserve(window, BIM_PIECE, err);
    for (bool end = false; !status && !(end && !window->len);) {
        size_t got;
        if (window->cap - window->len < BIM_PIECE / 2 && (status = gt_buf_reserve(window, window->cap * 2, err)) != 0)
            break;
        char *text = (char *)window->data;
        if ((status = read_piece(bim, text + window->len, window->cap - window->len, base + (int64_t)window->len, &got, err)) != 0)
            break;
        window->len += got;
        end = got == 0;
        char *p = text, *stop = text + window->len, *nl;
        while (!status && p < stop && ((nl = memchr(p, '\n', (size_t)(stop - p))) || (end && (nl = stop)))) {
            status = scan_line(bim, p, nl, base + (p - text), err);
            p = nl < stop ? nl + 1 : stop;
        }
        size_t used = (size_t)(p - text);
        memmove(text, p, window->len - used);
        window->len -= used;
        base += (int64_t)used;
    }
    return status ? status : gt_buf_append(&bim->starts, &base, sizeof base, err);
}

/* All of it; opened: errno of open. */
static int open_sites(struct gt_bim *bim, const char *path, int opened, struct gt_budget *budget, struct gt_err *err)
{
    struct gt_buf window = {.budget = budget};
    struct stat st;
    bim->starts.budget = bim->start_lines.budget = bim->contigs.budget = bim->filters.budget = bim->meta.budget = budget;
    bim->path = gt_strdup(path, err);
    bim->numbers = gt_names_new(budget, err);
    bim->filter_numbers = gt_names_new(budget, err);
    int status = 0;
    if (!bim->path || !bim->numbers || !bim->filter_numbers)
        status = GT_FAIL;
    else if (bim->fd < 0)
        status = gt_fail_errno(err, opened, "cannot open '%s'", path);
    else if (fstat(bim->fd, &st) || !S_ISREG(st.st_mode))
        status = gt_fail(err, GT_INPUT, "'%s' is not a regular file", path);
    else
        status = scan(bim, &window, err);
    gt_buf_release(&window);
    if (status)
        gt_bim_close(bim);
    return status;
}

int gt_bim_open(struct gt_bim *bim, const char *path, bool snp, int64_t step, struct gt_budget *budget, struct gt_err *err)
{
    *bim = (struct gt_bim){.fd = open(path, O_RDONLY | O_CLOEXEC), .snp = snp, .step = step};
    return open_sites(bim, path, errno, budget, err);
}

/* What the stream at `from` holds into the file. */
static int decompress(int from, const char *path, ZSTD_DCtx *zstd, struct gt_spoolfile *spool, struct gt_err *err)
{
    uint8_t in[1 << 14], out[1 << 14];
    size_t left = 0;
    ssize_t got;
    int status = gt_spoolfile_open(spool, err);
    while (!status && (got = read(from, in, sizeof in)) != 0) {
        ZSTD_inBuffer piece = {in, got > 0 ? (size_t)got : 0, 0};
        if (got < 0 && errno != EINTR)
            status = gt_fail_errno(err, errno, "cannot read '%s'", path);
        for (bool more = true; !status && got > 0 && (piece.pos < piece.size || more);) {
            ZSTD_outBuffer made = {out, sizeof out, 0};
            left = ZSTD_decompressStream(zstd, &made, &piece);
            more = made.pos == made.size;
            if (ZSTD_isError(left))
                status = gt_fail(err, GT_INPUT, "'%s': damaged zstd data: %s", path, ZSTD_getErrorName(left));
            else if (made.pos)
                status = gt_spoolfile_write(spool, out, made.pos, spool->end, err);
        }
    }
    return !status && left ? gt_fail(err, GT_INPUT, "'%s' is truncated: the zstd stream ends early", path) : status;
}

static int open_zst(struct gt_bim *bim, const char *path, const char *tmpdir, struct gt_err *err)
{
    enum { WINDOW = 25 }; /* 32 MiB: more than any level asks for that plink2 writes with */
    struct gt_spoolfile spool = {.fd = -1, .tmpdir = tmpdir};
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    const int from = open(path, O_RDONLY | O_CLOEXEC);
    int status = from < 0 ? gt_fail_errno(err, errno, "cannot open '%s'", path) : !zstd ? gt_no_memory(err) : 0;
    if (!status) {
        ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, WINDOW);
        status = decompress(from, path, zstd, &spool, err);
    }
    ZSTD_freeDCtx(zstd);
    if (from >= 0)
        close(from);
    if (status)
        gt_spoolfile_release(&spool);
    bim->fd = spool.fd;
    return status;
}

int gt_pvar_open(struct gt_bim *bim, const char *path, int64_t step, const char *tmpdir, struct gt_budget *budget, struct gt_err *err)
{
    struct gt_str packed = {0};
    *bim = (struct gt_bim){.fd = open(path, O_RDONLY | O_CLOEXEC), .pvar = true, .step = step};
    const int opened = errno;
    gt_str_addf(&packed, "%s.zst", path);
    int status = gt_str_check(&packed, err);
    const bool zst = !status && bim->fd < 0 && opened == ENOENT && access(packed.s, F_OK) == 0;
    if (zst)
        status = open_zst(bim, packed.s, tmpdir, err);
    if (!status)
        status = open_sites(bim, zst ? packed.s : path, opened, budget, err);
    else if (bim->fd >= 0)
        gt_bim_close(bim);
    gt_str_release(&packed);
    return status;
}

void gt_bim_close(struct gt_bim *bim)
{
    if (bim->fd >= 0)
        close(bim->fd);
    free(bim->path);
    gt_buf_release(&bim->starts);
    gt_buf_release(&bim->start_lines);
    gt_buf_release(&bim->meta);
    gt_strs_release(&bim->contigs);
    gt_names_free(bim->numbers);
    gt_strs_release(&bim->filters);
    gt_names_free(bim->filter_numbers);
    *bim = (struct gt_bim){.fd = -1};
}

int gt_bim_read(const struct gt_bim *bim, int64_t group, struct gt_buf *text, struct gt_err *err)
{
    const int64_t *starts = (const int64_t *)bim->starts.data;
    size_t n = (size_t)(starts[group + 1] - starts[group]), have = 0;
    int status = gt_buf_resize(text, n, err);
    while (!status && have < n) {
        size_t got;
        status = read_piece(bim, (char *)text->data + have, n - have, starts[group] + (int64_t)have, &got, err);
        if (!status && !got)
            status = changed(bim, err);
        have += got;
    }
    return status;
}

static int add_alleles(const struct gt_bim *bim, const struct bim_column *a1, const struct bim_column *a2, unsigned fields,
                       struct gt_block *block, struct gt_site *site, struct gt_err *err)
{
    bool no_alt = a1->n == 1 && (*a1->s == '0' || *a1->s == '.');
    bool no_ref = a2->n == 1 && *a2->s == '0';
    site->n_alleles = no_alt ? 1 : 2;
    for (size_t i = 0; i < a1->n && bim->pvar; i++)
        site->n_alleles += a1->s[i] == ',';
    site->multiallelic = site->n_alleles > 2;
    if (!(fields & GT_SITE_ALLELES))
        return 0;
    site->first_allele = (uint32_t)block->alleles.n;
    int status = gt_strs_add(&block->alleles, no_ref ? "N" : a2->s, a2->n, err);
    for (const char *p = a1->s, *end = p + a1->n; p < end && !status && !no_alt;) {
        const char *comma = bim->pvar ? memchr(p, ',', (size_t)(end - p)) : NULL, *to = comma ? comma : end;
        status = gt_strs_add(&block->alleles, p, (size_t)(to - p), err);
        p = to + 1;
    }
    return status;
}

/* QUAL and FILTER, which only a .pvar may have. */
static int add_quality(const struct gt_bim *bim, int64_t line, const struct bim_column columns[BIM_ALL], struct gt_block *block,
                       struct gt_site *site, struct gt_err *err)
{
    uint32_t bits;
    if (!gt_vcf_quality(columns[BIM_QUAL].s, columns[BIM_QUAL].n, &bits))
        return bim_bad_line(bim, line, "QUAL is not a number", err);
    memcpy(&site->quality, &bits, sizeof bits);
    site->filter_from = (uint32_t)(block->filters.len / sizeof(int32_t));
    int status = add_filters(bim, &columns[BIM_FILTER], &block->filters, err);
    site->filter_n = (uint32_t)(block->filters.len / sizeof(int32_t)) - site->filter_from;
    return status;
}

static int add_record(const struct bim_column *info, int64_t samples, struct gt_block *block, struct gt_site *site, struct gt_err *err)
{
    static const char format[] = "\tGT\t";
    const size_t n = sizeof format - 1;
    uint8_t *to;
    int status = gt_block_add_record(block, site, &(struct gt_record_body){.n = info->n + n + (size_t)samples * GT_CALL_TEXT}, &to, err);
    if (status)
        return status;
    memcpy(to, info->s, info->n);
    memcpy(to + info->n, format, n);
    return 0;
}

int gt_bim_parse(const struct gt_bim *bim, int64_t group, const struct gt_buf *text, unsigned fields, int64_t samples,
                 struct gt_block *block, struct gt_err *err)
{
    const char *p = (const char *)text->data, *end = p + text->len;
    int64_t line = ((const int64_t *)bim->start_lines.data)[group], n = 0;
    for (const char *next; p < end; p = next, line++) {
        struct bim_column columns[BIM_ALL];
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        next = nl ? nl + 1 : end;
        if (bim_line_is_blank(p, stop))
            continue;
        struct gt_site site = {.id = 0};
        int status = bim_line(bim, line, p, stop, columns, &site.position, err);
        if (status)
            return status;
        int64_t contig = gt_names_find(bim->numbers, columns[0].s, columns[0].n);
        if (contig < 0)
            return changed(bim, err);
        site.contig = (int32_t)contig;
        site.length = gt_vcf_length(columns[BIM_INFO].s, columns[BIM_INFO].n, site.position, (int64_t)columns[5].n);
        gt_site_no_quality(&site);
        site.id = fields & GT_SITE_ID ? (uint32_t)block->ids.n : 0;
        if ((fields & GT_SITE_RECORD && (status = add_record(&columns[BIM_INFO], samples, block, &site, err)) != 0) ||
            (fields & GT_SITE_QUAL && (status = add_quality(bim, line, columns, block, &site, err)) != 0) ||
            (status = add_alleles(bim, &columns[4], &columns[5], fields, block, &site, err)) != 0 ||
            ((fields & GT_SITE_ID) && (status = gt_strs_add(&block->ids, columns[1].s, columns[1].n, err)) != 0) ||
            (status = gt_buf_append(&block->sites, &site, sizeof site, err)) != 0)
            return status;
        n++;
    }
    return n == block->n ? 0 : changed(bim, err);
}
