/* The writer of VCF Zarr groups: which thread encodes which row group first does not show. */
#include <stdint.h>
#include <string.h>

#include "calc/sim/sim.h"
#include "geno/vcz_write/vcz.h"
#include "storage/store/store.h"
#include "test/support/tap.h"

enum { SAMPLES = 12, VARIANTS = 70, ROW_GROUP = 10, ROW_GROUPS = 7, SITES = 30 };

/* What was put, keys and values in their order. */
struct record {
    struct gt_store base;
    struct gt_buf bytes;
};

static int record_put(struct gt_store *store, const char *key, const void *data, size_t n, struct gt_err *err)
{
    struct record *record = (struct record *)store;
    int status = gt_buf_append(&record->bytes, key, strlen(key) + 1, err);

    return status ? status : gt_buf_append(&record->bytes, data, n, err);
}

/* A group with sites of three row groups a chunk, whose row groups are encoded in the order given. */
static bool write_group(struct record *record, const struct gt_sim *sim, const int order[ROW_GROUPS])
{
    static const struct gt_store_ops ops = {.kind = "record", .put = record_put};
    const struct gt_vcz_opts opts = {
        .chunk_variants = ROW_GROUP, .chunk_samples = SAMPLES, .site_variants = SITES, .zarr_format = 2, .codec = "none"};
    struct gt_geno_info info = {0};
    struct gt_buf bytes[ROW_GROUPS][GT_CALLS_BUFS] = {0};
    struct gt_calls calls;
    struct gt_sim_room room;
    struct gt_vcz *vcz = NULL;
    struct gt_err err = {0};

    *record = (struct record){.base = {.ops = &ops}};
    gt_calls_init(&calls, &room, NULL);
    int status = gt_sim_info(sim, &info, &err);
    status = status ? status : gt_vcz_new(&vcz, &record->base, &info, &opts, NULL, &err);
    for (int i = 0; i < ROW_GROUPS && !status; i++) {
        status = gt_sim_generate(sim, order[i] * ROW_GROUP, ROW_GROUP, GT_SITE_ALL, GT_CALLS_DOSAGE, &calls, &room, &err);
        status = status ? status : gt_vcz_encode(vcz, order[i], &calls.block, NULL, bytes[order[i]], &err);
    }
    for (int i = 0; i < ROW_GROUPS && !status; i++)
        status = gt_vcz_put(vcz, i, bytes[i], &err);
    status = status ? status : gt_vcz_finish(vcz, &err);
    if (status)
        diag("%s", err.msg);
    gt_vcz_free(vcz);
    gt_calls_release(&calls, &room);
    gt_geno_info_release(&info);
    for (int i = 0; i < ROW_GROUPS; i++)
        for (int k = 0; k < GT_CALLS_BUFS; k++)
            gt_buf_release(&bytes[i][k]);
    return !status;
}

int main(void)
{
    static const int orders[][ROW_GROUPS] = {
        {0, 1, 2, 3, 4, 5, 6}, {2, 1, 0, 5, 4, 3, 6}, {1, 0, 2, 4, 3, 5, 6}, {6, 5, 4, 3, 2, 1, 0}, {3, 0, 4, 1, 5, 2, 6}};
    const struct gt_sim_opts opts = {.seed = 3, .samples = SAMPLES, .variants = VARIANTS, .pops = 1, .contigs = 2, .min_maf = 0.01};
    struct gt_sim *sim;
    struct gt_err err = {0};
    struct record first, other;

    if (gt_sim_new(&sim, &opts, &err)) {
        diag("%s", err.msg);
        return 1;
    }
    bool wrote = write_group(&first, sim, orders[0]);
    ok(wrote && first.bytes.len > 1000, "a group is written");
    for (size_t i = 1; i < sizeof orders / sizeof *orders; i++) {
        wrote = write_group(&other, sim, orders[i]);
        ok(wrote && other.bytes.len == first.bytes.len && memcmp(other.bytes.data, first.bytes.data, first.bytes.len) == 0,
           "row group %d first: the same keys and values in the same order", orders[i][0]);
        gt_buf_release(&other.bytes);
    }
    gt_buf_release(&first.bytes);
    gt_sim_free(sim);
    return done_testing();
}
