#include "config.h"

#include "geno/plink/site_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Columns of a line [p, end): how many, the first six into `columns`. */
static int split(const char *p, const char *end, struct bim_column columns[BIM_COLUMNS])
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
            columns[n] = (struct bim_column){from, (size_t)(p - from)};
        n++;
    }
}

bool bim_line_is_blank(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p == end;
}

/* A whole number as R and other programs write large ones: 1e+05, 1.5E6, 250000.0. */
static bool parse_real(const struct bim_column *column, int64_t *value)
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

static bool parse_position(const struct bim_column *column, int64_t *value)
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

int bim_bad_line(const struct gt_bim *bim, int64_t line, const char *what, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s', line %lld: %s", bim->path, (long long)line + 1, what);
}

/* A .bim's columns from those of a .snp, n of them; false: of no such number. */
static bool from_snp(struct bim_column columns[BIM_COLUMNS], int n)
{
    static const struct bim_column unknown = {"0", 1};
    if (n != BIM_COLUMNS && n != BIM_COLUMNS - 2)
        return false;
    const struct bim_column id = columns[0], ref = n == BIM_COLUMNS ? columns[4] : unknown, alt = n == BIM_COLUMNS ? columns[5] : unknown;
    columns[0] = columns[1];
    columns[1] = id;
    columns[4] = alt.n == 1 && *alt.s == 'X' ? unknown : alt;
    columns[5] = ref.n == 1 && *ref.s == 'X' ? unknown : ref;
    return true;
}

/* Columns of a .bim in the header of a .pvar; the distance is none of them. */
static const char *const PVAR[BIM_ALL] = {"#CHROM", "ID", NULL, "POS", "ALT", "REF", "QUAL", "FILTER", "INFO"};

/* The next column of a line [*p, end); a blank is part of it where tabs stand between. */
static bool next_column(const struct gt_bim *bim, const char **p, const char *end, struct bim_column *column)
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
    *column = (struct bim_column){from, (size_t)(to - from)};
    return true;
}

int bim_header(struct gt_bim *bim, const char *p, const char *end, struct gt_err *err)
{
    struct bim_column column;
    if (end - p > 1 && p[1] == '#') {
        const int status = gt_buf_append(&bim->meta, p, (size_t)(end - p), err);
        return status ? status : gt_buf_append(&bim->meta, "\n", 1, err);
    }
    bim->named = true;
    bim->tabs = memchr(p, '\t', (size_t)(end - p)) != NULL;
    for (int c = 0; c < BIM_ALL; c++)
        bim->at[c] = -1;
    for (bim->columns = 0; next_column(bim, &p, end, &column); bim->columns++)
        for (int c = 0; c < BIM_ALL; c++)
            if (PVAR[c] && strlen(PVAR[c]) == column.n && memcmp(PVAR[c], column.s, column.n) == 0)
                bim->at[c] = bim->columns;
    for (int c = 0; c < BIM_COLUMNS; c++)
        if (PVAR[c] && bim->at[c] < 0)
            return gt_fail(err, GT_INPUT, "'%s': its header has no column %s", bim->path, PVAR[c]);
    return 0;
}

static bool has_empty_allele(const struct bim_column *alts)
{
    for (size_t i = 0; i < alts->n; i++)
        if (alts->s[i] == ',' && (i == 0 || i + 1 == alts->n || alts->s[i - 1] == ','))
            return true;
    return alts->n == 0;
}

static const char *pvar_columns(const struct gt_bim *bim, const char *p, const char *end, struct bim_column columns[BIM_ALL])
{
    struct bim_column column;
    int n = 0;
    columns[2] = (struct bim_column){"0", 1};
    for (; next_column(bim, &p, end, &column); n++)
        for (int c = 0; c < BIM_ALL; c++)
            if (bim->at[c] == n)
                columns[c] = column;
    if (n != bim->columns)
        return "the number of columns differs from the header";
    if (has_empty_allele(&columns[4]) || !columns[5].n || !columns[0].n || !columns[1].n)
        return "an empty column or allele";
    return NULL;
}

/* PLINK leaves out variants of negative positions; here rows are counted by lines. */
static int negative_position(const struct gt_bim *bim, int64_t line, int64_t position, struct gt_err *err)
{
    char what[60];
    snprintf(what, sizeof what, "the position is negative: %lld", (long long)position);
    bim_bad_line(bim, line, what, err);
    if (bim->snp)
        gt_hint(err, "set it to 0 if it is unknown, or leave the SNP out with convertf (badsnpname)");
    else
        gt_hint(err, "PLINK leaves such variants out: plink2 %s, then read NEW",
                bim->pvar ? "--pfile PREFIX --make-pgen --out NEW" : "--bfile PREFIX --make-bed --out NEW");
    return GT_INPUT;
}

int bim_line(const struct gt_bim *bim, int64_t line, const char *p, const char *end, struct bim_column columns[BIM_ALL], int64_t *position,
             struct gt_err *err)
{
    columns[BIM_QUAL] = columns[BIM_FILTER] = columns[BIM_INFO] = (struct bim_column){".", 1};
    const char *fault = bim->named ? pvar_columns(bim, p, end, columns) : NULL;
    int n = bim->named ? BIM_COLUMNS : split(p, end, columns);
    if (fault)
        return bim_bad_line(bim, line, fault, err);
    if (memchr(p, '\0', (size_t)(end - p)))
        return bim_bad_line(bim, line, "a NUL byte", err);
    if (bim->snp && !from_snp(columns, n))
        return bim_bad_line(bim, line, "a .snp line has six columns, or four without alleles", err);
    if (!bim->snp && n == BIM_COLUMNS - 1) { /* that occurs too: without the genetic distance */
        memmove(&columns[3], &columns[2], 3 * sizeof *columns);
        n++;
    }
    if (!bim->snp && n != BIM_COLUMNS)
        return bim_bad_line(bim, line, "a .bim line has six columns", err);
    if (!parse_position(&columns[3], position))
        return bim_bad_line(bim, line, "the position is not a whole number", err);
    return *position < 0 ? negative_position(bim, line, *position, err) : 0;
}

bool bim_next_filter(const struct bim_column *column, const char **p, const char **stop)
{
    const char *end = column->s + column->n, *semicolon;
    *p = *p ? *stop + 1 : column->s;
    if (*p > end || (column->n == 1 && *column->s == '.'))
        return false;
    semicolon = memchr(*p, ';', (size_t)(end - *p));
    *stop = semicolon ? semicolon : end;
    return true;
}
