#include "calc/pca/variant_match.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xxhash.h>

#include "core/base/mem.h"
#include "core/engine/memory_plan.h"
#include "geno/model/contigs.h"

/* Bytes of a variant in both maps. */
enum { MAP_BYTES = 160 };

/* Where a variant is, and what it is there. */
struct key {
    uint64_t place, alleles;
};

struct gt_svd_match {
    const struct gt_svd_model *model;
    bool by_id;
    struct gt_names *first;  /* key -> the first variant that has it */
    struct gt_names *places; /* key.place alone -> a variant that is there */
    struct gt_buf next;      /* int64_t [n]: the next one with that key; -1 = none */
    struct gt_buf head;      /* int64_t [n]: of a first one, which is to be found next; -1 = all were found */
    struct gt_svd_match_stats stats;
    struct gt_str contig; /* the name that was looked up last, and its number */
    int64_t number;
    bool asked;
};

int64_t gt_svd_match_bytes(int64_t variants)
{
    return gt_bytes_mul(variants, MAP_BYTES + 16);
}

/* False: nothing tells which variant it is. */
static bool make_place(const struct gt_svd_match *match, int64_t contig, int64_t position, const char *id, uint64_t *place)
{
    const int64_t at[2] = {contig, position};
    *place = match->by_id ? XXH3_64bits(id, strlen(id)) : XXH3_64bits(at, sizeof at);
    return match->by_id ? strcmp(id, ".") != 0 && *id : contig >= 0 && position > 0;
}

/* Of an allele, in upper case. */
static uint64_t hash_allele(const char *text, uint64_t seed)
{
    char part[64];
    do {
        size_t n = 0;
        for (; n < sizeof part && text[n]; n++)
            part[n] = text[n] >= 'a' && text[n] <= 'z' ? (char)(text[n] - 'a' + 'A') : text[n];
        seed = XXH3_64bits_withSeed(part, n, seed);
        text += n;
    } while (*text);
    return seed;
}

static uint64_t hash_alleles(const char *ref, const char *alt)
{
    return hash_allele(ref, hash_allele(alt, 0));
}

/* --- the model's ----------------------------------------------------------------------- */

static int add(struct gt_svd_match *match, int64_t i, struct gt_err *err)
{
    const struct gt_svd_model *model = match->model;
    const int32_t contig = ((const int32_t *)(const void *)model->contig.data)[i];
    int64_t *next = gt_buf_i64(&match->next), *head = gt_buf_i64(&match->head), had;
    struct key key;
    next[i] = head[i] = -1;
    if (!make_place(match, contig, gt_buf_i64(&model->position)[i], gt_strs_get(&model->ids, (size_t)i), &key.place))
        return GT_OK;
    key.alleles = hash_alleles(gt_strs_get(&model->alleles, 2 * (size_t)i), gt_strs_get(&model->alleles, 2 * (size_t)i + 1));
    int status = gt_names_add(match->places, (const char *)&key.place, sizeof key.place, i, NULL, err);
    if (!status)
        status = gt_names_add(match->first, (const char *)&key, sizeof key, i, &had, err);
    if (status)
        return status;
    if (had < 0) {
        head[i] = i;
    } else { /* variants come from the last one to the first */
        next[i] = head[had];
        head[had] = i;
    }
    return GT_OK;
}

int gt_svd_match_open(struct gt_svd_match **out, const struct gt_svd_model *model, bool by_id, struct gt_budget *budget, struct gt_err *err)
{
    struct gt_svd_match *match = gt_alloc(1, sizeof *match, err);
    if (!match)
        return GT_FAIL;
    match->model = model;
    match->by_id = by_id;
    match->next.budget = match->head.budget = budget;
    match->first = gt_names_new(budget, err);
    match->places = match->first ? gt_names_new(budget, err) : NULL;
    int status = match->places ? gt_buf_resize(&match->next, (size_t)model->n * sizeof(int64_t), err) : GT_FAIL;
    if (!status)
        status = gt_buf_resize(&match->head, (size_t)model->n * sizeof(int64_t), err);
    for (int64_t i = model->n - 1; i >= 0 && !status; i--)
        status = add(match, i, err);
    if (status)
        gt_svd_match_free(match);
    else
        *out = match;
    return status;
}

