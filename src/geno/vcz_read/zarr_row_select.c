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

static int add_split_rows(struct zarr_reader *r, struct zr_item *item, int64_t record, const struct gt_site *site, struct gt_err *err)
{
    int status = GT_OK;

    for (int32_t alt = 1; alt < site->n_alleles && !status; alt++) {
        struct gt_site row;
        bool kept;
        status = gt_filter_split(r->base.filter, &item->block, site, alt, &row, &kept, err);
        if (!status && kept)
            status = add_row(item, record, alt, &row, err);
    }
    return status;
}

int zr_choose_rows(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    static const struct gt_site none = {0};
    const struct gt_site *sites = item->records.len ? (const struct gt_site *)item->records.data : NULL;
    int status = gt_buf_reserve(&item->rows, (size_t)item->n * sizeof(struct zr_row), err);

    item->rows.len = 0;
    item->n_rows = 0;
    item->block.sites_filtered = true;
    item->chosen = true;
    for (int64_t i = 0; i < item->n && !status; i++) {
        const struct gt_site *site = sites ? &sites[i] : &none;
        if (!gt_filter_site(r->base.filter, &item->block, site, item->first + i))
            continue;
        if (gt_filter_splits(r->base.filter) && site->n_alleles > 2)
            status = add_split_rows(r, item, i, site, err);
        else
            status = add_row(item, i, 0, sites ? site : NULL, err);
    }
    return status;
}
