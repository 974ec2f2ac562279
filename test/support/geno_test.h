/* What the tests of genotype sources share. */
#ifndef GT_TEST_GENO_H
#define GT_TEST_GENO_H

#include <string.h>

#include "geno/source/source.h"
#include "test/support/tap.h"

__attribute__((unused)) static struct gt_engine *new_engine(int threads, int64_t memory)
{
    struct gt_engine *engine = calloc(1, sizeof *engine);
    struct gt_limits limits;
    struct gt_err err = {0};
    if (gt_limits_get(&limits, threads, 2, memory ? memory : (int64_t)4 << 30, &err) || gt_engine_init(engine, &limits, NULL, &err)) {
        printf("Bail out! %s\n", err.msg);
        exit(1);
    }
    return engine;
}

__attribute__((unused)) static void free_engine(struct gt_engine *engine)
{
    gt_engine_release(engine);
    free(engine);
}

/* Everything that a source delivers, in one block. */
struct whole {
    struct gt_block block;
    struct gt_select_stats stats;
    struct gt_strs samples, contigs, filters, warnings;
};

__attribute__((unused)) static void whole_release(struct whole *all)
{
    gt_block_release(&all->block);
    gt_strs_release(&all->samples);
    gt_strs_release(&all->contigs);
    gt_strs_release(&all->filters);
    gt_strs_release(&all->warnings);
}

__attribute__((unused)) static int drain(struct gt_source *source, struct whole *all, struct gt_err *err)
{
    struct gt_block *block;
    int status;
    gt_block_init(&all->block, NULL);
    while ((status = gt_source_next(source, &block, err)) == 0) {
        int64_t first = all->block.n ? all->block.first + all->block.n : 0;
        if (block->first != first)
            diag("a block begins at %lld, not %lld", (long long)block->first, (long long)first);
        status = gt_block_append(&all->block, block, 0, block->n, err);
        gt_source_done(source, block);
        if (status)
            return status;
    }
    const struct gt_geno_info *info = gt_source_info(source);
    all->stats = *gt_source_stats(source);
    gt_strs_copy(&all->samples, &info->samples, NULL);
    gt_strs_copy(&all->contigs, &info->contigs, NULL);
    gt_strs_copy(&all->filters, &info->filters, NULL);
    gt_strs_copy(&all->warnings, gt_source_warnings(source), NULL);
    return status == GT_END ? 0 : status;
}

__attribute__((unused)) static int read_paths(struct gt_engine *engine, const char *const *paths, int n,
                                              const struct gt_select_opts *select, unsigned fields, struct whole *all, struct gt_err *err)
{
    struct gt_source_opts opts = {.paths = paths, .n_paths = n, .select = select, .fields = fields};
    struct gt_source *source = NULL;
    memset(all, 0, sizeof *all);
    memset(err, 0, sizeof *err);
    int status = gt_source_open(&source, engine, &opts, err);
    if (!status)
        status = drain(source, all, err);
    gt_source_free(source);
    return status;
}

__attribute__((unused)) static int read_path(struct gt_engine *engine, const char *path, const struct gt_select_opts *select,
                                             unsigned fields, struct whole *all, struct gt_err *err)
{
    return read_paths(engine, &path, 1, select, fields, all, err);
}

static inline int code_at(const struct gt_block *block, int64_t v, int64_t s)
{
    return gt_block_row(block, v)[s / 4] >> 2 * (s & 3) & 3;
}

__attribute__((unused)) static bool same_rows(const struct gt_block *a, const struct gt_block *b, int64_t n_samples)
{
    size_t bytes = (size_t)(n_samples + 3) / 4;
    if (a->n != b->n)
        return false;
    for (int64_t v = 0; v < a->n; v++)
        if (memcmp(gt_block_row(a, v), gt_block_row(b, v), bytes) != 0)
            return false;
    return true;
}

#endif
