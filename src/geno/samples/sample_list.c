#include "config.h"

#include "geno/samples/sample_list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/line_file.h"
#include "core/base/mem.h"
#include "core/base/slice.h"
#include "geno/model/absent.h"
#include "geno/samples/fam.h"

struct choice {
    const struct gt_strs *samples;
    struct gt_sample_index index;
    const char *input; /* for messages */
    struct gt_absent absent;
    uint8_t *listed; /* one an input sample */
    bool any;        /* a line of the list names a sample */
    uint32_t *list;
    int64_t n;
};

/* Those of --keep-fam. */
struct family_list {
    struct gt_strs names;
    struct gt_names *numbers;
    uint8_t *seen; /* one per family: it has a sample */
};

static int take(struct choice *c, int64_t number, struct gt_err *err)
{
    if (c->listed[number])
        return gt_fail(err, GT_INPUT, "sample '%s' is listed twice", gt_strs_get(c->samples, (size_t)number));
    c->listed[number] = 1;
    c->list[c->n++] = (uint32_t)number;
    return 0;
}

/* The sample that is called so but for blanks around it and capitals; NULL = none. */
static const char *sample_like(const struct gt_strs *samples, const char *name)
{
    name += strspn(name, " ");
    size_t n = strlen(name);
    while (n > 0 && name[n - 1] == ' ')
        n--;
    for (size_t i = 0; i < samples->n; i++) {
        const char *id = gt_strs_get(samples, i);
        if (strncasecmp(id, name, n) == 0 && !id[n])
            return id;
    }
    return NULL;
}

/* Is it the IID of some samples, whose names are FID_IID? */
static bool is_joined(const struct choice *c, const char *iid)
{
    for (size_t i = 0; i < c->index.plink_ids->n; i++)
        if (strcmp(strchr(gt_strs_get(c->index.plink_ids, i), '\t') + 1, iid) == 0)
            return true;
    return false;
}

static void absent(struct choice *c, const char *name)
{
    if (gt_absent_add(&c->absent, name, strlen(name)) && is_joined(c, name)) {
        gt_fail(&c->absent.reason, GT_INPUT, "there is no sample '%s' in '%s'", name, c->input);
        gt_hint(&c->absent.reason, "its IIDs are not unique: use FID_IID, or lines \"FID IID\"");
    }
}

/* What is said of the names of one option; the next one starts from none. */
static int judge(struct choice *c, const struct gt_select_opts *opts, struct gt_strs *notes, struct gt_err *err)
{
    struct gt_str where = {0};
    const char *like = c->absent.n && strcmp(c->absent.thing, "sample") == 0 ? sample_like(c->samples, c->absent.first.s) : NULL;
    gt_str_addf(&where, "'%s'", c->input);
    int status = gt_str_check(&where, err);
    status = status ? status : gt_absent_judge(&c->absent, opts, where.s, like, notes, err);
    gt_str_release(&where);
    gt_absent_release(&c->absent);
    return status;
}

static int take_list(struct choice *c, const char *list, struct gt_err *err)
{
    int status = 0;
    for (const char *p = list; !status; p++) {
        size_t n = strcspn(p, ",");
        int64_t number = gt_names_find(c->index.numbers, p, n);
        c->absent.named++;
        if (n == 0) {
            status = gt_fail(err, GT_USAGE, "a sample name in '%s' is empty", list);
        } else if (number >= 0) {
            status = take(c, number, err);
        } else {
            char *name = gt_strndup(p, n, err);
            status = name ? GT_OK : GT_FAIL;
            if (name)
                absent(c, name);
            free(name);
        }
        p += n;
        if (!*p)
            break;
    }
    return status;
}

static const char *other_family(const struct gt_strs *families, const char *fid, const char *iid, int64_t sample)
{
    const size_t n = strlen(fid);
    if (!families || !families->n || strcmp(fid, "0") == 0)
        return NULL;
    const char *known = gt_strs_get(families, (size_t)sample);
    const bool same = (strncmp(known, fid, n) == 0 && known[n] == '\t') || strncmp(known, "0\t", 2) == 0;
    return !same && strcmp(known + strcspn(known, "\t") + 1, iid) == 0 ? known : NULL;
}

static int64_t find(const struct gt_sample_index *index, const char *id)
{
    return gt_names_find(index->numbers, id, strlen(id));
}

