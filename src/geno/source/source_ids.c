/* Variant IDs of --extract and --exclude that passes have met, for a pass that starts at a checkpoint. */
#include "config.h"

#include "core/base/size.h"
#include "geno/select/id_list.h"
#include "geno/source/source_internal.h"

static const struct gt_id_list *list_of(const struct gt_source *source, int64_t segment, int k)
{
    const char *option;
    return gt_filter_ids(source->inputs->segment[segment]->filter, k, &option);
}

int64_t gt_source_ids(const struct gt_source *source)
{
    int64_t n = 0;
    for (int k = 0; k < GT_FILTER_LISTS_IDS; k++)
        n += list_of(source, 0, k) ? (int64_t)list_of(source, 0, k)->ids.n : 0;
    return n;
}

/* Returns the place of the next list in `met`. */
static uint8_t *add_met(const struct gt_id_list *list, uint8_t *met)
{
    for (size_t i = 0; i < list->ids.n; i++)
        met[i] |= atomic_load_explicit(&list->met[i], memory_order_relaxed);
    return met + list->ids.n;
}

void gt_source_ids_met(const struct gt_source *source, int64_t first, int64_t last, uint8_t *met)
{
    const int64_t end = gt_min_i64(last + 1, source->inputs->n);
    for (int64_t segment = first; segment < end; segment++) {
        uint8_t *at = met;
        for (int k = 0; k < GT_FILTER_LISTS_IDS; k++)
            at = list_of(source, segment, k) ? add_met(list_of(source, segment, k), at) : at;
    }
}

void gt_source_meet_ids(struct gt_source *source, const uint8_t *met)
{
    for (int k = 0; k < GT_FILTER_LISTS_IDS; k++) {
        const struct gt_id_list *list = list_of(source, 0, k);
        for (size_t i = 0; list && i < list->ids.n; i++)
            if (met[i])
                atomic_store_explicit(&list->met[i], 1, memory_order_relaxed);
        met += list ? list->ids.n : 0;
    }
}
