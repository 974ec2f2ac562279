#include "config.h"

#include "geno/samples/groups.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/line_file.h"
#include "core/base/mem.h"
#include "geno/samples/sample_list.h"

struct reading {
    struct gt_groups *groups;
    const char *path, *input;
    const struct gt_strs *samples;
    struct gt_sample_index index;
    struct gt_names *names; /* of groups */
};

struct columns {
    char *first, *second, *last; /* second: NULL in a line of two columns */
};

static bool cut_columns(char *text, struct columns *c)
{
    const char *between = gt_line_between(text);
    char *save;
    int n = 0;
    *c = (struct columns){0};
    for (char *column = strtok_r(text, between, &save); column; column = strtok_r(NULL, between, &save), n++) {
        if (n == 0)
            c->first = column;
        if (n == 1)
            c->second = column;
        c->last = column;
    }
    if (n == 2)
        c->second = NULL;
    return n > 1;
}

static int join(struct reading *r, int64_t sample, const char *group, struct gt_err *err)
{
    struct gt_groups *g = r->groups;
    int64_t number;
    int status = gt_names_number(r->names, &g->names, group, strlen(group), &number, err);
    if (status)
        return status;
    if (g->of[sample] >= 0 && g->of[sample] != number)
        return gt_fail(err, GT_INPUT, "'%s' has sample '%s' in two groups, '%s' and '%s'", r->path, gt_strs_get(r->samples, (size_t)sample),
                       gt_strs_get(&g->names, (size_t)g->of[sample]), group);
    g->of[sample] = (int32_t)number;
    return GT_OK;
}

static int take_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct reading *r = ctx;
    struct columns c;
    if (*text == '#' || !text[strspn(text, " \t")])
        return GT_OK;
    if (!cut_columns(text, &c))
        return gt_fail(err, GT_INPUT, "'%s', line %lld: a sample without a group", r->path, (long long)number);
    struct gt_sample_named named = {.fid = c.second ? c.first : NULL, .id = c.second ? c.second : c.first};
    int status = gt_sample_find(&r->index, &named, err);
    r->groups->other_family += !status && named.other;
    r->groups->absent += !status && named.number < 0;
    return status || named.number < 0 ? status : join(r, named.number, c.last, err);
}

/* Samples by group, in their order. */
static int put_in_order(struct gt_groups *g, int64_t n, struct gt_err *err)
{
    g->samples = gt_alloc((size_t)n, sizeof *g->samples, err);
    g->first = gt_alloc(g->names.n + 1, sizeof *g->first, err);
    if (!g->samples || !g->first)
        return GT_FAIL;
    size_t last = g->names.n;
    for (int64_t s = 0; s < n; s++)
        if (g->of[s] >= 0)
            g->first[g->of[s] + 1]++;
    for (size_t k = 0; k < last; k++)
        g->first[k + 1] += g->first[k];
    g->left_out = n - g->first[last];
    for (int64_t s = 0; s < n; s++) /* each group's begin moves to its end */
        if (g->of[s] >= 0)
            g->samples[g->first[g->of[s]]++] = (uint32_t)s;
    memmove(g->first + 1, g->first, last * sizeof *g->first);
    g->first[0] = 0;
    return GT_OK;
}

static int read_file(struct reading *r, struct gt_err *err)
{
    for (size_t i = 0; i < r->samples->n; i++)
        r->groups->of[i] = -1;
    int status = gt_lines_read(r->path, take_line, r, err);
    if (!status && !r->groups->names.n)
        status = gt_fail(err, GT_INPUT, "'%s' has no sample of '%s'", r->path, r->input);
    return status ? status : put_in_order(r->groups, (int64_t)r->samples->n, err);
}

int gt_groups_read(struct gt_groups *groups, const char *path, const struct gt_strs *samples, const struct gt_strs *plink_ids,
                   const char *input, struct gt_err *err)
{
    struct reading r = {.groups = groups, .path = path, .input = input, .samples = samples, .index.plink_ids = plink_ids};
    *groups = (struct gt_groups){0};
    groups->of = gt_alloc(samples->n, sizeof *groups->of, err);
    r.index.numbers = gt_names_of(samples, samples->budget, err);
    r.names = gt_names_new(samples->budget, err);
    int status = groups->of && r.index.numbers && r.names ? read_file(&r, err) : GT_FAIL;
    gt_names_free(r.index.numbers);
    gt_names_free(r.names);
    if (status)
        gt_groups_release(groups);
    return status;
}

void gt_groups_release(struct gt_groups *groups)
{
    gt_strs_release(&groups->names);
    free(groups->of);
    free(groups->samples);
    free(groups->first);
    *groups = (struct gt_groups){0};
}
