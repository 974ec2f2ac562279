/* One table of contigs and filters for all inputs. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "geno/source/source_internal.h"

int gt_tables_init(struct gt_source_tables *tables, struct gt_budget *budget, struct gt_err *err)
{
    *tables = (struct gt_source_tables){0};
    tables->contigs = gt_names_new(budget, err);
    tables->filters = gt_names_new(budget, err);
    gt_geno_info_count_in(&tables->info, budget);
    return tables->contigs && tables->filters ? GT_OK : GT_FAIL;
}

void gt_tables_release(struct gt_source_tables *tables)
{
    gt_names_free(tables->contigs);
    gt_names_free(tables->filters);
    gt_geno_info_release(&tables->info);
    while (tables->n_retired)
        gt_strs_release(&tables->retired[--tables->n_retired]);
    free(tables->retired);
    gt_strs_release(&tables->warnings);
    gt_strs_release(&tables->notes);
}

int gt_tables_warn(struct gt_source_tables *tables, struct gt_str *text, struct gt_err *err)
{
    int status = gt_str_check(text, err);
    if (!status)
        status = gt_strs_add(&tables->warnings, text->s, text->len, err);
    gt_str_release(text);
    return status;
}

/* Room for one more name.  Blocks that were delivered may be looking names up: the list
 * is never moved under them. */
static int make_room(struct gt_source_tables *tables, struct gt_strs *list, size_t n, struct gt_err *err)
{
    struct gt_strs left;
    int status = gt_grow(&tables->retired, &tables->cap_retired, tables->n_retired + 1, sizeof left, err);
    if (!status)
        status = gt_strs_extend(list, n, &left, err);
    if (!status && left.cap)
        tables->retired[tables->n_retired++] = left;
    return status;
}

/* The number in the tables of text i of an input. */
static int number_of(struct gt_source_tables *tables, struct gt_names *names, struct gt_strs *list, const struct gt_strs *in, size_t i,
                     int32_t *number, struct gt_err *err)
{
    const char *name = gt_strs_get(in, i);
    size_t n = strlen(name);
    int64_t at = 0;
    int status = gt_names_find(names, name, n) < 0 ? make_room(tables, list, n, err) : 0;
    if (!status)
        status = gt_names_number(names, list, name, n, &at, err);
    *number = (int32_t)at;
    return status;
}

static int set_length(struct gt_buf *lengths, int32_t contig, int64_t length, struct gt_err *err)
{
    if ((size_t)contig >= lengths->len / sizeof length)
        return gt_buf_append(lengths, &length, sizeof length, err);
    int64_t *known = (int64_t *)lengths->data + contig;
    *known = *known ? *known : length;
    return GT_OK;
}

int gt_tables_add(struct gt_source_tables *tables, const struct gt_geno_info *in, struct gt_number_map *contigs,
                  struct gt_number_map *filters, struct gt_err *err)
{
    struct gt_geno_info *all = &tables->info;
    int status = 0;
    if (contigs->n < in->contigs.n)
        status = gt_resize(&contigs->to, in->contigs.n, sizeof *contigs->to, err);
    if (!status && filters->n < in->filters.n)
        status = gt_resize(&filters->to, in->filters.n, sizeof *filters->to, err);
    for (; !status && contigs->n < in->contigs.n; contigs->n += !status) {
        const size_t i = contigs->n;
        const int64_t length = (i + 1) * sizeof length <= in->contig_lengths.len ? ((const int64_t *)in->contig_lengths.data)[i] : 0;
        status = number_of(tables, tables->contigs, &all->contigs, &in->contigs, i, &contigs->to[i], err);
        if (!status)
            status = set_length(&all->contig_lengths, contigs->to[i], length, err);
    }
    for (; !status && filters->n < in->filters.n; filters->n += !status)
        status = number_of(tables, tables->filters, &all->filters, &in->filters, filters->n, &filters->to[filters->n], err);
    return status;
}
