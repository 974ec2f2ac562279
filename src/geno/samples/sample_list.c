#include "config.h"

#include "geno/samples/sample_list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/line_file.h"
#include "core/base/mem.h"
#include "core/base/slice.h"
#include "geno/model/contigs.h"
#include "geno/samples/fam.h"

struct choice {
    const struct gt_strs *samples, *families; /* families: "FID<tab>IID" of each, or none */
    struct gt_names *numbers;
    const char *input; /* for messages */
    bool skip_absent;
    uint8_t *listed; /* one an input sample */
    bool any;        /* a line of the list names a sample */
    uint32_t *list;
    int64_t n;
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
    for (size_t i = 0; i < c->families->n; i++)
        if (strcmp(strchr(gt_strs_get(c->families, i), '\t') + 1, iid) == 0)
            return true;
    return false;
}

static int absent(const struct choice *c, const char *name, struct gt_err *err)
{
    if (c->skip_absent)
        return 0;
    const char *like = sample_like(c->samples, name);
    gt_fail(err, GT_INPUT, "there is no sample '%s' in '%s'", name, c->input);
    if (is_joined(c, name))
        gt_hint(err, "its IIDs are not unique: use FID_IID, or lines \"FID IID\"");
    else
        gt_hint_absent(err, like, name);
    return GT_INPUT;
}

static int take_list(struct choice *c, const char *list, struct gt_err *err)
{
    int status = 0;
    for (const char *p = list; !status; p++) {
        size_t n = strcspn(p, ",");
        int64_t number = gt_names_find(c->numbers, p, n);
        if (n == 0) {
            status = gt_fail(err, GT_USAGE, "a sample name in '%s' is empty", list);
        } else if (number >= 0) {
            status = take(c, number, err);
        } else {
            char *name = gt_strndup(p, n, err);
            status = name ? absent(c, name, err) : GT_FAIL;
            free(name);
        }
        p += n;
        if (!*p)
            break;
    }
    return status;
}

const char *gt_sample_other_family(const struct gt_strs *families, const char *fid, const char *iid, int64_t sample)
{
    const size_t n = strlen(fid);
    if (!families || !families->n || strcmp(fid, "0") == 0)
        return NULL;
    const char *known = gt_strs_get(families, (size_t)sample);
    const bool same = (strncmp(known, fid, n) == 0 && known[n] == '\t') || strncmp(known, "0\t", 2) == 0;
    return !same && strcmp(known + strcspn(known, "\t") + 1, iid) == 0 ? known : NULL;
}

int gt_sample_in_columns(const struct gt_names *numbers, const char *first, const char *second, int64_t *number, struct gt_err *err)
{
    struct gt_str both = {0};
    *number = gt_names_find(numbers, second, strlen(second));
    if (*number >= 0)
        return 0;
    gt_str_addf(&both, "%s_%s", first, second);
    int status = gt_str_check(&both, err);
    *number = status ? -1 : gt_names_find(numbers, both.s, both.len);
    if (*number < 0)
        *number = gt_names_find(numbers, first, strlen(first));
    gt_str_release(&both);
    return status;
}

int gt_sample_in_line(const struct gt_names *numbers, char *text, int64_t line, const char **name, int64_t *number, struct gt_err *err)
{
    *name = NULL;
    *number = -1;
    if (!text[strspn(text, " \t")] || (line == 1 && gt_psam_is_header(text)))
        return 0;
    *number = gt_names_find(numbers, text, strlen(text));
    *name = text;
    if (*number >= 0)
        return 0;
    const char *between = gt_line_between(text);
    char *save, *first = strtok_r(text, between, &save), *second = strtok_r(NULL, between, &save);
    *name = second ? second : first;
    if (second)
        return gt_sample_in_columns(numbers, first, second, number, err);
    *number = gt_names_find(numbers, first, strlen(first));
    return 0;
}

static int other_family(const struct choice *c, const char *fid, const char *known, struct gt_err *err)
{
    if (c->skip_absent)
        return 0;
    const int n = (int)strcspn(known, "\t");
    gt_fail(err, GT_INPUT, "there is no sample '%s %s' in '%s': its family id is '%.*s'", fid, known + n + 1, c->input, n, known);
    gt_hint(err, "list IIDs alone, one per line; --skip-absent continues without it");
    return GT_INPUT;
}

static int take_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct choice *c = ctx;
    const char *name, *first = text + strspn(text, " \t");
    int64_t at;
    int status = gt_sample_in_line(c->numbers, text, number, &name, &at, err);
    if (status || !name)
        return status;
    c->any = true;
    if (at < 0)
        return absent(c, name, err);
    if (name == first) /* else text was cut */
        return take(c, at, err);
    const char *other = gt_sample_other_family(c->families, first, name, at);
    const int64_t also = c->families->n ? -1 : gt_names_find(c->numbers, first, strlen(first));
    if (also >= 0 && also != at)
        return gt_fail(err, GT_INPUT, "'%s %s' names two samples of '%s': give one per line", first, name, c->input);
    return other ? other_family(c, first, other, err) : take(c, at, err);
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

static int read_lists(struct choice *c, const struct gt_select_opts *opts, struct gt_err *err)
{
    const char *text = opts->samples ? opts->samples : opts->samples_file;
    bool exclude = text && *text == '^';
    int status = 0;
    if (opts->samples && opts->samples_file)
        return gt_fail(err, GT_USAGE, "-s cannot be combined with -S");
    if (!text) {
        invert(c);
        return 0;
    }
    for (size_t i = 0; i < c->samples->n && !status; i++) {
        const char *name = gt_strs_get(c->samples, i);
        status = gt_names_add(c->numbers, name, strlen(name), (int64_t)i, NULL, err);
    }
    text += exclude;
    if (!status)
        status = opts->samples ? take_list(c, text, err) : gt_lines_read(text, take_line, c, err);
    if (!status && !opts->samples && !c->any)
        status = gt_fail(err, GT_USAGE, "'%s' lists no samples", text);
    if (!status && exclude)
        invert(c);
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
                      int64_t *n, struct gt_err *err)
{
    const struct gt_strs *samples = &input->samples;
    *chosen = NULL;
    *n = (int64_t)samples->n;
    if (!opts->samples && !opts->samples_file && !slice->given)
        return 0;
    struct choice c = {.samples = samples, .families = &input->plink_ids, .input = input->name, .skip_absent = opts->skip_absent};
    c.numbers = gt_names_new(samples->budget, err);
    c.listed = gt_alloc(samples->n, 1, err);
    c.list = gt_alloc(samples->n, sizeof *c.list, err);
    int status = c.numbers && c.listed && c.list ? read_lists(&c, opts, err) : GT_FAIL;
    if (!status)
        status = apply_slice(&c, slice, err);
    if (!status && c.n == 0 && opts->samples_file && *opts->samples_file != '^' && !slice->given)
        status = gt_fail(err, GT_INPUT, "'%s' has no samples of '%s'", opts->samples_file, input->name);
    else if (!status && c.n == 0)
        status = gt_fail(err, GT_INPUT, "no samples of '%s' are left", input->name);
    bool as_is = c.n == (int64_t)samples->n;
    for (int64_t i = 0; as_is && i < c.n; i++)
        as_is = c.list[i] == i;
    gt_names_free(c.numbers);
    free(c.listed);
    if (status || as_is)
        free(c.list);
    else
        *chosen = c.list;
    *n = c.n;
    return status;
}
