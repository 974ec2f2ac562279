/* Places that another process can go on from. */
#include "config.h"

#include "geno/source/source_internal.h"

void gt_source_set_mark(struct gt_source *source, const struct piece *piece, const struct gt_block *block)
{
    source->mark =
        (struct gt_checkpoint){.input = piece->reader->unnumbered || gt_source_in_turn(source) ? -1 : piece->first + block->first,
                               .delivered = source->delivered,
                               .segment = piece - source->pieces,
                               .first = piece->first,
                               .record = block->first,
                               .line = block->line,
                               .place = block->place,
                               .contigs = (int64_t)source->info.contigs.n,
                               .filters = (int64_t)source->info.filters.n,
                               .high_contig = source->high_contig,
                               .high_position = source->high_position,
                               .top_contig = source->top_contig,
                               .top_position = source->top_position,
                               .stats = source->stats};
}

void gt_source_mark(const struct gt_source *source, struct gt_checkpoint *mark)
{
    *mark = source->mark;
    if (gt_source_in_turn(source))
        mark->input = -1;
}

/* Contigs that the header lacks have their numbers by the order that they came in: then all is read again. */
static bool is_known(const struct gt_source *source, const struct gt_checkpoint *mark)
{
    return mark->input >= 0 && !gt_source_in_turn(source) && mark->segment >= 0 && mark->segment < source->n &&
           mark->contigs == (int64_t)source->info.contigs.n && mark->filters == (int64_t)source->info.filters.n;
}

int gt_source_continue(struct gt_source *source, const struct gt_checkpoint *mark, int64_t *skip, struct gt_err *err)
{
    *skip = 0;
    if (!is_known(source, mark)) {
        *skip = mark->delivered;
        return 0;
    }
    for (int64_t i = 0; i < mark->segment; i++) /* nobody looks at those again */
        source->pieces[i].sites = i + 1 == mark->segment ? mark->first : 0;
    source->mark = *mark;
    source->continued = true;
    source->current = (int)mark->segment;
    source->from = mark->input;
    source->delivered = mark->delivered;
    source->stats = mark->stats;
    if (source->pieces[mark->segment].reader->recounts)
        source->stats.half_calls = source->stats.haploid_calls = source->stats.polyploid_calls = source->stats.het_haploid_calls = 0;
    source->high_contig = (int32_t)mark->high_contig;
    source->high_position = mark->high_position;
    source->top_contig = (int32_t)mark->top_contig;
    source->top_position = mark->top_position;
    return gt_source_place_filters(source, err);
}
