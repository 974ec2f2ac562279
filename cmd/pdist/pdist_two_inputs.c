#include "cmd/pdist/pdist_two_inputs.h"

#include <string.h>
#include <sys/stat.h>

#include "geno/select/select_check.h"
#include "geno/source/site_compare.h"

/* A list may be a pipe, which can be looked at once only; an input may not. */
static int find_input(const char *path, bool *is, struct gt_err *err)
{
    struct gt_input input = {0};
    struct gt_err why = {0};
    struct stat st;
    *is = false;
    if (!path || strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
        return GT_OK;
    const int status = gt_input_open(&input, path, &why);
    gt_input_release(&input);
    *is = status == GT_OK;
    if (status == GT_FAIL || status == GT_NOFIT) { /* not known */
        *err = why;
        return status;
    }
    return GT_OK;
}

int pdist_other_find(struct pdist_other *other, struct pdist_subset *subset, struct gt_err *err)
{
    bool rows, columns;
    int status = find_input(subset->rows, &rows, err);
    status = status ? status : find_input(subset->columns, &columns, err);
    if (status)
        return status;
    if (rows && columns) {
        gt_fail(err, GT_USAGE, "'%s' and '%s' are both inputs", subset->rows, subset->columns);
        gt_hint(err, "give one of them as IN: gt-pdist --cols %s %s", subset->columns, subset->rows);
        return GT_USAGE;
    }
    if (!rows && !columns)
        return GT_OK;
    other->path = rows ? subset->rows : subset->columns;
    other->rows = rows;
    subset->other = true;
    *(rows ? &subset->rows : &subset->columns) = NULL;
    return GT_OK;
}

static int check(const struct pdist_other *other, const struct pdist_look *look, const struct pdist_input *in, struct gt_err *err)
{
    if (look->mahalanobis)
        return gt_fail(err, GT_USAGE, "-m %s compares rows of one array; '%s' is a second one", look->use->metric->name, other->path);
    if (strcmp(in->item, "variant") == 0)
        return gt_fail(err, GT_USAGE, "variants are compared within one input; '%s' is a second one", other->path);
    return GT_OK;
}

int pdist_other_open(struct pdist_other *other, struct gt_cli *cli, struct pdist_input *in, const struct pdist_look *look,
                     struct gt_err *err)
{
    struct pdist_look second = *look;
    if (!other->path)
        return GT_OK;
    int status = check(other, look, in, err);
    if (status)
        return status;
    other->select = cli->select;
    other->select.samples = other->select.samples_file = NULL;
    second.paths = &other->path;
    second.n_paths = 1;
    second.array = NULL;
    second.select = &other->select;
    status = gt_select_check_lists(&other->select, 2, err);
    status = status ? status : pdist_input_open(&other->in, cli, &second, err);
    if (!status && in->source && other->in.source)
        status = gt_sources_agree(&cli->engine, in->source, other->in.source, err);
    return status;
}

int pdist_other_join(struct pdist_other *other, struct gt_cli *cli, struct pdist_input *in, struct gt_err *err)
{
    struct gt_row_source *rows = other->rows ? other->in.row_source : in->row_source,
                         *columns = other->rows ? in->row_source : other->in.row_source;
    int status = other->path ? gt_row_source_join(&in->row_source, &cli->engine, rows, columns, err) : GT_OK;
    if (!status)
        other->in.row_source = NULL;
    return status;
}

void pdist_other_release(struct pdist_other *other)
{
    pdist_input_release(&other->in);
}
