/* Blocks of a fixed size from every kind of source, again and again: from memory, from the
 * input, from a file; passes that begin at a checkpoint. */
#include <unistd.h>

#include "geno/model/reader.h"
#include "geno/select/filter.h"
#include "geno/source/source.h"
#include "kernels/kernels.h"
#include "test/support/geno_test.h"
#include "test/support/scratch.h"
#include "test/support/select_data.h"

static const char *const files[] = {"all.vcf", "all.bcf", "calls.zarr", "packed.zarr", "two.bed"};
enum { FILES = sizeof files / sizeof *files };

/* A .bed of the calls, all of two alleles. */
static void write_bed(const struct data *d)
{
    FILE *bed = fopen("two.bed", "w"), *bim = fopen("two.bim", "w"), *fam = fopen("two.fam", "w");
    fputs("l\x1b\x01", bed);
    for (int v = 0; v < SITES; v++) {
        static const int of[4] = {3, 2, 0, 1};
        int byte = 0;
        fprintf(bim, "%s\tid%d\t0\t%d\tG\tA\n", contig_names[d->contig[v]], v, d->pos[v]);
        for (int s = 0; s < SAMPLES; s++) {
            byte |= of[plain_code(d->call[v][s])] << 2 * (s % 4);
            if (s % 4 == 3 || s + 1 == SAMPLES)
                fputc(byte, bed), byte = 0;
        }
    }
    for (int s = 0; s < SAMPLES; s++)
        fprintf(fam, "f\tS%d\t0\t0\t0\t-9\n", s);
    fclose(bed);
    fclose(bim);
    fclose(fam);
}

/* --- a reader of blocks of any size ---------------------------------------------- */

struct scraps {
    struct gt_reader base;
    const struct whole *all;
    int64_t at;
};

static int scraps_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct scraps *s = (struct scraps *)stage;
    (void)start;
    (void)err;
    s->at = 0;
    return 0;
}

static int scraps_next(struct gt_stage *stage, struct gt_block **out, struct gt_err *err)
{
    struct scraps *s = (struct scraps *)stage;
    int64_t left = s->all->block.n - s->at, n = rnd(3) ? rnd(40) : rnd(3);
    if (!left)
        return GT_END;
    n = n < left ? n : left;
    struct gt_block *block = calloc(1, sizeof *block);
    gt_block_init(block, NULL);
    block->stride = s->all->block.stride;
    int status = n ? gt_block_append(block, &s->all->block, s->at, n, err) : gt_buf_resize(&block->rows, GT_KERNEL_PAD, err);
    block->first = s->at;
    block->owner = stage;
    s->at += n;
    *out = block;
    return status ? status : gt_filter_block(s->base.filter, block, err);
}

static void scraps_release(struct gt_stage *stage, struct gt_block *block)
{
    (void)stage;
    gt_block_release(block);
    free(block);
}

static void scraps_stop(struct gt_stage *stage)
{
    (void)stage;
}

static void scraps_needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    (void)stage, (void)fields;
    *needs = (struct gt_stage_needs){0};
}

static void scraps_close(struct gt_stage *stage)
{
    gt_reader_base_release((struct gt_reader *)stage);
    free(stage);
}

/* all: everything of an input, with all its sites. */
static struct gt_source *open_scraps(struct gt_engine *engine, const struct whole *all, const struct gt_select_opts *select,
                                     unsigned fields, bool once)
{
    static const struct gt_stage_ops ops = {scraps_needs, scraps_start, scraps_next, scraps_release, scraps_stop, scraps_close, NULL};
    struct gt_source_opts opts = {.select = select, .fields = fields};
    struct scraps *s = calloc(1, sizeof *s);
    struct gt_source *source = NULL;
    struct gt_err err = {0};
    gt_reader_init(&s->base, &ops, engine, !once);
    s->base.info.n_samples = SAMPLES;
    s->base.info.n_variants = s->base.info.n_variants_max = all->block.n;
    s->base.info.has = ~0u;
    s->base.info.kind = strdup("scraps");
    s->base.info.name = strdup("scraps");
    gt_strs_copy(&s->base.info.samples, &all->samples, &err);
    gt_strs_copy(&s->base.info.contigs, &all->contigs, &err);
    s->all = all;
    if (gt_source_from_reader(&source, engine, &s->base, &opts, &err))
        diag("%s", err.msg);
    return source;
}

static struct gt_source *open_one(struct gt_engine *engine, const char *path, const struct gt_select_opts *select, unsigned fields)
{
    struct gt_source_opts opts = {.paths = &path, .n_paths = 1, .select = select, .fields = fields};
    struct gt_source *source = NULL;
    struct gt_err err = {0};
    if (gt_source_open(&source, engine, &opts, &err))
        diag("%s", err.msg);
    return source;
}

static bool same_text(const struct gt_strs *a, size_t i, const struct gt_strs *b, size_t k)
{
    return strcmp(gt_strs_get(a, i), gt_strs_get(b, k)) == 0;
}

