/* Which rows a task's block will have: filters that look at a site alone are asked
 * before genotypes are decoded, and records are split. */
#include "geno/select/filter.h"
#include "geno/vcz_read/zarr_reader.h"

static int add_row(struct zr_item *item, int64_t record, int32_t alt, const struct gt_site *site, struct gt_err *err)
{
    const struct zr_row row = {(int32_t)record, alt};
    int status = gt_buf_append(&item->rows, &row, sizeof row, err);

    if (!status && site)
        status = gt_buf_append(&item->block.sites, site, sizeof *site, err);
    item->n_rows++;
    return status;
}

static bool is_full(const struct zarr_reader *r, const struct zr_item *item)
{
    return r->carries && item->n_rows >= r->most_rows;
}

/* From *alt on, up to the last one, or that which the next block begins with. */
static int add_split_rows(struct zarr_reader *r, struct zr_item *item, int64_t record, const struct gt_site *site, int32_t *from,
                          struct gt_err *err)
{
    int32_t alt = *from;
    int status = GT_OK;

    for (; alt < site->n_alleles && !status && !is_full(r, item); alt++) {
        struct gt_site row;
        bool kept;
        status = gt_filter_split(r->base.filter, &item->block, site, alt, &row, &kept, err);
        if (!status && kept)
            status = add_row(item, record, alt, &row, err);
    }
    *from = alt < site->n_alleles ? alt : 0;
    return status;
}

/* Rows of the item's variants.  *alt: of the first one, the ALT to go on from, 0 = from the beginning; then of the last one, likewise.  *n:
 * how many variants before that. */
static int choose(struct zarr_reader *r, struct zr_item *item, int64_t *n, int32_t *alt, struct gt_err *err)
{
    struct gt_site site = {0};
    const bool fields = r->first_fields;
    int status = gt_buf_reserve(&item->rows, (size_t)item->n * sizeof(struct zr_row), err);

    item->rows.len = 0;
    item->n_rows = 0;
    item->block.sites_filtered = true;
    item->chosen = true;
    for (*n = 0; *n < item->n && !status && !is_full(r, item); *n += !*alt) {
        const int64_t i = *n;
        const bool begun = *alt > 0;
        status = fields ? zr_make_record(r, item, item->first + i, &site, err) : GT_OK;
        *alt = begun ? *alt : 1;
        if (status || (!begun && !gt_filter_site(r->base.filter, &item->block, &site, item->first + i)))
            *alt = 0;
        else if (gt_filter_splits(r->base.filter) && site.n_alleles > 2)
            status = add_split_rows(r, item, i, &site, alt, err);
        else
            status = add_row(item, i, *alt = 0, fields ? &site : NULL, err);
    }
    return status;
}

int zr_choose_rows(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    int64_t n;
    int32_t alt = 0;

    return choose(r, item, &n, &alt, err);
}

int zr_choose_some_rows(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    struct zr_place *place = &r->place;
    int64_t n;

    item->counted = place->alt && place->had_row;
    int status = choose(r, item, &n, &place->alt, err);
    const int64_t last = item->n_rows ? zr_record_of(item, item->n_rows - 1) - item->first : -1;
    place->had_row = place->alt && (last == n || (n == 0 && item->counted));
    if (n == item->n)
        *place = (struct zr_place){.task = place->task + 1};
    else
        place->record += n;
    item->n = place->alt ? n + 1 : n;
    return status;
}
