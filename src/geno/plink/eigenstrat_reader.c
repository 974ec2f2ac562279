/* The genotype files of EIGENSOFT, which count copies of the first allele of the .snp, 9 or 3 where missing.
 *
 * text:   a line a site, a digit a sample.
 * GENO:   a line of text with both numbers, then a record a site: two bits a sample, the first one highest; all
 *         records, the line's too, have 48 bytes or more.
 * TGENO:  the same but that a record is a sample; the line has 48 bytes.
 *
 * Source: the documentation of EIGENSOFT's convertf, and PLINK 2's of its file formats. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/line_file.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/plink/fileset.h"
#include "geno/plink/plink_readers.h"
#include "kernels/kernels.h"

enum { RECORD = 48 }; /* of GENO and TGENO, at least */

struct eigenstrat {
    struct gt_fileset file;          /* first */
    long long n_samples, n_variants; /* as the header has them */
    int line_end;                    /* of text: bytes after the digits */
};

static const struct eigenstrat *of_file(const struct gt_fileset *file)
{
    return (const struct eigenstrat *)file;
}

/* "x.geno", "x.eigenstratgeno" and the like -> "x" */
static size_t stem(const char *path)
{
    const size_t n = strlen(path);
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot && n > 4 && strcmp(path + n - 4, "geno") == 0 ? (size_t)(dot - path) : n;
}

/* --- .ind ----------------------------------------------------------------------------- */

struct ind {
    struct gt_geno_info *info;
    struct gt_names *seen;
    const char *path;
};

/* Id, sex, group: the group takes the place of PLINK's family. */
static int ind_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct ind *ind = ctx;
    char *column[3];
    int64_t had = -1;
    gt_line_columns(text, " \t", column, 3);
    const char *id = column[0], *sex = column[1], *group = column[2];
    if (!id)
        return 0;
    if (!group)
        return gt_fail(err, GT_INPUT, "'%s', line %lld: not the three columns of a .ind: id, sex, group", ind->path, (long long)number);
    int status = gt_names_add(ind->seen, id, strlen(id), 0, &had, err);
    if (!status && had >= 0)
        status = gt_fail(err, GT_INPUT, "'%s', line %lld: sample %s is duplicated", ind->path, (long long)number, id);
    if (!status)
        status = gt_strs_add(&ind->info->samples, id, strlen(id), err);
    if (!status)
        status = gt_strs_addf(&ind->info->plink_ids, err, "%s\t%s", group, id);
    if (!status)
        status = gt_strs_addf(&ind->info->pedigree, err, "0\t0\t%c\t-9", *sex == 'M' ? '1' : *sex == 'F' ? '2' : '0');
    return status;
}

static int read_ind(struct gt_fileset *file, const char *path, struct gt_err *err)
{
    struct ind ind = {&file->base.info, gt_names_new(file->base.info.samples.budget, err), path};
    int status = ind.seen ? gt_lines_read(path, ind_line, &ind, err) : GT_FAIL;
    gt_names_free(ind.seen);
    return status;
}

/* --- text --------------------------------------------------------------------------------- */

static int lay_text(struct gt_fileset *file, struct gt_err *err)
{
    const int64_t n = file->base.info.n_samples;
    uint8_t end[2] = {0};
    const int64_t there = gt_min_i64(file->input.size - n, 2);
    int status = there > 0 ? gt_input_pread(&file->input, end, (size_t)there, n, err) : 0;
    ((struct eigenstrat *)file)->line_end = end[0] == '\r' && end[1] == '\n' ? 2 : 1;
    gt_fileset_lay_rows(file, n + of_file(file)->line_end);
    return status;
}

static int check_text(struct gt_fileset *file, struct gt_err *err)
{
    return gt_fileset_check_rows(file, file->bim.n, of_file(file)->line_end, err);
}

