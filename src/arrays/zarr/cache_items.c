/* What a chunk of the cache is once it is decoded: items, or texts. */
#include "arrays/zarr/cache_impl.h"
#include "storage/codec/vlen.h"

static int make_texts(const struct gt_cache *cache, struct entry *entry, struct gt_err *err)
{
    const struct gt_array *array = cache->array;
    int status = GT_OK;

    gt_strs_clear(&entry->chunk.texts);
    entry->chunk.few = false;
    if (cache->opts.few && array->dtype.type == GT_STRING)
        status = gt_vlen_unpack_few(&entry->chunk.raw, &entry->chunk.texts, &entry->chunk.places, &entry->chunk.few, err);
    if (!status && array->dtype.type == GT_STRING && !entry->chunk.few)
        status = gt_vlen_unpack(&entry->chunk.raw, cache->opts.nul, &entry->chunk.texts, err);
    for (size_t i = 0; array->dtype.type != GT_STRING && i < array->unit_items && !status; i++)
        status = gt_array_item_text(array, entry->chunk.raw.data + i * array->dtype.size, cache->opts.nul, &entry->chunk.texts, err);
    if (status == GT_NOFIT)
        gt_fail_prefix(err, "array '%s'", gt_array_name(array->path));
    return status;
}

int cache_make_items(struct gt_cache *cache, struct entry *entry, struct gt_buf scratch[2], struct gt_err *err)
{
    struct gt_chunk *chunk = &entry->chunk;
    int status = GT_OK;

    if (chunk->absent && cache->opts.bare)
        return GT_OK;
    if (cache->opts.pad) /* the codecs leave a buffer that is large enough as it is */
        status = gt_buf_reserve(&chunk->raw, cache->array->unit_bytes + cache->opts.pad, err);
    if (!status)
        status = gt_array_decode_unit(cache->array, chunk->index, chunk->absent ? NULL : entry->stored.data, entry->stored.len, &chunk->raw,
                                      scratch, err);
    return !status && cache->opts.texts ? make_texts(cache, entry, err) : status;
}

bool cache_has_part(const struct gt_cache *cache, const struct entry *entry, size_t *first, size_t *end)
{
    return !entry->chunk.absent && !cache->opts.texts && !gt_budget_is_short(cache->opts.budget) &&
           gt_array_has_part(cache->array, entry->stored.data, entry->stored.len, first, end);
}

int cache_make_part(struct gt_cache *cache, struct entry *entry, size_t first, size_t end, struct gt_err *err)
{
    struct gt_buf *raw = &entry->chunk.raw;
    int status = gt_buf_reserve(raw, cache->array->unit_bytes + cache->opts.pad, err);

    if (!status)
        status = gt_array_decode_part(cache->array, entry->chunk.index, entry->stored.data, entry->stored.len, first, end, raw, err);
    return status;
}

int cache_make_rest(struct gt_cache *cache, struct entry *entry, struct gt_err *err)
{
    int status = cache_make_part(cache, entry, 0, entry->first, err);
    return status ? status : cache_make_part(cache, entry, entry->end, cache->array->unit_bytes, err);
}

const char *gt_chunk_text(const struct gt_chunk *chunk, size_t i)
{
    const uint32_t *places = (const uint32_t *)(const void *)chunk->places.data;
    size_t low = 0, high = chunk->few ? chunk->places.len / sizeof *places : 0, n = high;

    if (!chunk->few)
        return gt_strs_get(&chunk->texts, i);
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (places[mid] < i)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && places[low] == i ? gt_strs_get(&chunk->texts, low) : "";
}
