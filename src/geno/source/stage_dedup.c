/* --rm-dup: rows of one place with the same alleles, of which the first stays.
 *
 * Sites come in order, so all rows of a place stand together: no more than its sets of alleles are held,
 * as hashes, in the budget. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "core/base/mem.h"
#include "geno/source/source_internal.h"

struct gt_duplicates {
    struct gt_names *seen; /* the alleles at the place, when there are several rows; else NULL */
    XXH128_hash_t first;   /* of the alleles of the first of them, each with its end */
    int32_t contig;        /* INT32_MIN: there was none yet */
    int64_t position;
    XXH3_state_t *state;
};

int gt_source_dup_open(struct gt_source *source, struct gt_err *err)
{
    if (!source->select.rm_dup)
        return GT_OK;
    struct gt_duplicates *d = source->duplicates = gt_alloc(1, sizeof *d, err);
    if (!d)
        return GT_FAIL;
    d->contig = INT32_MIN;
    d->state = XXH3_createState();
    return d->state ? GT_OK : gt_no_memory(err);
}

static void forget(struct gt_duplicates *d)
{
    gt_names_free(d->seen);
    d->seen = NULL;
    d->contig = INT32_MIN;
}

void gt_source_dup_rewind(struct gt_source *source)
{
    if (source->duplicates)
        forget(source->duplicates);
}

void gt_source_dup_free(struct gt_source *source)
{
    if (!source->duplicates)
        return;
    forget(source->duplicates);
    XXH3_freeState(source->duplicates->state);
    free(source->duplicates);
}

static XXH128_hash_t key_of(struct gt_duplicates *d, const struct gt_block *block, const struct gt_site *site)
{
    XXH3_128bits_reset(d->state);
    for (int32_t a = 0; a < site->n_alleles; a++) {
        const char *text = gt_strs_get(&block->alleles, site->first_allele + (size_t)a);
        XXH3_128bits_update(d->state, text, strlen(text) + 1);
    }
    return XXH3_128bits_digest(d->state);
}

static int add_key(struct gt_names *seen, const XXH128_hash_t *key, bool *twice, struct gt_err *err)
{
    int64_t had = -1;
    int status = gt_names_add(seen, (const char *)key, sizeof *key, 0, &had, err);
    *twice = had >= 0;
    return status;
}

/* Was a row like this one there before?  It is, from now on.  Places that are not known (0) are all different. */
static int is_twice(struct gt_source *source, const struct gt_block *block, const struct gt_site *site, bool *twice, struct gt_err *err)
{
    struct gt_duplicates *d = source->duplicates;
    const bool known = site->contig >= 0 && site->position > 0;
    int status = GT_OK;
    *twice = false;
    if (!known || site->contig != d->contig || site->position != d->position) {
        forget(d);
        if (known)
            *d = (struct gt_duplicates){
                .first = key_of(d, block, site), .contig = site->contig, .position = site->position, .state = d->state};
        return GT_OK;
    }
    const XXH128_hash_t key = key_of(d, block, site);
    if (!d->seen) {
        d->seen = gt_names_new(&source->engine->budget, err);
        status = d->seen ? add_key(d->seen, &d->first, twice, err) : GT_FAIL;
    }
    return status ? status : add_key(d->seen, &key, twice, err);
}

static int refuse(const struct gt_source *source, const struct gt_block *block, const struct gt_site *site, struct gt_err *err)
{
    struct gt_str alleles = {0};
    for (int32_t a = 0; a < site->n_alleles && a < 4; a++)
        gt_str_addf(&alleles, " %.20s", gt_strs_get(&block->alleles, site->first_allele + (size_t)a));
    gt_fail(err, GT_INPUT, "'%s' has %s:%lld%s%s twice", source->info.name, gt_strs_get(&source->info.contigs, (size_t)site->contig),
            (long long)site->position, alleles.s ? alleles.s : "", site->n_alleles > 4 ? " ..." : "");
    gt_str_release(&alleles);
    gt_hint(err, "--rm-dup force-first keeps the first of them");
    return GT_INPUT;
}

int gt_source_drop_duplicates(struct gt_source *source, struct gt_block *block, struct gt_err *err)
{
    struct gt_site *sites = gt_block_sites(block);
    int64_t out = 0;
    int status = GT_OK;
    if (!source->duplicates || !block->n)
        return GT_OK;
    for (int64_t v = 0; v < block->n && !status; v++) {
        bool twice;
        status = is_twice(source, block, &sites[v], &twice, err);
        if (status || !twice) {
            gt_source_move_row(block, v, out++);
            continue;
        }
        if (source->select.rm_dup == GT_DUP_ERROR)
            status = refuse(source, block, &sites[v], err);
        gt_source_uncount_row(source, &block->stats, block, v);
        block->stats.dropped_dup++;
    }
    return status ? status : gt_source_cut_rows(block, out, err);
}