static bool same_site(const struct gt_block *a, int64_t i, const struct gt_block *b, int64_t k)
{
    const struct gt_site *x = &gt_block_sites(a)[i], *y = &gt_block_sites(b)[k];
    bool same =
        x->position == y->position && x->contig == y->contig && x->n_alleles == y->n_alleles && same_text(&a->ids, x->id, &b->ids, y->id);
    for (int32_t n = 0; same && n < x->n_alleles; n++)
        same = same_text(&a->alleles, x->first_allele + (uint32_t)n, &b->alleles, y->first_allele + (uint32_t)n);
    return same;
}

/* One pass; the sizes are as the options say, rows and sites those of `all`. */
static bool pass_agrees(struct gt_source *source, const struct gt_reblock_opts *opts, const struct gt_block *all, int64_t samples,
                        bool sites, struct gt_err *err)
{
    struct gt_block *held[3] = {NULL}, *block;
    int64_t at = 0, minimum = opts->minimum ? opts->minimum : opts->variants, before = minimum;
    size_t bytes = (size_t)(samples + 3) / 4;
    bool good = true;
    int status;
    while ((status = gt_source_next(source, &block, err)) == 0 && good) {
        good = block->first == at && block->n > 0 && block->n <= opts->variants && before >= minimum && at + block->n <= all->n;
        for (int64_t v = 0; good && v < block->n; v++)
            good = memcmp(gt_block_row(block, v), gt_block_row(all, at + v), bytes) == 0 && (!sites || same_site(block, v, all, at + v));
        before = block->n;
        at += block->n;
        if (held[2])
            gt_source_done(source, held[2]);
        held[2] = held[1];
        held[1] = held[0];
        held[0] = block;
    }
    for (int i = 0; i < 3; i++)
        if (held[i])
            gt_source_done(source, held[i]);
    if (!good || status != GT_END || at != all->n)
        diag("at %lld of %lld: %s", (long long)at, (long long)all->n, err->msg);
    return good && status == GT_END && at == all->n;
}

static void choose(struct gt_select_opts *select)
{
    static const char *const slices[] = {"::3", "50:-20", "::2,3:19:2", "100:130"};
    *select = (struct gt_select_opts)GT_SELECT_ALL;
    select->samples = rnd(3) ? NULL : "S7,S3,S22,S1,S0";
    select->slice = rnd(3) ? NULL : slices[rnd(4)];
    select->geno = rnd(3) ? -1 : 0.05;
    select->regions = rnd(4) ? NULL : "chr2:50-400,X";
}

static void trial(struct gt_engine *engine, const struct whole *input, int number)
{
    struct gt_select_opts select;
    struct gt_reblock_opts opts = {.variants = 1 + rnd(90), .again = number % 3 == 0};
    struct gt_err err = {0};
    struct whole all;
    unsigned fields = opts.again || rnd(2) ? GT_SITE_NONE : GT_SITE_ALL;
    bool once = rnd(3) == 0;
    choose(&select);
    opts.sites = fields;
    opts.minimum = rnd(2) ? 0 : 1 + rnd((int)opts.variants);
    opts.keep = rnd(4) ? rnd(6000) : 0;
    struct gt_source *source = open_scraps(engine, input, &select, GT_SITE_ALL, false);
    memset(&all, 0, sizeof all);
    bool agreed = drain(source, &all, &err) == 0;
    gt_source_free(source);
    source = open_scraps(engine, input, &select, fields, once);
    agreed &= source && gt_source_reblock(source, &opts, &err) == 0;
    for (int pass = 0; agreed && pass < (opts.again ? 3 : 1); pass++) {
        if (pass)
            agreed = gt_source_rewind(source, &err) == 0;
        agreed = agreed && pass_agrees(source, &opts, &all.block, (int64_t)all.samples.n, fields, &err) &&
                 memcmp(gt_source_stats(source), &all.stats, sizeof all.stats) == 0;
    }
    ok(agreed, "trial %d: blocks of %lld (%lld)%s%s, %lld bytes kept%s: %s", number, (long long)opts.variants, (long long)opts.minimum,
       opts.again ? ", three times" : "", once ? " of a stream" : "", (long long)opts.keep, fields ? ", sites" : "", err.msg);
    gt_source_free(source);
    whole_release(&all);
}