/* A digit of a line, or its end, is not what it should be. */
static int bad_text(const struct gt_fileset *file, int64_t site, int64_t sample, int c, struct gt_err *err)
{
    char shown[8];
    const int64_t n = file->base.info.n_samples;
    snprintf(shown, sizeof shown, c >= ' ' && c < 127 ? "'%c'" : "\\x%02x", (unsigned)c);
    if (sample == n)
        return gt_fail(err, GT_INPUT, "'%s', line %lld: %s where the line of %lld samples should end", file->input.name,
                       (long long)site + 1, shown, (long long)n);
    return gt_fail(err, GT_INPUT, "'%s', line %lld: sample '%.100s' has %s, not 0, 1, 2 or 9", file->input.name, (long long)site + 1,
                   gt_strs_get(&file->base.info.samples, (size_t)sample), shown);
}

static bool is_count(int c)
{
    return (c >= '0' && c <= '2') || c == '9';
}

/* Digits become dosages of the second allele, in place: 9 one below 0. */
static int unpack_line(const struct gt_fileset *file, int64_t site, uint8_t *line, uint8_t *row, struct gt_err *err)
{
    const int64_t n = file->base.info.n_samples;
    unsigned bad = 0;
    for (int64_t i = 0; i < n; i++)
        bad |= (unsigned)!is_count(line[i]);
    for (int64_t i = 0; bad && i < n; i++)
        if (!is_count(line[i]))
            return bad_text(file, site, i, line[i], err);
    for (int64_t i = 0; i < n; i++)
        line[i] = (uint8_t)('2' - line[i]);
    gt_kernels()->pack_i8((const int8_t *)line, n, row);
    return 0;
}

static int unpack_text(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, uint8_t *rows, struct gt_err *err)
{
    const int64_t n_samples = file->base.info.n_samples;
    int status = 0;
    for (int64_t v = 0; v < n && !status; v++, raw += file->pitch, rows += file->stride) {
        const bool cut = file->header + (first + v + 1) * file->pitch > file->input.size; /* the last line has no end */
        if (!cut && raw[file->pitch - 1] != '\n')
            return bad_text(file, first + v, n_samples, raw[n_samples], err);
        if (!cut && of_file(file)->line_end == 2 && raw[n_samples] != '\r')
            return bad_text(file, first + v, n_samples, raw[n_samples], err);
        status = unpack_line(file, first + v, raw, rows, err);
    }
    return status;
}

/* --- records --------------------------------------------------------------------------------- */

static int begin_packed(struct gt_fileset *file, struct gt_err *err)
{
    struct eigenstrat *own = (struct eigenstrat *)file;
    char line[RECORD + 1] = {0};
    const int64_t there = gt_min_i64(file->input.size, RECORD);
    int status = gt_input_pread(&file->input, line, (size_t)there, 0, err);
    if (!status && sscanf(line, "%*s %18lld %18lld", &own->n_samples, &own->n_variants) != 2)
        status =
            gt_fail(err, GT_INPUT, "'%s': its first line is damaged: it must give the numbers of samples and variants", file->input.name);
    return status;
}

static int64_t record_bytes(int64_t n)
{
    return gt_max_i64(gt_ceil_div(n, 4), RECORD);
}

static int check_numbers(const struct gt_fileset *file, struct gt_err *err)
{
    const struct eigenstrat *own = of_file(file);
    const int64_t samples = file->base.info.n_samples, variants = file->bim.n;
    if (own->n_samples == samples && own->n_variants == variants)
        return 0;
    return gt_fail(err, GT_INPUT, "'%s' declares %lld samples and %lld variants; .ind and .snp have %lld and %lld", file->input.name,
                   own->n_samples, own->n_variants, (long long)samples, (long long)variants);
}

static int lay_packed(struct gt_fileset *file, struct gt_err *err)
{
    (void)err;
    file->header = record_bytes(file->base.info.n_samples);
    gt_fileset_lay_rows(file, file->header);
    return 0;
}

static int check_packed(struct gt_fileset *file, struct gt_err *err)
{
    int status = check_numbers(file, err);
    return status ? status : gt_fileset_check_rows(file, file->bim.n, 0, err);
}

