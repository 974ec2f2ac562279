/* Samples of PLINK: .fam and .psam. */
#include "config.h"

#include <string.h>

#include "core/base/line_file.h"
#include "geno/samples/fam.h"

enum { FID = GT_PSAM_FID, IID = GT_PSAM_IID, PAT, MAT, SEX, PHENO = GT_PSAM_OTHER, FAM_COLUMNS = GT_PSAM_COLUMNS };

struct fam {
    bool psam, named;
    int at[FAM_COLUMNS]; /* -1: there is none */
    struct gt_strs fids, iids, *more;
    struct gt_names *seen;
    bool twice;
    const char *path;
};

/* The columns after the ids. */
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
    gt_psam_header(text, " \t", fam->at);
    fam->named = true;
    if (fam->at[IID] >= 0)
        return 0;
    return gt_fail(err, GT_INPUT, "'%s', line %lld: the header has no column IID", fam->path, (long long)number);
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
        return gt_fail(err, GT_INPUT, "'%s', line %lld: it has no IID", fam->path, (long long)number);
    for (int c = 0; c < FAM_COLUMNS; c++)
        value[c] = !value[c] || strcmp(value[c], "NA") == 0 || (c == PHENO && strcmp(value[c], "NONE") == 0)
                       ? (unknown[c] ? unknown[c] : value[c])
                       : value[c];
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
        return gt_fail(err, GT_INPUT, "'%s', line %lld: one column; FID and IID are needed", fam->path, (long long)number);
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
            status = gt_fail(err, GT_INPUT, "'%s': sample %s %s is duplicated", fam->path, gt_strs_get(&fam->fids, i),
                             gt_strs_get(&fam->iids, i));
    }
    gt_names_free(seen);
    return status;
}

int gt_fam_read(const char *path, bool psam, struct gt_strs *ids, struct gt_strs *columns, struct gt_strs *more, bool *joined,
                struct gt_err *err)
{
    struct fam fam = {.psam = psam,
                      .seen = gt_names_new(ids->budget, err),
                      .path = path,
                      .more = more,
                      .fids.budget = ids->budget,
                      .iids.budget = ids->budget};
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
