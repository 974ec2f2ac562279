#include "config.h"

#include "geno/plink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/size.h"
#include "base/spoolfile.h"
#include "geno/lines.h"

/* --- .fam ---------------------------------------------------------------------- */

/* Columns of a .psam that a .fam has too; those of a line without a header. */
enum { FID, IID, PAT, MAT, SEX, PHENO, FAM_COLUMNS };

struct fam {
    bool psam, named;
    int at[FAM_COLUMNS]; /* -1: there is none */
    struct gt_strs fids, iids, *more;
    struct gt_names *seen;
    bool twice;
    const char *path;
};

/* The columns behind the ids. */
static int add_more(struct fam *fam, char *save, struct gt_err *err)
{
    static const char *const unknown[] = {"0", "0", "0", "-9"};
    struct gt_str line = {0};
    for (int c = 0; c < 4; c++) {
        const char *text = strtok_r(NULL, " \t", &save);
        gt_str_addf(&line, "%s%s", c ? "\t" : "", text ? text : unknown[c]);
    }
    int status = gt_str_check(&line, err);
    if (!status)
        status = gt_strs_add(fam->more, line.s, line.len, err);
    gt_str_release(&line);
    return status;
}

/* "#FID IID ...": where columns stand. */
static int psam_header(struct fam *fam, char *text, int64_t number, struct gt_err *err)
{
    static const char *const names[] = {"FID", "IID", "PAT", "MAT", "SEX"};
    char *save;
    int n = 0;
    for (int c = 0; c < FAM_COLUMNS; c++)
        fam->at[c] = -1;
    for (char *name = strtok_r(text + 1, " \t", &save); name; name = strtok_r(NULL, " \t", &save), n++) {
        int c = 0;
        while (c < PHENO && strcmp(name, names[c]) != 0)
            c++;
        if (strcmp(name, "SID") != 0 && fam->at[c] < 0)
            fam->at[c] = n;
    }
    fam->named = true;
    if (fam->at[IID] >= 0)
        return 0;
    return gt_fail(err, GT_INPUT, "'%s', line %lld: the header names no IID", fam->path, (long long)number);
}

/* A line under a header as one of a .fam. */
static int psam_line(struct fam *fam, char *text, int64_t number, struct gt_err *err)
{
    static const char *const unknown[FAM_COLUMNS] = {"0", NULL, "0", "0", "0", "-9"};
    const char *value[FAM_COLUMNS] = {0};
    char *save, *word = strtok_r(text, " \t", &save);
    int64_t had = -1;
    if (!word)
        return 0;
    for (int n = 0; word; word = strtok_r(NULL, " \t", &save), n++)
        for (int c = 0; c < FAM_COLUMNS; c++)
            value[c] = fam->at[c] == n ? word : value[c];
    if (!value[IID])
        return gt_fail(err, GT_INPUT, "'%s', line %lld: it ends before its IID", fam->path, (long long)number);
    for (int c = 0; c < FAM_COLUMNS; c++)
        value[c] = !value[c] || strcmp(value[c], "NA") == 0 || (c == PHENO && strcmp(value[c], "NONE") == 0) ? (unknown[c] ? unknown[c] : value[c]) : value[c];
    if (strcmp(value[SEX], "M") == 0 || strcmp(value[SEX], "F") == 0)
        value[SEX] = *value[SEX] == 'M' ? "1" : "2";
    struct gt_str line = {0};
    gt_str_addf(&line, "%s\t%s\t%s\t%s", value[PAT], value[MAT], value[SEX], value[PHENO]);
    int status = gt_str_check(&line, err);
    if (!status)
        status = gt_strs_add(fam->more, line.s, line.len, err);
    if (!status)
        status = gt_strs_add(&fam->fids, value[FID], strlen(value[FID]), err);
    if (!status)
        status = gt_strs_add(&fam->iids, value[IID], strlen(value[IID]), err);
    if (!status)
        status = gt_names_add(fam->seen, value[IID], strlen(value[IID]), 0, &had, err);
    fam->twice |= had >= 0;
    gt_str_release(&line);
    return status;
}