static int unpack_packed(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, uint8_t *rows, struct gt_err *err)
{
    (void)first;
    (void)err;
    for (int64_t v = 0; v < n; v++)
        gt_kernels()->geno_to_packed(raw + v * file->pitch, file->base.info.n_samples, rows + (size_t)v * file->stride);
    return 0;
}

/* --- records that are samples --------------------------------------------------------------- */

/* Of each sample a piece of at least this is read, so that there are few of them. */
enum { PIECE = 1024, PIECE_MOST = 4096 };

static int lay_turned(struct gt_fileset *file, struct gt_err *err)
{
    const int64_t n = file->base.info.n_samples;
    (void)err;
    file->header = RECORD;
    file->rows = 4 * gt_min_i64(gt_max_i64(((int64_t)8 << 20) / n / 64 * 64, PIECE), PIECE_MOST);
    file->stride = ((size_t)n + 63) / 64 * 16;
    return 0;
}

static int check_turned(struct gt_fileset *file, struct gt_err *err)
{
    int status = check_numbers(file, err);
    file->pitch = record_bytes(file->bim.n);
    return status ? status : gt_fileset_check_rows(file, file->base.info.n_samples, 0, err);
}

static int64_t turned_bytes(const struct gt_fileset *file, int64_t n)
{
    return file->base.info.n_samples * gt_ceil_div(n, 4);
}

static int read_turned(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, struct gt_err *err)
{
    const int64_t piece = gt_ceil_div(n, 4);
    int status = 0;
    for (int64_t s = 0; s < file->base.info.n_samples && !status; s++)
        status = gt_input_pread(&file->input, raw + s * piece, (size_t)piece, file->header + s * file->pitch + first / 4, err);
    return status;
}

static int unpack_turned(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, uint8_t *rows, struct gt_err *err)
{
    const int64_t piece = gt_ceil_div(n, 4), n_samples = file->base.info.n_samples;
    (void)first;
    (void)err;
    for (int64_t s = 0; s < n_samples; s++)
        gt_kernels()->geno_to_packed(raw + s * piece, n, raw + s * piece);
    gt_kernels()->turn_codes(raw, (size_t)piece, n_samples, n, rows, file->stride);
    return 0;
}

int gt_reader_open_eigenstrat(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err)
{
#define EIGENSTRAT                                                                                                                         \
    .sites = ".snp", .samples = ".ind", .to_utf8 = "convert the .snp and the .ind with iconv -f LATIN1 -t UTF-8", .stem = stem,            \
    .snp = true, .provisional = true, .size = sizeof(struct eigenstrat), .read_samples = read_ind
    static const struct gt_fileset_ops text = {EIGENSTRAT,           .kind = "EIGENSTRAT",          .layout = lay_text,
                                               .check = check_text,  .bytes = gt_fileset_row_bytes, .read = gt_fileset_read_rows,
                                               .unpack = unpack_text};
    static const struct gt_fileset_ops packed = {EIGENSTRAT,
                                                 .kind = "packed ANCESTRYMAP",
                                                 .begin = begin_packed,
                                                 .layout = lay_packed,
                                                 .check = check_packed,
                                                 .bytes = gt_fileset_row_bytes,
                                                 .read = gt_fileset_read_rows,
                                                 .unpack = unpack_packed};
    static const struct gt_fileset_ops turned = {EIGENSTRAT,
                                                 .kind = "packed ANCESTRYMAP by samples",
                                                 .begin = begin_packed,
                                                 .layout = lay_turned,
                                                 .check = check_turned,
                                                 .bytes = turned_bytes,
                                                 .read = read_turned,
                                                 .unpack = unpack_turned};
#undef EIGENSTRAT
    char first = '0';
    if (input->seekable && input->size > 0) {
        int status = gt_input_pread(input, &first, 1, 0, err);
        if (status)
            return status;
    }
    return gt_fileset_open(out, engine, input, first == 'G' ? &packed : first == 'T' ? &turned : &text, err);
}