int gt_sample_find(const struct gt_sample_index *index, struct gt_sample_named *named, struct gt_err *err)
{
    struct gt_str both = {0};
    named->number = find(index, named->id);
    named->other = NULL;
    if (!named->fid)
        return GT_OK;
    if (named->number < 0) {
        gt_str_addf(&both, "%s_%s", named->fid, named->id);
        if (gt_str_check(&both, err))
            return GT_FAIL;
        named->number = find(index, both.s);
        gt_str_release(&both);
    }
    if (named->number < 0)
        named->number = find(index, named->fid);
    if (named->number >= 0)
        named->other = other_family(index->plink_ids, named->fid, named->id, named->number);
    return GT_OK;
}

int gt_sample_in_line(const struct gt_sample_index *index, char *text, int64_t line, struct gt_sample_named *named, struct gt_err *err)
{
    char *column[2];
    *named = (struct gt_sample_named){.number = -1};
    if (!text[strspn(text, " \t")] || (line == 1 && gt_psam_is_header(text)))
        return GT_OK;
    named->id = text;
    if ((named->number = find(index, text)) >= 0)
        return GT_OK;
    const bool two = gt_line_columns(text, gt_line_between(text), column, 2) == 2;
    named->fid = two ? column[0] : NULL;
    named->id = column[two];
    return gt_sample_find(index, named, err);
}

static int of_other_family(struct choice *c, const struct gt_sample_named *named, struct gt_err *err)
{
    struct gt_str both = {0};
    const char *known = named->other;
    const int n = (int)strcspn(known, "\t");
    gt_str_addf(&both, "%s %s", named->fid, known + n + 1);
    int status = gt_str_check(&both, err);
    if (!status && gt_absent_add(&c->absent, both.s, both.len)) {
        gt_fail(&c->absent.reason, GT_INPUT, "there is no sample '%s' in '%s': its family id is '%.*s'", both.s, c->input, n, known);
        gt_hint(&c->absent.reason, "list IIDs alone, one per line");
    }
    gt_str_release(&both);
    return status;
}

static int take_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct choice *c = ctx;
    struct gt_sample_named named;
    int status = gt_sample_in_line(&c->index, text, number, &named, err);
    if (status || !named.id)
        return status;
    c->any = true;
    c->absent.named++;
    if (named.number < 0) {
        absent(c, named.id);
        return GT_OK;
    }
    const int64_t also = !named.fid || c->index.plink_ids->n ? -1 : find(&c->index, named.fid);
    if (also >= 0 && also != named.number)
        return gt_fail(err, GT_INPUT, "'%s %s' names two samples of '%s': give one per line", named.fid, named.id, c->input);
    return named.other ? of_other_family(c, &named, err) : take(c, named.number, err);
}

static void invert(struct choice *c)
{
    c->n = 0;
    for (size_t i = 0; i < c->samples->n; i++) {
        c->listed[i] = !c->listed[i];
        if (c->listed[i])
            c->list[c->n++] = (uint32_t)i;
    }
}

static int read_lists(struct choice *c, const struct gt_select_opts *opts, struct gt_strs *notes, struct gt_err *err)
{
    const char *text = opts->samples ? opts->samples : opts->samples_file;
    bool exclude = text && *text == '^';
    if (opts->samples && opts->samples_file)
        return gt_fail(err, GT_USAGE, "-s cannot be combined with -S");
    if (!text) {
        invert(c);
        return 0;
    }
    c->index.numbers = gt_names_of(c->samples, c->samples->budget, err);
    text += exclude;
    c->absent = (struct gt_absent){.option = opts->samples          ? "-s"
                                             : opts->samples_option ? opts->samples_option
                                                                    : "-S",
                                   .thing = "sample",
                                   .optional = exclude};
    int status = !c->index.numbers ? GT_FAIL : opts->samples ? take_list(c, text, err) : gt_lines_read(text, take_line, c, err);
    if (!status && !opts->samples && !c->any)
        status = gt_fail(err, GT_USAGE, "'%s' lists no samples", text);
    if (!status)
        status = judge(c, opts, notes, err);
    if (!status && exclude)
        invert(c);
    return status;
}

/* --- families --- */

static int take_family(void *ctx, char *text, int64_t line, struct gt_err *err)
{
    struct family_list *f = ctx;
    const char *between = gt_line_between(text);
    char *save;
    int64_t number;
    int status = GT_OK;
    (void)line;
    for (char *id = strtok_r(text, between, &save); id && !status; id = strtok_r(NULL, between, &save))
        status = gt_names_number(f->numbers, &f->names, id, strlen(id), &number, err);
    return status;
}