static int fam_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct fam *fam = ctx;
    if (fam->psam && *text == '#' && !fam->iids.n)
        return text[1] == '#' ? 0 : psam_header(fam, text, number, err);
    if (fam->named)
        return psam_line(fam, text, number, err);
    char *save, *fid = strtok_r(text, " \t", &save), *iid = fid ? strtok_r(NULL, " \t", &save) : NULL;
    if (!fid)
        return 0;
    if (!iid)
        return gt_fail(err, GT_INPUT, "'%s', line %lld: one column, where FID and IID were expected", fam->path, (long long)number);
    int64_t had = -1;
    int status = add_more(fam, save, err);
    if (!status)
        status = gt_strs_add(&fam->fids, fid, strlen(fid), err);
    if (!status)
        status = gt_strs_add(&fam->iids, iid, strlen(iid), err);
    if (!status)
        status = gt_names_add(fam->seen, iid, strlen(iid), 0, &had, err);
    fam->twice |= had >= 0;
    return status;
}

/* FID, apart, IID of each. */
static int join_ids(const struct fam *fam, char apart, struct gt_strs *ids, struct gt_err *err)
{
    struct gt_str id = {0};
    int status = GT_OK;
    for (size_t i = 0; i < fam->iids.n && !status; i++) {
        gt_str_clear(&id);
        gt_str_addf(&id, "%s%c%s", gt_strs_get(&fam->fids, i), apart, gt_strs_get(&fam->iids, i));
        status = gt_str_check(&id, err);
        if (!status)
            status = gt_strs_add(ids, id.s, id.len, err);
    }
    gt_str_release(&id);
    return status;
}

static int check_unique(const struct fam *fam, const struct gt_strs *ids, struct gt_err *err)
{
    struct gt_names *seen = gt_names_new(ids->budget, err);
    int64_t had = -1;
    int status = seen ? GT_OK : GT_FAIL;
    for (size_t i = 0; i < ids->n && !status; i++) {
        status = gt_names_add(seen, gt_strs_get(ids, i), strlen(gt_strs_get(ids, i)), 0, &had, err);
        if (!status && had >= 0)
            status = gt_fail(err, GT_INPUT, "'%s': sample %s %s is there twice", fam->path, gt_strs_get(&fam->fids, i),
                             gt_strs_get(&fam->iids, i));
    }
    gt_names_free(seen);
    return status;
}

int gt_fam_read(const char *path, bool psam, struct gt_strs *ids, struct gt_strs *columns, struct gt_strs *more, bool *joined, struct gt_err *err)
{
    struct fam fam = {
        .psam = psam, .seen = gt_names_new(ids->budget, err), .path = path, .more = more, .fids.budget = ids->budget, .iids.budget = ids->budget};
    int status = fam.seen ? gt_lines_read(path, fam_line, &fam, err) : GT_FAIL;
    *joined = fam.twice;
    if (!status && fam.iids.n == 0)
        status = gt_fail(err, GT_INPUT, "'%s' lists no samples", path);
    if (!status)
        status = fam.twice ? join_ids(&fam, '_', ids, err) : gt_strs_copy(ids, &fam.iids, err);
    if (!status && fam.twice)
        status = check_unique(&fam, ids, err);
    if (!status)
        status = join_ids(&fam, '\t', columns, err);
    gt_strs_release(&fam.fids);
    gt_strs_release(&fam.iids);
    gt_names_free(fam.seen);
    return status;
}

/* --- .bim ------------------------------------------------------------------------ */

#define BIM_COLUMNS 6
#define BIM_PIECE ((size_t)1 << 20)

struct column {
    const char *s;
    size_t n;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Columns of a line [p, end): how many, the first six into `columns`. */
static int split(const char *p, const char *end, struct column columns[BIM_COLUMNS])
{
    int n = 0;
    for (;;) {
        while (p < end && is_blank(*p))
            p++;
        if (p == end)
            return n;
        const char *from = p;
        while (p < end && !is_blank(*p))
            p++;
        if (n < BIM_COLUMNS)
            columns[n] = (struct column){from, (size_t)(p - from)};
        n++;
    }
}

static bool blank_line(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p == end;
}

/* A whole number as R and other programs write large ones: 1e+05, 1.5E6, 250000.0. */
static bool parse_real(const struct column *column, int64_t *value)
{
    char text[32], *end;
    if (column->n >= sizeof text || !memchr("+-.0123456789", *column->s, 13))
        return false;
    memcpy(text, column->s, column->n);
    text[column->n] = '\0';
    if (strspn(text, "+-.0123456789eE") != column->n)
        return false;
    double v = strtod(text, &end);
    if (*end || end == text || !(v > -1e15 && v < 1e15) || v != (double)(int64_t)v)
        return false;
    *value = (int64_t)v;
    return true;
}

static bool parse_position(const struct column *column, int64_t *value)
{
    const char *p = column->s, *end = p + column->n;
    bool negative = p < end && *p == '-';
    int64_t v = 0;
    p += negative;
    if (p == end || end - p > 18)
        return false;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9')
            return parse_real(column, value);
        v = v * 10 + (*p - '0');
    }
    *value = negative ? -v : v;
    return true;
}

