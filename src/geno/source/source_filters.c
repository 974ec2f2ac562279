/* The selection: a filter for each input, and the variants' numbers that it goes by. */
#include "config.h"

#include <string.h>
#include <strings.h>

#include "core/base/size.h"
#include "geno/model/contigs.h"
#include "geno/source/source_internal.h"

/* The word of --contigs that a name is likely to be, which stands alone there; NULL: none. */
static const char *word_like(const struct gt_concat *c, const char *name)
{
    if (!c->select.contigs)
        return NULL;
    return strncasecmp(name, "autosom", 7) == 0 || strcasecmp(name, "auto") == 0 ? "autosomes"
           : strcasecmp(name, "all") == 0                                        ? "all"
                                                                                 : NULL;
}

static int absent_contig(const struct gt_concat *c, const char *name, struct gt_err *err)
{
    const char *like = gt_contigs_like(&c->tables.info.contigs, name), *word = word_like(c, name);
    int status = gt_contig_absent(name, c->n, c->tables.info.name, err);
    if (word && !like)
        gt_hint(err, "did you mean --contigs %s alone?", word);
    else
        gt_hint_absent(err, like, name);
    return status;
}

int gt_concat_check_absent(const struct gt_concat *c, bool at_end, struct gt_err *err)
{
    for (int i = 0; i < c->n && !c->select.skip_absent; i++) {
        const struct gt_strs *absent = gt_filter_absent(c->segment[i]->filter);
        for (size_t a = 0; a < absent->n; a++) {
            const char *name = gt_strs_get(absent, a);
            if (gt_names_find(c->tables.contigs, name, strlen(name)) >= 0)
                continue;
            bool may_come = false, other_form = gt_contigs_like(&c->tables.info.contigs, name) != NULL;
            for (int k = 0; k < c->n && !at_end && !other_form; k++)
                may_come |= c->segment[k]->reader->info.open_contigs;
            if (!may_come)
                return absent_contig(c, name, err);
        }
    }
    return 0;
}

int gt_concat_make_filters(struct gt_concat *c, bool full, struct gt_err *err)
{
    struct gt_select_opts opts = c->select;
    int status = 0;
    opts.full = full;
    for (int i = 0; i < c->n && !status; i++) {
        struct gt_segment *segment = c->segment[i];
        gt_filter_free(segment->filter);
        segment->filter = NULL;
        status = gt_filter_new(&segment->filter, &opts, &segment->reader->info, err);
    }
    if (!status)
        status = gt_concat_check_sexes(c, err);
    return status ? status : gt_concat_check_absent(c, false, err);
}

int gt_concat_place_filters(struct gt_concat *c, struct gt_err *err)
{
    int64_t first = 0, total = 0;
    for (int i = 0; i < c->n; i++) {
        int64_t sites = c->segment[i]->sites;
        if (__builtin_add_overflow(first, sites > 0 ? sites : 0, &first))
            return gt_fail(err, GT_INPUT, "the inputs '%s' have too many variants", c->tables.info.name);
        total = total < 0 || sites < 0 ? -1 : first;
    }
    first = 0;
    for (int i = 0; i < c->n; i++) {
        int status = gt_filter_set_start(c->segment[i]->filter, first, total, err);
        if (status)
            return status;
        c->segment[i]->first = first;
        gt_filter_range(c->segment[i]->filter, c->start.at ? gt_max_i64(c->begin.input, c->extent.from) : c->extent.from, c->extent.to);
        first += c->segment[i]->sites > 0 ? c->segment[i]->sites : 0;
    }
    return 0;
}