void gt_svd_match_free(struct gt_svd_match *match)
{
    if (!match)
        return;
    gt_names_free(match->first);
    gt_names_free(match->places);
    gt_buf_release(&match->next);
    gt_buf_release(&match->head);
    gt_str_release(&match->contig);
    free(match);
}

/* --- the sites --------------------------------------------------------------------------- */

static int64_t number_of(const struct gt_strs *contigs, const char *name)
{
    for (size_t i = 0; name && i < contigs->n; i++)
        if (strcmp(gt_strs_get(contigs, i), name) == 0)
            return (int64_t)i;
    return -1;
}

/* Of the model; "chr1" is "1".  Sites come contig by contig. */
static int64_t contig_number(struct gt_svd_match *match, const char *name)
{
    const struct gt_strs *contigs = &match->model->contigs;
    if (match->asked && !match->contig.failed && strcmp(match->contig.s, name) == 0)
        return match->number;
    match->number = number_of(contigs, name);
    if (match->number < 0)
        match->number = number_of(contigs, gt_contigs_like(contigs, name));
    gt_str_clear(&match->contig);
    gt_str_addn(&match->contig, name, strlen(name));
    gt_str_addn(&match->contig, "", 0);
    match->asked = match->contig.s != NULL;
    return match->number;
}

enum { NONE = -1, HAD = -2 };

/* The next one with this key, whose alleles are looked at as well; HAD: all of them were found before. */
static int64_t take(struct gt_svd_match *match, uint64_t place, const char *ref, const char *alt)
{
    const struct key key = {place, hash_alleles(ref, alt)};
    const int64_t first = gt_names_find(match->first, (const char *)&key, sizeof key);
    const struct gt_strs *alleles = &match->model->alleles;
    if (first < 0 || strcasecmp(gt_strs_get(alleles, 2 * (size_t)first), ref) != 0 ||
        strcasecmp(gt_strs_get(alleles, 2 * (size_t)first + 1), alt) != 0)
        return NONE;
    const int64_t found = gt_buf_i64(&match->head)[first];
    if (found < 0)
        return HAD;
    gt_buf_i64(&match->head)[first] = gt_buf_i64(&match->next)[found];
    return found;
}

/* Where nobody has an ALT none may be known: all are REF, which is one of the model's alleles or none. */
static int64_t take_one_allele(struct gt_svd_match *match, uint64_t place, int64_t there, const char *ref, bool *swapped)
{
    const char *first = gt_strs_get(&match->model->alleles, 2 * (size_t)there),
               *second = gt_strs_get(&match->model->alleles, 2 * (size_t)there + 1);
    *swapped = strcasecmp(ref, second) == 0;
    return *swapped || strcasecmp(ref, first) == 0 ? take(match, place, first, second) : NONE;
}

static int64_t take_either(struct gt_svd_match *match, uint64_t place, const char *ref, const char *alt, bool *swapped)
{
    const int64_t found = take(match, place, ref, alt);
    *swapped = found < 0;
    const int64_t turned = found < 0 ? take(match, place, alt, ref) : NONE;
    return turned == NONE ? found : turned;
}

int64_t gt_svd_match_site(struct gt_svd_match *match, const struct gt_block *block, int64_t v, bool *swapped)
{
    const struct gt_site *site = &gt_block_sites(block)[v];
    const char *id = match->by_id ? gt_strs_get(&block->ids, site->id) : "";
    const int64_t contig = match->by_id || site->contig < 0 ? -1 : contig_number(match, gt_strs_get(&block->contigs, (size_t)site->contig));
    const char *ref = gt_strs_get(&block->alleles, site->first_allele);
    const char *alt = site->n_alleles > 1 ? gt_strs_get(&block->alleles, site->first_allele + 1) : "";
    uint64_t place;
    int64_t there = -1, found;
    if (make_place(match, contig, site->position, id, &place))
        there = gt_names_find(match->places, (const char *)&place, sizeof place);
    if (there < 0) {
        match->stats.unknown++;
        return -1;
    }
    found =
        !*alt || strcmp(alt, ".") == 0 ? take_one_allele(match, place, there, ref, swapped) : take_either(match, place, ref, alt, swapped);
    *swapped = *swapped && found >= 0;
    match->stats.same += found >= 0 && !*swapped;
    match->stats.swapped += *swapped;
    match->stats.others += found == NONE;
    match->stats.again += found == HAD;
    return found;
}

const struct gt_svd_match_stats *gt_svd_match_counts(const struct gt_svd_match *match)
{
    return &match->stats;
}
