/* What is known of sexes, to be told and counted by. */
#include "config.h"

#include "geno/samples/sex.h"
#include "geno/source/source_internal.h"

/* The filter of the first input that has X, Y or MT; NULL: none has, or nobody asks. */
static const struct gt_filter *filter_of(const struct gt_source *source)
{
    for (int i = 0; i < source->n; i++)
        if (gt_filter_sexes(source->pieces[i].filter))
            return source->pieces[i].filter;
    return NULL;
}

const struct gt_sexes *gt_source_any_sexes(const struct gt_source *source)
{
    const struct gt_filter *filter = filter_of(source);
    return filter ? gt_filter_sexes(filter) : NULL;
}

const struct gt_sex_rows *gt_source_sex_rows(const struct gt_source *source)
{
    const struct gt_filter *filter = filter_of(source);
    return filter ? gt_filter_sex_rows(filter) : NULL;
}

/* Is somebody male by the one and female by the other? */
static int compare(const struct piece *a, const struct piece *b, struct gt_err *err)
{
    const struct gt_sexes *one = gt_filter_sexes(a->filter), *other = gt_filter_sexes(b->filter);
    for (int64_t i = 0; i < a->reader->info.n_samples; i++) {
        const bool male = gt_sexes_is_male(one, i) && gt_sexes_is_female(other, i);
        if (!male && !(gt_sexes_is_female(one, i) && gt_sexes_is_male(other, i)))
            continue;
        const char *name = gt_strs_get(&a->reader->info.samples, (size_t)i);
        gt_fail(err, GT_INPUT, "sample '%.100s' is %s by '%s' and %s by '%s'", name, male ? "male" : "female", a->reader->info.name,
                male ? "female" : "male", b->reader->info.name);
        gt_hint(err, "--sex FILE says who is what");
        return GT_INPUT;
    }
    return 0;
}

int gt_source_check_sexes(const struct gt_source *source, struct gt_err *err)
{
    const struct piece *first = NULL;
    int status = 0;
    for (int i = 0; i < source->n && !status; i++) {
        const struct piece *piece = &source->pieces[i];
        if (!gt_filter_sexes(piece->filter))
            continue;
        if (first)
            status = compare(first, piece, err);
        else
            first = piece;
    }
    return status;
}

bool gt_source_sexes(const struct gt_source *source, struct gt_sex_counts *counts)
{
    const struct gt_filter *first = filter_of(source);
    int64_t n;
    if (!first)
        return false;
    const uint32_t *kept = gt_filter_samples(first, &n);
    gt_sexes_count(gt_filter_sexes(first), kept, n, counts);
    for (int i = 0; i < source->n; i++) {
        struct gt_sex_counts one = {0};
        if (gt_filter_sexes(source->pieces[i].filter))
            gt_sexes_count(gt_filter_sexes(source->pieces[i].filter), NULL, 0, &one);
        counts->no_build |= one.no_build;
    }
    return true;
}
