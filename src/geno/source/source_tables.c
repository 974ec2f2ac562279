/* One table of contigs and filters for all inputs, and the order of their sites. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "geno/source/source_internal.h"

/* Room for one more name.  Blocks that were delivered may be looking names up: the list
 * is never moved under them. */
static int make_room(struct gt_source *source, struct gt_strs *list, size_t n, struct gt_err *err)
{
    struct gt_strs left;
    int status = gt_grow(&source->retired, &source->cap_retired, source->n_retired + 1, sizeof left, err);
    if (!status)
        status = gt_strs_extend(list, n, &left, err);
    if (!status && left.cap)
        source->retired[source->n_retired++] = left;
    return status;
}

/* The source's number for text i of an input. */
static int number_of(struct gt_source *source, struct gt_names *names, struct gt_strs *list, const struct gt_strs *in, size_t i,
                     int32_t *number, struct gt_err *err)
{
    const char *name = gt_strs_get(in, i);
    size_t n = strlen(name);
    int64_t at = 0;
    int status = gt_names_find(names, name, n) < 0 ? make_room(source, list, n, err) : 0;
    if (!status)
        status = gt_names_number(names, list, name, n, &at, err);
    *number = (int32_t)at;
    return status;
}

int gt_source_extend_maps(struct gt_source *source, struct piece *piece, struct gt_err *err)
{
    const struct gt_geno_info *in = &piece->reader->info;
    struct gt_buf *lengths = &source->info.contig_lengths;
    int status = 0;
    if (piece->n_contigs < in->contigs.n)
        status = gt_resize(&piece->contigs, in->contigs.n, sizeof *piece->contigs, err);
    if (!status && piece->n_filters < in->filters.n)
        status = gt_resize(&piece->filters, in->filters.n, sizeof *piece->filters, err);
    for (; !status && piece->n_contigs < in->contigs.n; piece->n_contigs++) {
        size_t i = piece->n_contigs;
        int64_t length = (i + 1) * sizeof length <= in->contig_lengths.len ? ((const int64_t *)in->contig_lengths.data)[i] : 0;
        int32_t *at = &piece->contigs[i];
        if ((status = number_of(source, source->contigs, &source->info.contigs, &in->contigs, i, at, err)) != 0)
            break;
        if ((size_t)*at < lengths->len / sizeof length) {
            int64_t *known = (int64_t *)lengths->data + *at;
            *known = *known ? *known : length;
        } else {
            status = gt_buf_append(lengths, &length, sizeof length, err);
        }
    }
    for (; !status && piece->n_filters < in->filters.n; piece->n_filters++)
        status = number_of(source, source->filters, &source->info.filters, &in->filters, piece->n_filters,
                           &piece->filters[piece->n_filters], err);
    return status;
}

/* Pieces must follow one another without overlap. */
static int check_order(struct gt_source *source, const struct piece *piece, const struct gt_site *site, struct gt_err *err)
{
    int32_t c = site->contig;
    int64_t p = site->position;
    if (c < source->high_contig || (c == source->high_contig && p <= source->high_position)) {
        gt_fail(err, GT_INPUT, "'%s' overlaps an input before it at %s:%lld", piece->reader->info.name,
                c >= 0 ? gt_strs_get(&source->info.contigs, (size_t)c) : "?", (long long)p);
        gt_hint(err, "inputs are joined along variants: each must hold its own stretch of the genome");
        return GT_INPUT;
    }
    if (c > source->top_contig || (c == source->top_contig && p > source->top_position)) {
        source->top_contig = c;
        source->top_position = p;
    }
    return 0;
}

/* Duplicates may then be anywhere. */
static int refuse_unsorted(const struct gt_source *source, const struct piece *piece, const struct gt_site *site, struct gt_err *err)
{
    gt_fail(err, GT_INPUT, "--rm-dup takes sites in order, and in '%s' %s:%lld comes after %s:%lld", piece->reader->info.name,
            gt_strs_get(&source->info.contigs, (size_t)site->contig), (long long)site->position,
            gt_strs_get(&source->info.contigs, (size_t)source->last_contig), (long long)source->last_position);
    gt_hint(err, "'bcftools sort' puts them in order");
    return GT_INPUT;
}

/* Said once, of the first site that is not behind the one before. */
static int look_at_order(struct gt_source *source, const struct piece *piece, const struct gt_site *site, struct gt_err *err)
{
    struct gt_buf *seen = &source->contigs_seen;
    size_t c = (size_t)site->contig;
    bool back = site->contig == source->last_contig && site->position < source->last_position;
    if (source->said_unsorted || site->contig < 0 || c >= source->info.contigs.n)
        return 0;
    if (site->contig != source->last_contig) {
        size_t had = seen->len;
        int status = c < had ? 0 : gt_buf_resize(seen, source->info.contigs.n, err);
        if (status)
            return status;
        memset(seen->data + had, 0, seen->len - had);
        back = seen->data[c];
        seen->data[c] = 1;
    }
    if (back && source->duplicates)
        return refuse_unsorted(source, piece, site, err);
    if (back) {
        struct gt_str text = {0};
        gt_str_addf(&text, "'%s' is not sorted: %s:%lld comes after %s:%lld", piece->reader->info.name,
                    gt_strs_get(&source->info.contigs, c), (long long)site->position,
                    gt_strs_get(&source->info.contigs, (size_t)source->last_contig), (long long)source->last_position);
        source->said_unsorted = true;
        return gt_source_warn(source, &text, err);
    }
    source->last_contig = site->contig;
    source->last_position = site->position;
    return 0;
}

int gt_source_number_sites(struct gt_source *source, struct piece *piece, struct gt_block *block, struct gt_err *err)
{
    struct gt_site *sites = gt_block_sites(block);
    int32_t *filters = (int32_t *)block->filters.data;
    int status = 0;
    for (size_t i = 0; i < block->filters.len / sizeof *filters; i++)
        if (filters[i] >= 0 && (size_t)filters[i] < piece->n_filters)
            filters[i] = piece->filters[filters[i]];
    if (!block->sites.len)
        return 0;
    for (int64_t v = 0; v < block->n && !status; v++) {
        if (sites[v].contig >= 0 && (size_t)sites[v].contig < piece->n_contigs)
            sites[v].contig = piece->contigs[sites[v].contig];
        status = look_at_order(source, piece, &sites[v], err);
        if (!status && source->n > 1)
            status = check_order(source, piece, &sites[v], err);
    }
    return status;
}
