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

/* "#FID IID ...": where columns stand. */
static int psam_header(struct fam *fam, char *text, int64_t number, struct gt_err *err)
{
    gt_psam_header(text, " \t", fam->at);
    fam->named = true;
    if (fam->at[IID] >= 0)
        return 0;
    return gt_fail(err, GT_INPUT, "'%s', line %lld: the header has no column IID", fam->path, (long long)number);
}

static int add_sample(struct fam *fam, const char *const value[FAM_COLUMNS], struct gt_err *err)
{
    int64_t had = -1;
    int status = gt_strs_addf(fam->more, err, "%s\t%s\t%s\t%s", value[PAT], value[MAT], value[SEX], value[PHENO]);
    if (!status)
        status = gt_strs_add(&fam->fids, value[FID], strlen(value[FID]), err);
    if (!status)
        status = gt_strs_add(&fam->iids, value[IID], strlen(value[IID]), err);
    if (!status)
        status = gt_names_add(fam->seen, value[IID], strlen(value[IID]), 0, &had, err);
    fam->twice |= had >= 0;
    return status;
}

static bool is_unknown(const struct fam *fam, int column, const char *text)
{
    return !text || (fam->named && (strcmp(text, "NA") == 0 || (column == PHENO && strcmp(text, "NONE") == 0)));
}

static int fam_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    static const char *const unknown[FAM_COLUMNS] = {"0", "NA", "0", "0", "0", "-9"};
    struct fam *fam = ctx;
    const char *value[FAM_COLUMNS] = {0};
    if (fam->psam && *text == '#' && !fam->iids.n)
        return text[1] == '#' ? 0 : psam_header(fam, text, number, err);
    char *save, *word = strtok_r(text, " \t", &save);
    if (!word)
        return 0;
    for (int n = 0; word; word = strtok_r(NULL, " \t", &save), n++)
        for (int c = 0; c < FAM_COLUMNS; c++)
            value[c] = fam->at[c] == n ? word : value[c];
    if (!value[IID])
        return gt_fail(err, GT_INPUT, "'%s', line %lld: %s", fam->path, (long long)number,
                       fam->named ? "it has no IID" : "one column; FID and IID are needed");
    for (int c = 0; c < FAM_COLUMNS; c++)
        value[c] = is_unknown(fam, c, value[c]) ? unknown[c] : value[c];
    if (fam->named && (strcmp(value[SEX], "M") == 0 || strcmp(value[SEX], "F") == 0))
        value[SEX] = *value[SEX] == 'M' ? "1" : "2";
    return add_sample(fam, value, err);
}

/* FID, apart, IID of each. */
static int join_ids(const struct fam *fam, char apart, struct gt_strs *ids, struct gt_err *err)
{
    int status = GT_OK;
    for (size_t i = 0; i < fam->iids.n && !status; i++)
        status = gt_strs_addf(ids, err, "%s%c%s", gt_strs_get(&fam->fids, i), apart, gt_strs_get(&fam->iids, i));
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
                      .at = {FID, IID, PAT, MAT, SEX, PHENO},
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
