/* The selection: a filter for each input, and the variants' numbers that it goes by. */
#include "config.h"

#include <string.h>
#include <strings.h>

#include "geno/model/contigs.h"
#include "geno/source/source_internal.h"

/* The word of --contigs that a name is likely to be, which stands alone there; NULL: none. */
static const char *word_like(const struct gt_source *source, const char *name)
{
    if (!source->select.contigs)
        return NULL;
    return strncasecmp(name, "autosom", 7) == 0 || strcasecmp(name, "auto") == 0 ? "autosomes"
           : strcasecmp(name, "all") == 0                                        ? "all"
                                                                                 : NULL;
}

static int absent_contig(const struct gt_source *source, const char *name, struct gt_err *err)
{
    const char *like = gt_contigs_like(&source->info.contigs, name), *word = word_like(source, name);
    int status = gt_contig_absent(name, source->n, source->info.name, err);
    if (word && !like)
        gt_hint(err, "did you mean --contigs %s, with nothing beside it?", word);
    else
        gt_hint_absent(err, like, name);
    return status;
}

int gt_source_check_absent(const struct gt_source *source, bool at_end, struct gt_err *err)
{
    for (int i = 0; i < source->n && !source->select.skip_absent; i++) {
        const struct gt_strs *absent = gt_filter_absent(source->pieces[i].filter);
        for (size_t a = 0; a < absent->n; a++) {
            const char *name = gt_strs_get(absent, a);
            bool may_come = false, other_form = gt_contigs_like(&source->info.contigs, name) != NULL;
            for (int k = 0; k < source->n && !at_end && !other_form; k++)
                may_come |= source->pieces[k].reader->info.open_contigs;
            if (!may_come && gt_names_find(source->contigs, name, strlen(name)) < 0)
                return absent_contig(source, name, err);
        }
    }
    return 0;
}

int gt_source_make_filters(struct gt_source *source, bool full, struct gt_err *err)
{
    struct gt_select_opts opts = source->select;
    int status = 0;
    opts.full = full;
    for (int i = 0; i < source->n && !status; i++) {
        struct piece *piece = &source->pieces[i];
        gt_filter_free(piece->filter);
        piece->filter = NULL;
        status = gt_filter_new(&piece->filter, &opts, &piece->reader->info, err);
    }
    if (!status)
        status = gt_source_check_sexes(source, err);
    return status ? status : gt_source_check_absent(source, false, err);
}

int gt_source_place_filters(struct gt_source *source, struct gt_err *err)
{
    int64_t first = 0, total = 0;
    for (int i = 0; i < source->n; i++) {
        int64_t sites = source->pieces[i].sites;
        if (__builtin_add_overflow(first, sites > 0 ? sites : 0, &first))
            return gt_fail(err, GT_INPUT, "'%s' have too many variants together", source->info.name);
        total = total < 0 || sites < 0 ? -1 : first;
    }
    first = 0;
    for (int i = 0; i < source->n; i++) {
        int status = gt_filter_place(source->pieces[i].filter, first, total, err);
        if (status)
            return status;
        source->pieces[i].first = first;
        gt_filter_range(source->pieces[i].filter, source->from, source->to);
        first += source->pieces[i].sites > 0 ? source->pieces[i].sites : 0;
    }
    return 0;
}