static int bad_line(const struct gt_bim *bim, int64_t line, const char *what, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s', line %lld: %s", bim->path, (long long)line + 1, what);
}

/* A .bim's columns from those of a .snp, n of them; false: of no such number. */
static bool from_snp(struct column columns[BIM_COLUMNS], int n)
{
    static const struct column unknown = {"0", 1};
    if (n != BIM_COLUMNS && n != BIM_COLUMNS - 2)
        return false;
    const struct column id = columns[0], ref = n == BIM_COLUMNS ? columns[4] : unknown, alt = n == BIM_COLUMNS ? columns[5] : unknown;
    columns[0] = columns[1];
    columns[1] = id;
    columns[4] = alt.n == 1 && *alt.s == 'X' ? unknown : alt;
    columns[5] = ref.n == 1 && *ref.s == 'X' ? unknown : ref;
    return true;
}

/* --- .pvar --- */

/* Columns of a .bim in the header of a .pvar; the distance is none of them. */
static const char *const PVAR[BIM_COLUMNS] = {"#CHROM", "ID", NULL, "POS", "ALT", "REF"};

/* The next column of a line [*p, end); a blank is part of it where tabs stand between. */
static bool next_column(const struct gt_bim *bim, const char **p, const char *end, struct column *column)
{
    const char *from = *p;
    while (!bim->tabs && from < end && is_blank(*from))
        from++;
    if (from >= end)
        return false;
    const char *to = from;
    while (to < end && *to != '\t' && (bim->tabs || *to != ' '))
        to++;
    *p = to < end ? to + 1 : to;
    while (to > from && to == end && to[-1] == '\r')
        to--;
    *column = (struct column){from, (size_t)(to - from)};
    return true;
}

static int pvar_header(struct gt_bim *bim, const char *p, const char *end, struct gt_err *err)
{
    struct column column;
    if (end - p > 1 && p[1] == '#')
        return 0;
    bim->named = true;
    bim->tabs = memchr(p, '\t', (size_t)(end - p)) != NULL;
    for (int c = 0; c < BIM_COLUMNS; c++)
        bim->at[c] = -1;
    for (bim->columns = 0; next_column(bim, &p, end, &column); bim->columns++)
        for (int c = 0; c < BIM_COLUMNS; c++)
            if (PVAR[c] && strlen(PVAR[c]) == column.n && memcmp(PVAR[c], column.s, column.n) == 0)
                bim->at[c] = bim->columns;
    for (int c = 0; c < BIM_COLUMNS; c++)
        if (PVAR[c] && bim->at[c] < 0)
            return gt_fail(err, GT_INPUT, "'%s': its header names no %s", bim->path, PVAR[c]);
    return 0;
}

static bool has_empty_allele(const struct column *alts)
{
    for (size_t i = 0; i < alts->n; i++)
        if (alts->s[i] == ',' && (i == 0 || i + 1 == alts->n || alts->s[i - 1] == ','))
            return true;
    return alts->n == 0;
}

static const char *pvar_columns(const struct gt_bim *bim, const char *p, const char *end, struct column columns[BIM_COLUMNS])
{
    struct column column;
    int n = 0;
    columns[2] = (struct column){"0", 1};
    for (; next_column(bim, &p, end, &column); n++)
        for (int c = 0; c < BIM_COLUMNS; c++)
            if (bim->at[c] == n)
                columns[c] = column;
    if (n != bim->columns)
        return "not as many columns as its header";
    if (has_empty_allele(&columns[4]) || !columns[5].n || !columns[0].n || !columns[1].n)
        return "an empty column or allele";
    return NULL;
}

