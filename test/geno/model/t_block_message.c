/* Blocks as bytes and back. */
#include "geno/model/block_message.h"

#include "test/support/random.h"
#include "test/support/tap.h"

enum { SAMPLES = 37, STRIDE = 10 };

static void fill(struct gt_block *b, int64_t n)
{
    gt_block_init(b, NULL);
    b->stride = STRIDE;
    b->first = 12;
    b->line = 34;
    b->virtual_offset = 56;
    b->has_gt = true;
    b->stats.missing = 78;
    (void)gt_block_rows(b, n, NULL);
    b->n = n;
    for (size_t i = 0; i < (size_t)n * STRIDE; i++)
        b->rows.data[i] = (uint8_t)random_below(256);
    for (int64_t v = 0; v < n; v++) {
        struct gt_site site = {.contig = (int32_t)v, .position = random_below(1000), .id = (uint32_t)v};
        const int32_t filter = (int32_t)random_below(5);
        uint8_t *row;
        (void)gt_strs_addf(&b->ids, NULL, "id%lld", (long long)v);
        (void)gt_strs_add(&b->alleles, "ACGT", (size_t)random_below(5), NULL);
        (void)gt_buf_append(&b->filters, &filter, sizeof filter, NULL);
        if (v % 3 == 0)
            (void)gt_block_add_hets(b, &site, &row, NULL);
        if (v % 5 == 0)
            (void)gt_block_add_calls(b, &site, SAMPLES, &row, NULL);
        (void)gt_buf_append(&b->sites, &site, sizeof site, NULL);
    }
    (void)gt_strs_add(&b->new_contigs, "late", 4, NULL);
}

static bool same_buf(const struct gt_buf *a, const struct gt_buf *b)
{
    return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

static bool same_strs(const struct gt_strs *a, const struct gt_strs *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; i < a->n && same; i++)
        same = gt_strs_len(a, i) == gt_strs_len(b, i) && !strcmp(gt_strs_get(a, i), gt_strs_get(b, i));
    return same;
}

static bool same_block(const struct gt_block *a, const struct gt_block *b)
{
    return a->n == b->n && a->first == b->first && a->line == b->line && a->virtual_offset == b->virtual_offset && a->stride == b->stride &&
           a->has_gt == b->has_gt && a->call_samples == b->call_samples && !memcmp(&a->stats, &b->stats, sizeof a->stats) &&
           (!a->n || !memcmp(a->rows.data, b->rows.data, (size_t)a->n * STRIDE)) && same_buf(&a->sites, &b->sites) &&
           same_buf(&a->filters, &b->filters) && same_buf(&a->hets, &b->hets) && same_buf(&a->calls, &b->calls) &&
           same_buf(&a->phases, &b->phases) && same_strs(&a->ids, &b->ids) && same_strs(&a->alleles, &b->alleles) &&
           same_strs(&a->new_contigs, &b->new_contigs) && same_strs(&a->new_filters, &b->new_filters);
}

int main(void)
{
    struct gt_block made[4], taken;
    struct gt_buf message = {0};
    const int64_t sizes[4] = {20, 0, 1, 700};
    size_t at = 0;
    bool good = true;
    gt_block_init(&taken, NULL);
    for (int i = 0; i < 4; i++) {
        fill(&made[i], sizes[i]);
        good &= !gt_block_to_message(&made[i], &message, NULL);
    }
    for (int i = 0; i < 4; i++) { /* into a block that had another one */
        good &= !gt_block_from_message(&taken, &message, &at, NULL);
        ok(good && same_block(&made[i], &taken), "a block of %lld variants", (long long)sizes[i]);
        gt_block_release(&made[i]);
    }
    ok(at == message.len, "nothing is left of the message");
    gt_block_release(&taken);
    gt_buf_release(&message);
    return done_testing();
}
