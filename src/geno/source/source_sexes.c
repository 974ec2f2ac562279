/* Sexes of samples, for filters and counts that depend on them. */
#include "config.h"

#include "geno/samples/sex.h"
#include "geno/source/source_internal.h"

/* The filter of the first input that has X, Y or MT; NULL: none has, or nobody asks. */
static const struct gt_filter *filter_of(const struct gt_concat *c)
{
    for (int i = 0; i < c->n; i++)
        if (gt_filter_sexes(c->segment[i]->filter))
            return c->segment[i]->filter;
    return NULL;
}

const struct gt_sexes *gt_concat_sexes(const struct gt_concat *c)
{
    const struct gt_filter *filter = filter_of(c);
    return filter ? gt_filter_sexes(filter) : NULL;
}

const struct gt_sex_rows *gt_source_sex_rows(const struct gt_source *source)
{
    const struct gt_filter *filter = filter_of(source->inputs);
    return filter ? gt_filter_sex_rows(filter) : NULL;
}

/* Is somebody male by the one and female by the other? */
static int compare(const struct gt_segment *a, const struct gt_segment *b, struct gt_err *err)
{
    const struct gt_sexes *one = gt_filter_sexes(a->filter), *other = gt_filter_sexes(b->filter);
    for (int64_t i = 0; i < a->reader->info.n_samples; i++) {
        const bool male = gt_sexes_is_male(one, i) && gt_sexes_is_female(other, i);
        if (!male && !(gt_sexes_is_female(one, i) && gt_sexes_is_male(other, i)))
            continue;
        const char *name = gt_strs_get(&a->reader->info.samples, (size_t)i);
        gt_fail(err, GT_INPUT, "sample '%.100s' is %s in '%s' but %s in '%s'", name, male ? "male" : "female", a->reader->info.name,
                male ? "female" : "male", b->reader->info.name);
        gt_hint(err, "give the sexes with --sex FILE");
        return GT_INPUT;
    }
    return 0;
}

int gt_concat_check_sexes(const struct gt_concat *c, struct gt_err *err)
{
    const struct gt_segment *first = NULL;
    int status = 0;
    for (int i = 0; i < c->n && !status; i++) {
        const struct gt_segment *segment = c->segment[i];
        if (!gt_filter_sexes(segment->filter))
            continue;
        if (first)
            status = compare(first, segment, err);
        else
            first = segment;
    }
    return status;
}

bool gt_source_sexes(const struct gt_source *source, struct gt_sex_counts *counts)
{
    const struct gt_concat *c = source->inputs;
    const struct gt_filter *first = filter_of(c);
    int64_t n;
    if (!first)
        return false;
    const uint32_t *kept = gt_filter_samples(first, &n);
    gt_sexes_count(gt_filter_sexes(first), kept, n, counts);
    for (int i = 0; i < c->n; i++) {
        struct gt_sex_counts one = {0};
        if (gt_filter_sexes(c->segment[i]->filter))
            gt_sexes_count(gt_filter_sexes(c->segment[i]->filter), NULL, 0, &one);
        counts->no_build |= one.no_build;
    }
    return true;
}
