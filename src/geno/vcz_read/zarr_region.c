/* Where the sites of a region are: VCF Zarr's region_index has a row for each run of
 * variants of one contig in a chunk of variant_position: chunk, contig, first and last
 * position, largest end, number of variants.  It is believed when its runs make up the
 * variants; else the positions themselves are gone through. */
#include "geno/vcz_read/zarr_reader.h"

#include <string.h>

#include "geno/model/regions.h"
#include "geno/select/filter.h"

enum { CHUNK, CONTIG, START, END, MAX_END, COUNT, FIELDS };

static int64_t field(const struct gt_array *index, const struct gt_buf *raw, int64_t row, int which)
{
    size_t size = index->dtype.size;
    return gt_dtype_load_int(index->dtype.type, size, raw->data + (size_t)(row * FIELDS + which) * size);
}

static bool is_usable(const struct zarr_reader *r, const struct gt_array *index, const struct gt_buf *raw)
{
    int64_t chunk = r->site[ZR_POS].array->chunk[0], at = 0;

    for (int64_t i = 0; i < index->shape[0]; i++) {
        int64_t n = field(index, raw, i, COUNT), contig = field(index, raw, i, CONTIG);
        if (n < 1 || n > r->n_variants - at || contig < 0 || (size_t)contig >= r->n_known)
            return false;
        if (at / chunk != field(index, raw, i, CHUNK) || (at + n - 1) / chunk != at / chunk)
            return false;
        at += n;
    }
    return at == r->n_variants;
}

/* Variants [from, end) may be kept: whole units of genotypes, or pieces of one, as many
 * together as a task has. */
static int add_tasks(struct zarr_reader *r, int64_t from, int64_t end, struct gt_err *err)
{
    int64_t piece = r->rows < r->step ? r->rows : r->step, n = (int64_t)(r->tasks.len / sizeof(struct zr_task));
    struct zr_task *last = n > 0 ? (struct zr_task *)r->tasks.data + n - 1 : NULL;
    int status = GT_OK;

    from = from / piece * piece;
    if (last && from < last->first + last->n)
        from = last->first + last->n;
    for (; from < end && !status; from += piece) {
        int64_t left = r->n_variants - from, more = left < piece ? left : piece;
        r->unseen -= more;
        if (last && last->first + last->n == from && last->n + more <= r->rows) {
            last->n += more;
            continue;
        }
        status = gt_buf_append(&r->tasks, &(struct zr_task){from, more}, sizeof(struct zr_task), err);
        last = (struct zr_task *)(r->tasks.data + r->tasks.len) - 1;
    }
    return status;
}

static int look_up(struct zarr_reader *r, const struct gt_array *index, const struct gt_buf *raw, struct gt_err *err)
{
    int64_t at = 0;
    int status = GT_OK;

    r->by_place = true;
    r->unseen = r->n_variants;
    r->tasks.len = 0;
    for (int64_t i = 0; i < index->shape[0] && !status; i++) {
        int64_t n = field(index, raw, i, COUNT), start = field(index, raw, i, START), end = field(index, raw, i, END),
                max_end = field(index, raw, i, MAX_END);
        const struct gt_intervals *places =
            gt_filter_regions(r->base.filter, gt_strs_get(&r->base.info.contigs, (size_t)field(index, raw, i, CONTIG)));
        if (places && gt_intervals_overlap(places, start < end ? start : end, max_end > end ? max_end : end))
            status = add_tasks(r, at, at + n, err);
        at += n;
    }
    return status;
}

static bool has_form(const struct zarr_reader *r, const struct gt_array *index)
{
    return index->ndim == 2 && index->shape[1] == FIELDS && index->dtype.type <= GT_U64 && index->shape[0] <= r->n_variants;
}

int zr_choose_tasks(struct zarr_reader *r, struct gt_err *err)
{
    struct gt_buf raw = {.budget = &r->base.engine->budget};
    struct gt_group *group = NULL;
    struct gt_array *index = NULL;
    int status;

    r->by_place = false;
    r->unseen = 0;
    if (r->store->stream || !gt_filter_by_region(r->base.filter) || !r->site[ZR_POS].array || !r->site[ZR_CONTIG].array)
        return GT_OK;
    status = gt_group_open(&group, zr_sites_store(r), zr_sites_path(r), err);
    if (!status)
        status = gt_group_array(group, "region_index", &index, err);
    if (!status && has_form(r, index)) {
        index->whole = r->whole;
        status = gt_array_read_all(index, &raw, err);
        if (!status && is_usable(r, index, &raw))
            status = look_up(r, index, &raw, err);
        r->base.not_indexed = r->by_place; /* sites that it does not look at are counted with the first block */
    }
    gt_array_free(index);
    gt_group_free(group);
    gt_buf_release(&raw);
    return status == GT_NOENT ? GT_OK : status;
}
