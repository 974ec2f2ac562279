/* The writer of VCF Zarr groups: which thread, or which process, encodes which row group first does not show. */
#include <stdint.h>
#include <string.h>

#include "calc/sim/sim.h"
#include "geno/vcz_write/vcz.h"
#include "storage/store/store.h"
#include "test/support/tap.h"

enum { MOST_WRITERS = 4, SAMPLES = 12, VARIANTS = 70, ROW_GROUP = 10, ROW_GROUPS = 7, SITES = 30 };

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

/* Each writer encodes its row groups, and the sites of chunks whose last row group is its own. */
struct writers {
    int n;
    struct gt_vcz *vcz[MOST_WRITERS]; /* the first one puts */
    struct gt_buf bytes[ROW_GROUPS][GT_CALLS_BUFS];
};

static int encode(struct writers *writers, int64_t row_group, const struct gt_block *block, struct gt_err *err)
{
    int status = 0;
    for (int w = 0; w < writers->n && !status; w++) {
        struct gt_vcz *vcz = writers->vcz[w];
        const bool sites = gt_vcz_last_of_sites(vcz, row_group) % writers->n == w;
        if (row_group % writers->n == w)
            status = gt_vcz_encode(vcz, row_group, block, NULL, sites, writers->bytes[row_group], err);
        else if (sites)
            status = gt_vcz_add_sites(vcz, row_group, block, err);
    }
    return status;
}

static int put(struct writers *writers, int64_t row_groups, struct gt_err *err)
{
    struct gt_buf rest = {0};
    int status = 0;
    for (int i = 0; i < row_groups && !status; i++)
        status = gt_vcz_put(writers->vcz[0], i, writers->bytes[i], err);
    for (int w = 1; w < writers->n && !status; w++)
        status = gt_vcz_encode_rest(writers->vcz[w], &rest, err);
    status = status ? status : gt_vcz_put_rest(writers->vcz[0], &rest, err);
    gt_buf_release(&rest);
    return status ? status : gt_vcz_finish(writers->vcz[0], err);
}

static void free_writers(struct writers *writers)
{
    for (int w = 0; w < writers->n; w++)
        gt_vcz_free(writers->vcz[w]);
    for (int i = 0; i < ROW_GROUPS; i++)
        for (int k = 0; k < GT_CALLS_BUFS; k++)
            gt_buf_release(&writers->bytes[i][k]);
}

/* A group with sites of three row groups a chunk, whose row groups are encoded in the order given.  known: their number is, before. */
static bool write_group(struct record *record, const struct gt_sim *sim, const int *order, int row_groups, int n, bool known)
{
    static const struct gt_store_ops ops = {.kind = "record", .put = record_put};
    const struct gt_vcz_opts opts = {
        .chunk_variants = ROW_GROUP, .chunk_samples = SAMPLES, .site_variants = SITES, .zarr_format = 2, .codec = "none"};
    struct gt_geno_info info = {0};
    struct writers writers = {.n = n};
    struct gt_calls calls;
    struct gt_sim_room room;
    struct gt_err err = {0};

    *record = (struct record){.base = {.ops = &ops}};
    gt_calls_init(&calls, &room, NULL);
    int status = gt_sim_info(sim, &info, &err);
    info.n_variants = known ? row_groups * ROW_GROUP : -1;
    for (int w = 0; w < n && !status; w++)
        status = gt_vcz_new(&writers.vcz[w], w ? NULL : &record->base, &info, &opts, NULL, &err);
    for (int i = 0; i < row_groups && !status; i++) {
        status = gt_sim_generate(sim, order[i] * ROW_GROUP, ROW_GROUP, GT_SITE_ALL, GT_CALLS_DOSAGE, &calls, &room, &err);
        status = status ? status : encode(&writers, order[i], &calls.block, &err);
    }
    status = status ? status : put(&writers, row_groups, &err);
    if (status)
        diag("%s", err.msg);
    free_writers(&writers);
    gt_calls_release(&calls, &room);
    gt_geno_info_release(&info);
    return !status;
}

static bool same(const struct record *a, const struct record *b)
{
    return a->bytes.len == b->bytes.len && memcmp(a->bytes.data, b->bytes.data, a->bytes.len) == 0;
}

/* Whatever the number of row groups: the last chunk of sites has one to three of them, and one may be the only one. */
static void test_writers(const struct gt_sim *sim, const int *order)
{
    for (int n = 2; n <= MOST_WRITERS; n++)
        for (int known = 0; known < 2; known++) {
            int wrong = 0;
            for (int row_groups = 1; row_groups <= ROW_GROUPS; row_groups++) {
                struct record alone, several;
                wrong += !write_group(&alone, sim, order, row_groups, 1, known);
                wrong += !write_group(&several, sim, order, row_groups, n, known) || !same(&alone, &several);
                gt_buf_release(&alone.bytes);
                gt_buf_release(&several.bytes);
            }
            ok(wrong == 0, "%d processes encode, the number of variants is %s: the same keys and values", n, known ? "known" : "unknown");
        }
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
    bool wrote = write_group(&first, sim, orders[0], ROW_GROUPS, 1, true);
    ok(wrote && first.bytes.len > 1000, "a group is written");
    for (size_t i = 1; i < sizeof orders / sizeof *orders; i++) {
        wrote = write_group(&other, sim, orders[i], ROW_GROUPS, 1, true);
        ok(wrote && same(&other, &first), "row group %d first: the same keys and values in the same order", orders[i][0]);
        gt_buf_release(&other.bytes);
    }
    gt_buf_release(&first.bytes);
    test_writers(sim, orders[0]);
    gt_sim_free(sim);
    return done_testing();
}