/* c->listed: is the sample of a family of the list? */
static void mark_families(struct choice *c, struct family_list *f)
{
    const struct gt_strs *families = c->index.plink_ids;
    for (size_t i = 0; i < families->n; i++) {
        const char *ids = gt_strs_get(families, i);
        const int64_t at = gt_names_find(f->numbers, ids, strcspn(ids, "\t"));
        c->listed[i] = at >= 0;
        if (at >= 0)
            f->seen[at] = 1;
    }
    c->absent.named = (int64_t)f->names.n;
    for (size_t k = 0; k < f->names.n; k++)
        if (!f->seen[k])
            gt_absent_add(&c->absent, gt_strs_get(&f->names, k), gt_strs_len(&f->names, k));
}

/* Keeps, of the samples chosen, those of the families in the file. */
static int choose_families(struct choice *c, struct family_list *f, const char *path, struct gt_err *err)
{
    const bool exclude = *path == '^';
    int64_t n = 0;
    if (!c->index.plink_ids->n) {
        gt_fail(err, GT_USAGE, "--keep-fam needs family ids, and '%s' has none", c->input);
        gt_hint(err, "list samples with -S FILE");
        return GT_USAGE;
    }
    int status = gt_lines_read(path + exclude, take_family, f, err);
    if (!status && !f->names.n)
        status = gt_fail(err, GT_USAGE, "'%s' lists no families", path + exclude);
    f->seen = gt_alloc(f->names.n, 1, err);
    if (status || !f->seen)
        return status ? status : GT_FAIL;
    c->absent = (struct gt_absent){.option = "--keep-fam", .thing = "family id", .optional = exclude};
    mark_families(c, f);
    for (int64_t i = 0; i < c->n; i++)
        if (c->listed[c->list[i]] != exclude)
            c->list[n++] = c->list[i];
    c->n = n;
    return status;
}

static int apply_families(struct choice *c, const struct gt_select_opts *opts, struct gt_strs *notes, struct gt_err *err)
{
    struct family_list f = {.numbers = gt_names_new(NULL, err)};
    int status = f.numbers ? choose_families(c, &f, opts->keep_fam, err) : GT_FAIL;
    status = status ? status : judge(c, opts, notes, err);
    gt_names_free(f.numbers);
    gt_strs_release(&f.names);
    free(f.seen);
    return status;
}

static int apply_slice(struct choice *c, const struct gt_slice *slice, struct gt_err *err)
{
    int64_t start, stop, step, n = 0;
    int status = gt_slice_resolve(slice, (int64_t)c->samples->n, "samples", &start, &stop, &step, err);
    for (int64_t i = 0; !status && i < c->n; i++) {
        int64_t s = c->list[i];
        if (s >= start && s < stop && (s - start) % step == 0)
            c->list[n++] = c->list[i];
    }
    c->n = n;
    return status;
}

int gt_samples_choose(const struct gt_select_opts *opts, const struct gt_slice *slice, const struct gt_geno_info *input, uint32_t **chosen,
                      int64_t *n, struct gt_strs *notes, struct gt_err *err)
{
    const struct gt_strs *samples = &input->samples;
    *chosen = NULL;
    *n = (int64_t)samples->n;
    if (!opts->samples && !opts->samples_file && !opts->keep_fam && !slice->given)
        return 0;
    struct choice c = {.samples = samples, .index.plink_ids = &input->plink_ids, .input = input->name};
    c.listed = gt_alloc(samples->n, 1, err);
    c.list = gt_alloc(samples->n, sizeof *c.list, err);
    int status = c.listed && c.list ? read_lists(&c, opts, notes, err) : GT_FAIL;
    if (!status && opts->keep_fam)
        status = apply_families(&c, opts, notes, err);
    if (!status)
        status = apply_slice(&c, slice, err);
    if (!status && c.n == 0 && opts->samples_file && *opts->samples_file != '^' && !slice->given)
        status = gt_fail(err, GT_INPUT, "'%s' has no samples of '%s'", opts->samples_file, input->name);
    else if (!status && c.n == 0)
        status = gt_fail(err, GT_INPUT, "no samples of '%s' are left", input->name);
    bool as_is = c.n == (int64_t)samples->n;
    for (int64_t i = 0; as_is && i < c.n; i++)
        as_is = c.list[i] == i;
    gt_names_free(c.index.numbers);
    gt_absent_release(&c.absent);
    free(c.listed);
    if (status || as_is)
        free(c.list);
    else
        *chosen = c.list;
    *n = c.n;
    return status;
}
