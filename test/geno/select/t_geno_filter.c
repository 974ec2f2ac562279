/* Several inputs joined; contigs that the header lacks; standard input read twice; what is
 * refused. */
#include <unistd.h>

#include "test/support/geno_test.h"
#include "test/support/scratch.h"
#include "test/support/select_data.h"

/* --- joined inputs ------------------------------------------------------------------------ */

static void test_joined(const struct data *d, struct gt_engine *engine)
{
    struct whole one, many;
    struct gt_err err;
    struct gt_select_opts o = GT_SELECT_ALL;
    o.slice = "-350:-20:3";
    write_vcf(d, "c.vcf", 0, 100, true);
    write_vcf(d, "b.vcf", 100, 250, true);
    write_vcf(d, "a.vcf", 250, SITES, true);
    const char *paths[] = {strdup("a.vcf"), strdup("b.vcf"), strdup("c.vcf"), NULL};
    /* pieces must not share a position where they meet */
    bool clean = d->pos[99] < d->pos[100] && d->pos[249] < d->pos[250];
    int status = read_path(engine, "all.vcf", &o, GT_SITE_ALL, &one, &err);
    ok(status == 0, "one input%s", err.msg);
    status = read_paths(engine, paths, 3, &o, GT_SITE_ALL, &many, &err);
    ok(clean && status == 0 && same_rows(&one.block, &many.block, SAMPLES), "three inputs in any order are one: %s", err.msg);
    ok(many.block.n == one.block.n && one.block.n == 110, "a slice counts the joined variants: %lld", (long long)many.block.n);
    whole_release(&one);
    whole_release(&many);

    free((void *)paths[2]);
    paths[2] = paths[0];
    status = read_paths(engine, paths, 3, NULL, GT_SITE_ALL, &many, &err);
    ok(status == GT_INPUT && strstr(err.msg, "overlaps"), "overlapping inputs: %s", err.msg);
    whole_release(&many);

    o = (struct gt_select_opts)GT_SELECT_ALL;
    o.regions = "chr9";
    status = read_paths(engine, paths, 2, &o, GT_SITE_ALL, &many, &err);
    ok(status == GT_INPUT && strstr(err.msg, "chr9"), "a contig that none has: %s", err.msg);
    whole_release(&many);
    o.skip_absent = true;
    status = read_paths(engine, paths, 2, &o, GT_SITE_ALL, &many, &err);
    ok(status == 0 && many.block.n == 0, "--skip-absent goes on: %s", err.msg);
    whole_release(&many);
    free((void *)paths[0]);
    free((void *)paths[1]);
}

static void test_open_contigs(const struct data *d, struct gt_engine *engine)
{
    struct whole all;
    struct gt_err err;
    struct gt_select_opts o = GT_SELECT_ALL;
    write_vcf(d, "bare.vcf", 0, SITES, false);
    int status = read_path(engine, "bare.vcf", NULL, GT_SITE_ALL, &all, &err);
    bool same = status == 0 && all.contigs.n == CONTIGS && all.warnings.n == 1 && all.block.n == SITES;
    for (int v = 0; same && v < SITES; v++)
        same = gt_block_sites(&all.block)[v].contig == d->contig[v];
    ok(same, "contigs missing from the header: in order of appearance, one warning");
    whole_release(&all);
    o.regions = "X:1-50";
    status = read_path(engine, "bare.vcf", &o, GT_SITE_ALL, &all, &err);
    ok(status == 0 && all.block.n > 0 && all.stats.dropped_region + all.block.n == SITES, "a region on one of them: %lld sites",
       (long long)all.block.n);
    whole_release(&all);
    o.regions = "chr7:1-50";
    status = read_path(engine, "bare.vcf", &o, GT_SITE_ALL, &all, &err);
    ok(status == GT_INPUT && strstr(err.msg, "chr7"), "a contig that never comes: %s", err.msg);
    whole_release(&all);
}