/* Standard input, which can be read once only: three passes all the same. */
static void test_pipe(struct gt_engine *engine, int64_t keep)
{
    struct gt_reblock_opts opts = {.variants = 64, .again = true, .keep = keep};
    struct gt_err err;
    struct whole all;
    char command[8192];
    int saved = dup(STDIN_FILENO);
    bool agreed = read_path(engine, "all.vcf", NULL, GT_SITE_NONE, &all, &err) == 0;
    snprintf(command, sizeof command, "cat '%s'", "all.vcf");
    FILE *pipe_in = popen(command, "r");
    dup2(fileno(pipe_in), STDIN_FILENO);
    struct gt_source *source = open_one(engine, "-", NULL, GT_SITE_NONE);
    agreed &= source && gt_source_reblock(source, &opts, &err) == 0;
    for (int pass = 0; agreed && pass < 3; pass++) {
        agreed = !pass || gt_source_rewind(source, &err) == 0;
        agreed = agreed && pass_agrees(source, &opts, &all.block, SAMPLES, false, &err);
    }
    ok(agreed && memcmp(gt_source_stats(source), &all.stats, sizeof all.stats) == 0, "a pipe three times, %lld bytes kept",
       (long long)keep);
    gt_source_free(source);
    dup2(saved, STDIN_FILENO);
    close(saved);
    pclose(pipe_in);
    whole_release(&all);
}

/* Chunks that a slice does not need may be absent. */
static void test_reads_little(struct gt_engine *engine)
{
    struct gt_err err = {0};
    struct whole part = {.samples = {0}};
    struct gt_select_opts select = GT_SELECT_ALL;
    char key[64];
    for (int row = 0; row < SITES / 32 + 1; row++)
        for (int col = 0; col < 2 && (row < 3 || row > 5); col++) {
            snprintf(key, sizeof key, "packed.zarr/packed_dosage/%d.%d", row, col);
            unlink(key);
        }
    select.slice = "100:190:3";
    int status = read_path(engine, "packed.zarr", &select, GT_SITE_ALL, &part, &err);
    ok(status == 0 && part.block.n == 30 && part.stats.sites_in == SITES && part.stats.dropped_slice == SITES - 30,
       "a slice of a store reads its own chunks: %s", err.msg);
    whole_release(&part);
    ok(read_path(engine, "packed.zarr", NULL, GT_SITE_ALL, &part, &err) == GT_INPUT, "the whole does not: %s", err.msg);
    whole_release(&part);
}

/* --- checkpoints -------------------------------------------------------------------------- */

/* A pass that another source begins at the checkpoint of a block delivers the rest, and counts what one whole pass does. */
static void test_checkpoints(struct gt_engine *engine, int number)
{
    const char *path = files[number % FILES];
    const struct gt_reblock_opts opts = {.variants = 1 + rnd(60), .sites = true};
    struct gt_checkpoint at;
    struct gt_select_opts select;
    struct gt_block *block;
    struct gt_err err = {0};
    struct whole all, rest = {.samples = {0}};
    int64_t n = 0;
    choose(&select);
    select.rm_dup = rnd(3) ? GT_DUP_KEEP : GT_DUP_FIRST;
    bool good = read_path(engine, path, &select, GT_SITE_ALL, &all, &err) == 0;
    struct gt_source *source = open_one(engine, path, &select, GT_SITE_ALL);
    const int64_t blocks = 1 + rnd((int)(all.block.n / opts.variants) + 1);
    good = good && gt_source_reblock(source, &opts, &err) == 0;
    for (int64_t i = 0; good && i < blocks && gt_source_next(source, &block, &err) == 0; i++) {
        n += block->n;
        gt_source_checkpoint(source, &at);
        gt_source_done(source, block);
    }
    gt_source_free(source);
    source = open_one(engine, path, &select, GT_SITE_ALL);
    good = good && gt_source_reblock(source, &opts, &err) == 0;
    if (n)
        gt_source_start_at(source, &at);
    good = good && drain(source, &rest, &err) == 0 && rest.block.n == all.block.n - n;
    for (int64_t v = 0; good && v < rest.block.n; v++)
        good = same_site(&rest.block, v, &all.block, n + v) &&
               memcmp(gt_block_row(&rest.block, v), gt_block_row(&all.block, n + v), (all.samples.n + 3) / 4) == 0;
    ok(good && memcmp(&rest.stats, &all.stats, sizeof all.stats) == 0, "%s from variant %lld of %lld on: %s", path, (long long)n,
       (long long)all.block.n, err.msg);
    gt_source_free(source);
    whole_release(&rest);
    whole_release(&all);
}

int main(void)
{
    static struct data d;
    scratch_open();
    struct gt_engine *engine = new_engine(3, 0);
    make(&d);
    write_vcf(&d, "all.vcf", 0, SITES, true);
    write_bcf("all.vcf", "all.bcf", "wb", NULL);
    write_calls(&d, "calls.zarr");
    write_packed(&d, "packed.zarr");
    write_bed(&d);
    struct whole input;
    struct gt_err err;
    ok(read_path(engine, "all.vcf", NULL, GT_SITE_ALL, &input, &err) == 0, "%s", err.msg);
    for (int i = 0; i < 600; i++)
        trial(engine, &input, i);
    whole_release(&input);
    for (int64_t keep = 0; keep < 4000; keep += 1000)
        test_pipe(engine, keep);
    for (int i = 0; i < 200; i++)
        test_checkpoints(engine, i);
    test_reads_little(engine);
    free_engine(engine);
    scratch_close();
    return done_testing();
}
