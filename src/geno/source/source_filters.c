/* The selection: a filter for each input, and the variants' numbers that it goes by. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "geno/model/absent.h"
#include "geno/model/contigs.h"
#include "geno/select/id_list.h"
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

static const char *contig_like(const struct gt_concat *c, const char *name)
{
    return gt_contigs_like(&c->tables.info.contigs, name);
}

/* Counts the contigs of an option that no input has, into `absent`; *may_come: there are some that an input may still have, whose header
 * lacks contigs. */
static void count_absent(const struct gt_concat *c, const struct gt_filter_contigs *named, struct gt_absent *absent, bool *may_come)
{
    bool open = false;
    for (int k = 0; k < c->n; k++)
        open |= c->segment[k]->reader->info.open_contigs;
    for (size_t i = 0; i < named->absent.n; i++) {
        const char *name = gt_strs_get(&named->absent, i), *like = contig_like(c, name);
        if (gt_names_find(c->tables.contigs, name, strlen(name)) >= 0 || (named->excludes && like))
            continue;
        gt_absent_add(absent, name, strlen(name));
        *may_come |= open && !like;
    }
}

/* "'x.vcf'", "any of the 3 inputs". */
static int describe_inputs(const struct gt_concat *c, struct gt_str *where, struct gt_err *err)
{
    if (c->n > 1)
        gt_str_addf(where, "any of the %d inputs", c->n);
    else
        gt_str_addf(where, "'%s'", c->tables.info.name);
    return gt_str_check(where, err);
}

static int judge_contigs(struct gt_concat *c, int k, const char *where, bool at_end, struct gt_err *err)
{
    const struct gt_filter_contigs *named = &gt_filter_contigs_named(c->segment[0]->filter)[k];
    struct gt_absent absent = {.option = named->option, .thing = "contig", .optional = named->excludes, .named = named->named};
    bool may_come = false;
    count_absent(c, named, &absent, &may_come);
    c->tables.judged.contigs[k] = at_end || !may_come;
    const char *like = absent.first.s ? contig_like(c, absent.first.s) : NULL;
    const char *word = k == 0 && absent.first.s && !like ? word_like(c, absent.first.s) : NULL;
    int status = GT_OK;
    if (word && !c->select.skip_absent) {
        status = gt_fail(err, GT_INPUT, "there is no contig '%s' in %s", absent.first.s, where);
        gt_hint(err, "did you mean --contigs %s alone?", word);
    } else if (c->tables.judged.contigs[k]) {
        status = gt_absent_judge(&absent, &c->select, where, like, &c->tables.notes, err);
    }
    gt_absent_release(&absent);
    return status;
}

int gt_concat_check_absent(struct gt_concat *c, bool at_end, struct gt_err *err)
{
    struct gt_str where = {0};
    int status = describe_inputs(c, &where, err);
    for (int k = 0; k < GT_FILTER_NAMES_CONTIGS && !status; k++)
        if (!c->tables.judged.contigs[k] && gt_filter_contigs_named(c->segment[0]->filter)[k].option)
            status = judge_contigs(c, k, where.s, at_end, err);
    const struct gt_strs *notes = gt_filter_notes(c->segment[0]->filter);
    for (size_t i = 0; i < notes->n && !status && !c->tables.judged.samples; i++)
        status = gt_strs_add(&c->tables.notes, gt_strs_get(notes, i), gt_strs_len(notes, i), err);
    c->tables.judged.samples = true;
    gt_str_release(&where);
    return status;
}

/* --- variant IDs ---------------------------------------------------------------------------- */

/* met: of each id, whether one of the inputs has it. */
static int judge_ids(struct gt_concat *c, const char *option, const struct gt_id_list *list, const int64_t *met, struct gt_err *err)
{
    const bool part = gt_filter_reads_part(c->segment[0]->filter);
    struct gt_absent absent = {
        .option = option, .thing = "variant ID", .optional = part || strcmp(option, "--exclude") == 0, .named = (int64_t)list->ids.n};
    struct gt_str where = {0};
    int status = describe_inputs(c, &where, err);
    for (size_t i = 0; i < list->ids.n; i++)
        if (!met[i])
            gt_absent_add(&absent, gt_strs_get(&list->ids, i), gt_strs_len(&list->ids, i));
    if (!status && part) {
        gt_str_add(&where, " among the variants that were read");
        status = gt_str_check(&where, err);
    }
    status = status ? status : gt_absent_judge(&absent, &c->select, where.s, NULL, &c->tables.notes, err);
    gt_absent_release(&absent);
    gt_str_release(&where);
    return status;
}

int gt_concat_check_ids(struct gt_concat *c, struct gt_comm *comm, struct gt_err *err)
{
    const struct gt_id_list *list;
    const char *option;
    int status = GT_OK;
    for (int k = 0; k < GT_FILTER_LISTS_IDS && !status && !c->tables.judged.ids; k++) {
        if (!(list = gt_filter_ids(c->segment[0]->filter, k, &option)))
            continue;
        int64_t *met = gt_alloc(list->ids.n, sizeof *met, err);
        status = met ? GT_OK : GT_FAIL;
        for (int i = 0; i < c->n && !status; i++)
            gt_id_list_add_met(gt_filter_ids(c->segment[i]->filter, k, &option), met);
        if (!status && comm)
            status = gt_comm_allreduce_i64(comm, met, list->ids.n, err);
        status = status ? status : judge_ids(c, option, list, met, err);
        free(met);
    }
    c->tables.judged.ids = true;
    return status;
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
