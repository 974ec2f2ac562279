/* What is known of sexes, to be told. */
#include "config.h"

#include "geno/sex.h"
#include "geno/source_impl.h"

const struct gt_sexes *gt_source_any_sexes(const struct gt_source *source)
{
    const struct gt_sexes *sexes = NULL;
    for (int i = 0; i < source->n && !sexes; i++)
        sexes = gt_filter_sexes(source->pieces[i].filter);
    return sexes;
}

bool gt_source_sexes(const struct gt_source *source, struct gt_sex_counts *counts)
{
    const struct gt_sexes *first = gt_source_any_sexes(source);
    if (!first)
        return false;
    *counts = *gt_sexes_counts(first);
    for (int i = 0; i < source->n; i++)
        counts->no_build |=
            gt_filter_sexes(source->pieces[i].filter) && gt_sexes_counts(gt_filter_sexes(source->pieces[i].filter))->no_build;
    return true;
}
