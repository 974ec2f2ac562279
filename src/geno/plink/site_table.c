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
#include "core/base/spoolfile.h"
#include "geno/model/geno_info.h"
#include "geno/plink/site_line.h"
#include "geno/plink/site_scan.h"

static int changed(const struct gt_bim *bim, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s' changed while it was read", bim->path);
}

static int add_filters(const struct gt_bim *bim, const struct bim_column *column, struct gt_buf *to, struct gt_err *err)
{
    int status = 0;
    for (const char *p = NULL, *stop = NULL; !status && bim_next_filter(column, &p, &stop);) {
        const int32_t number = (int32_t)gt_names_find(bim->filter_numbers, p, (size_t)(stop - p));
        status = number < 0 ? changed(bim, err) : gt_buf_append(to, &number, sizeof number, err);
    }
    return status;
}

/* All of it; opened: errno of open. */
static int open_sites(struct gt_bim *bim, const char *path, int opened, struct gt_bim_threads threads, struct gt_budget *budget,
                      struct gt_err *err)
{
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
        status = bim_scan(bim, st.st_size, threads, err);
    if (status)
        gt_bim_close(bim);
    return status;
}

int gt_bim_open(struct gt_bim *bim, const char *path, bool snp, int64_t step, struct gt_bim_threads threads, struct gt_budget *budget,
                struct gt_err *err)
{
    *bim = (struct gt_bim){.fd = open(path, O_RDONLY | O_CLOEXEC), .snp = snp, .step = step};
    return open_sites(bim, path, errno, threads, budget, err);
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

int gt_pvar_open(struct gt_bim *bim, const char *path, int64_t step, const char *tmpdir, struct gt_bim_threads threads,
                 struct gt_budget *budget, struct gt_err *err)
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
        status = open_sites(bim, zst ? packed.s : path, opened, threads, budget, err);
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
        status = bim_read_piece(bim, (char *)text->data + have, n - have, starts[group] + (int64_t)have, &got, err);
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