/* Five columns of a .bim occur too: without the genetic distance. */
static int check_columns(const struct gt_bim *bim, int64_t line, const char *p, const char *end, struct column columns[BIM_COLUMNS],
                         int64_t *position, struct gt_err *err)
{
    const char *fault = bim->named ? pvar_columns(bim, p, end, columns) : NULL;
    int n = bim->named ? BIM_COLUMNS : split(p, end, columns);
    if (fault)
        return bad_line(bim, line, fault, err);
    if (memchr(p, '\0', (size_t)(end - p)))
        return bad_line(bim, line, "a NUL byte", err);
    if (bim->snp && !from_snp(columns, n))
        return bad_line(bim, line, "not the six columns of a .snp, nor four without alleles", err);
    if (!bim->snp && n == BIM_COLUMNS - 1) {
        memmove(&columns[3], &columns[2], 3 * sizeof *columns);
        n++;
    }
    if (!bim->snp && n != BIM_COLUMNS)
        return bad_line(bim, line, "not the six columns of a .bim", err);
    return parse_position(&columns[3], position) ? 0 : bad_line(bim, line, "the position is not a whole number", err);
}

static int scan_line(struct gt_bim *bim, const char *p, const char *end, int64_t offset, struct gt_err *err)
{
    struct column columns[BIM_COLUMNS];
    int64_t position, number;
    if (blank_line(p, end))
        return 0;
    if (bim->pvar && *p == '#' && !bim->n && !bim->named)
        return pvar_header(bim, p, end, err);
    int status = bim->n % bim->step ? 0 : gt_buf_append(&bim->starts, &offset, sizeof offset, err);
    if (!status)
        status = check_columns(bim, bim->n, p, end, columns, &position, err);
    if (status)
        return status;
    bim->n++;
    bim->many |= bim->pvar && memchr(columns[4].s, ',', columns[4].n) != NULL;
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

/* Lines of the file through a window that grows only for a longer line. */
static int scan(struct gt_bim *bim, struct gt_buf *window, struct gt_err *err)
{
    int64_t base = 0; /* offset of the window's first byte */
    int status = gt_buf_reserve(window, BIM_PIECE, err);
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
    bim->starts.budget = bim->contigs.budget = budget;
    bim->path = gt_strdup(path, err);
    bim->numbers = gt_names_new(budget, err);
    int status = 0;
    if (!bim->path || !bim->numbers)
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
    gt_strs_release(&bim->contigs);
    gt_names_free(bim->numbers);
    *bim = (struct gt_bim){.fd = -1};
}

static int changed(const struct gt_bim *bim, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s' changed while it was read", bim->path);
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

static int add_alleles(const struct gt_bim *bim, const struct column *a1, const struct column *a2, unsigned fields, struct gt_block *block,
                       struct gt_site *site, struct gt_err *err)
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

int gt_bim_parse(const struct gt_bim *bim, int64_t group, const struct gt_buf *text, unsigned fields, struct gt_block *block,
                 struct gt_err *err)
{
    const char *p = (const char *)text->data, *end = p + text->len;
    int64_t line = group * bim->step;
    for (const char *next; p < end; p = next) {
        struct column columns[BIM_COLUMNS];
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        next = nl ? nl + 1 : end;
        if (blank_line(p, stop))
            continue;
        struct gt_site site = {.id = 0};
        int status = check_columns(bim, line, p, stop, columns, &site.position, err);
        if (status)
            return status;
        int64_t contig = gt_names_find(bim->numbers, columns[0].s, columns[0].n);
        if (contig < 0)
            return changed(bim, err);
        site.contig = (int32_t)contig;
        site.length = (int64_t)columns[5].n;
        gt_site_no_quality(&site);
        site.id = fields & GT_SITE_ID ? (uint32_t)block->ids.n : 0;
        if ((status = add_alleles(bim, &columns[4], &columns[5], fields, block, &site, err)) != 0 ||
            ((fields & GT_SITE_ID) && (status = gt_strs_add(&block->ids, columns[1].s, columns[1].n, err)) != 0) ||
            (status = gt_buf_append(&block->sites, &site, sizeof site, err)) != 0)
            return status;
        line++;
    }
    return line - group * bim->step == block->n ? 0 : changed(bim, err);
}