static void test_pipe(struct gt_engine *engine)
{
    struct whole all, file;
    struct gt_err err;
    struct gt_select_opts o = GT_SELECT_ALL;
    char command[8192];
    o.mind = 0.13;
    o.slice = "-300:";
    int saved = dup(STDIN_FILENO);
    read_path(engine, "all.vcf", &o, GT_SITE_ALL, &file, &err);
    snprintf(command, sizeof command, "cat '%s'", "all.vcf");
    FILE *pipe_in = popen(command, "r");
    dup2(fileno(pipe_in), STDIN_FILENO);
    int status = read_path(engine, "-", &o, GT_SITE_ALL, &all, &err);
    ok(status == 0 && all.block.n == 300 && all.stats.dropped_mind > 0 && same_rows(&all.block, &file.block, (int64_t)file.samples.n),
       "--mind on standard input: %s", err.msg);
    dup2(saved, STDIN_FILENO);
    close(saved);
    pclose(pipe_in);
    whole_release(&all);
    whole_release(&file);
}

static void expect(struct gt_engine *engine, const struct gt_select_opts *o, int want, const char *text)
{
    struct whole all;
    struct gt_err err;
    int status = read_path(engine, "all.vcf", o, GT_SITE_ALL, &all, &err);
    ok(status == want && (!want || strstr(err.msg, text)), "%d: %s", want, err.msg);
    whole_release(&all);
}

#define OPTS(...) (&(struct gt_select_opts){.geno = -1, .mind = -1, .maf = -1, __VA_ARGS__})

static void test_refused(struct gt_engine *engine)
{
    expect(engine, OPTS(.samples = "S1,nobody", .strict = true), GT_INPUT, "nobody");
    expect(engine, OPTS(.samples = "S1,nobody"), 0, "");
    expect(engine, OPTS(.samples = "nobody"), GT_INPUT, "nobody");
    expect(engine, OPTS(.samples = "S1,S2,S1"), GT_INPUT, "twice");
    expect(engine, OPTS(.samples = "S1,,S2"), GT_USAGE, "empty");
    expect(engine, OPTS(.samples_file = "/nonexistent/list"), GT_FAIL, "/nonexistent/list");
    expect(engine, OPTS(.regions = "chr1:9-3"), GT_USAGE, "chr1:9-3");
    expect(engine, OPTS(.regions = "chr1:x"), GT_USAGE, "chr1:x");
    expect(engine, OPTS(.regions = "chr8"), GT_INPUT, "chr8");
    expect(engine, OPTS(.contigs = "chr1,chrQ", .strict = true), GT_INPUT, "chrQ");
    expect(engine, OPTS(.slice = "::-1"), GT_USAGE, "negative step");
    expect(engine, OPTS(.slice = "1:2:0"), GT_USAGE, "step is 0");
    expect(engine, OPTS(.slice = "a"), GT_USAGE, "bad slice");
    expect(engine, OPTS(.slice = ":,:,:,:"), GT_USAGE, "three axes");
    expect(engine, OPTS(.slice = ":,:,1"), GT_USAGE, "no ploidy axis");
    expect(engine, OPTS(.slice = "400"), GT_USAGE, "index 400");
    expect(engine, OPTS(.slice = "-1"), 0, "");
    expect(engine, OPTS(.slice = ":,23"), GT_USAGE, "index 23");
    expect(engine, OPTS(.slice = ":,5:5"), GT_INPUT, "no samples");
    expect(engine, OPTS(.half_call = GT_HALF_ERROR), GT_INPUT, "half call");
    expect(engine, &(struct gt_select_opts){.geno = -1, .maf = -1}, GT_INPUT, "no sample");
}

int main(void)
{
    static struct data d;
    scratch_open();
    struct gt_engine *engine = new_engine(3, 0);
    make(&d);
    write_vcf(&d, "all.vcf", 0, SITES, true);
    test_joined(&d, engine);
    test_open_contigs(&d, engine);
    test_pipe(engine);
    test_refused(engine);
    free_engine(engine);
    scratch_close();
    return done_testing();
}
