/* Several passes over a source: each delivers what the first one did, also after one that was left in the middle, and counts and warnings
 * are those of one pass.  Of options for which it matters what came before: thinning, duplicates, linkage, and several inputs. */
#include <unistd.h>

#include "test/support/geno_test.h"
#include "test/support/scratch.h"
#include "test/support/select_data.h"

#define OPTS(MIND, MAF, ...) ((struct gt_select_opts){.geno = -1, .mind = MIND, .maf = MAF, __VA_ARGS__})

static bool same_sites(const struct gt_block *a, const struct gt_block *b)
{
    for (int64_t v = 0; v < a->n; v++)
        if (strcmp(gt_strs_get(&a->ids, gt_block_sites(a)[v].id), gt_strs_get(&b->ids, gt_block_sites(b)[v].id)) != 0)
            return false;
    return true;
}

/* One block alone, as a consumer that fails does. */
static void begin(struct gt_source *source)
{
    struct gt_block *block;
    struct gt_err err;
    if (gt_source_next(source, &block, &err) == 0)
        gt_source_done(source, block);
}

static void check(struct gt_engine *engine, const char *const *paths, int n, const struct gt_select_opts *o, const char *name)
{
    struct gt_source_opts opts = {.paths = paths, .n_paths = n, .select = o, .fields = GT_SITE_ALL, .again = true};
    struct gt_source *source = NULL;
    struct whole first = {.stats = {0}}, again = {.stats = {0}};
    struct gt_err err = {0};
    bool same = gt_source_open(&source, engine, &opts, &err) == 0 && drain(source, &first, &err) == 0;
    const int64_t rows = first.block.n;
    for (int pass = 0; pass < 3 && same; pass++) {
        same = gt_source_rewind(source, &err) == 0;
        if (pass == 1) {
            begin(source);
            continue;
        }
        same = same && drain(source, &again, &err) == 0 && same_rows(&first.block, &again.block, (int64_t)first.samples.n) &&
               same_sites(&first.block, &again.block) && memcmp(&first.stats, &again.stats, sizeof again.stats) == 0 &&
               first.warnings.n == again.warnings.n;
        whole_release(&again);
        again = (struct whole){.stats = {0}};
    }
    ok(same && first.stats.sites_kept == rows && rows > 5 && rows < SITES, "%s, %d of it, %s: %lld rows, each time %s", paths[0], n, name,
       (long long)rows, err.msg);
    gt_source_free(source);
    whole_release(&first);
}

/* An input of one variant, which is the last of a pass and the first of the next. */
static void check_one(struct gt_engine *engine)
{
    static const char *const path[] = {"one.vcf"};
    const struct gt_select_opts o = OPTS(-1, -1, .rm_dup = GT_DUP_FIRST, .bp_space = 5);
    struct gt_source_opts opts = {.paths = path, .n_paths = 1, .select = &o, .fields = GT_SITE_ALL, .again = true};
    struct gt_source *source = NULL;
    struct gt_err err = {0};
    int64_t rows = 0;
    bool good = gt_source_open(&source, engine, &opts, &err) == 0;
    for (int pass = 0; pass < 3 && good; pass++) {
        struct whole all = {.stats = {0}};
        good = (!pass || gt_source_rewind(source, &err) == 0) && drain(source, &all, &err) == 0;
        rows += all.block.n;
        whole_release(&all);
    }
    ok(good && rows == 3, "one variant, which is no duplicate of itself: %lld in three passes %s", (long long)rows, err.msg);
    gt_source_free(source);
}

int main(void)
{
    static struct data d;
    static const char *const inputs[][4] = {{"all.vcf"}, {"all.bcf"}, {"calls.zarr"}, {"packed.zarr"}, {"a.vcf", "b.vcf", "c.vcf"}};
    const struct {
        const char *name;
        struct gt_select_opts o;
    } cases[] = {{"--thin 3", OPTS(-1, -1, .thin = 3)},
                 {"--thin-count 50", OPTS(-1, -1, .thin_count = 50, .seed = 7)},
                 {"--thin-count 20 --maf 0.1", OPTS(-1, 0.1, .thin_count = 20, .seed = 9)},
                 {"--bp-space 4", OPTS(-1, -1, .bp_space = 4)},
                 {"--rm-dup force-first", OPTS(-1, -1, .rm_dup = GT_DUP_FIRST)},
                 {"--ld-prune 20,0.2", OPTS(-1, -1, .ld_prune = "20,0.2")},
                 {"--ld-prune 0.02kb,0.2", OPTS(-1, -1, .ld_prune = "0.02kb,0.2")},
                 {"--slice 50:-30:2", OPTS(-1, -1, .slice = "50:-30:2")},
                 {"--mind 0.2 --snps --require-sites 6", OPTS(0.2, -1, .snps = true, .require_sites = 6)},
                 {"-r", OPTS(-1, -1, .regions = "chr1:1-90,X:5-40")}};
    scratch_open();
    struct gt_engine *engine = new_engine(3, 0);
    make(&d);
    write_vcf(&d, "all.vcf", 0, SITES, true);
    write_bcf("all.vcf", "all.bcf", "wb", NULL);
    write_calls(&d, "calls.zarr");
    write_packed(&d, "packed.zarr");
    write_vcf(&d, "a.vcf", 0, SITES / 2, true);
    write_vcf(&d, "b.vcf", SITES / 2, SITES * 3 / 4, true);
    write_vcf(&d, "c.vcf", SITES * 3 / 4, SITES, true);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            check(engine, inputs[i], inputs[i][1] ? 3 : 1, &cases[c].o, cases[c].name);
    write_vcf(&d, "one.vcf", 0, 1, true);
    check_one(engine);
    ok(engine->budget.used == 0, "nothing is left behind");
    free_engine(engine);
    scratch_close();
    return done_testing();
}
