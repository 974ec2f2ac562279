/* Linkage: haplotypes that copy founders, with switches (calc/sim/sim.h has the model). */
#include "calc/sim/sim_internal.h"

#include <math.h>
#include <string.h>

/* What each haplotype copies now. */
struct copy {
    int64_t until;    /* first variant after the segment */
    uint32_t segment; /* its number in the block */
    uint32_t founder;
};

/* Random permutations of the founders: order[o][rank] is a founder. */
static void make_orders(const struct gt_sim *sim, int64_t block, struct gt_sim_room *room)
{
    uint32_t w[4];

    for (uint32_t o = 0; o < GT_SIM_ORDERS; o++) {
        uint8_t *order = room->order[o];
        for (int i = 0; i < GT_SIM_FOUNDERS; i++)
            order[i] = (uint8_t)i;
        for (int i = GT_SIM_FOUNDERS - 1; i > 0; i--) {
            int d = GT_SIM_FOUNDERS - 1 - i;
            if (d % 4 == 0)
                gt_sim_words(sim, o, block, GT_SIM_ORDER, (uint32_t)d / 4, w);
            int j = (int)((uint64_t)w[d % 4] * (uint64_t)(i + 1) >> 32);
            uint8_t t = order[i];
            order[i] = order[j];
            order[j] = t;
        }
    }
}

/* Segment number `segment` of haplotype h, which starts at variant `from`. */
static void start_segment(const struct gt_sim *sim, int64_t block, int64_t block_end, uint32_t h, uint32_t segment, int64_t from,
                          struct copy *copy)
{
    double rate = (double)GT_SIM_SWITCHES / (double)sim->o.ld;
    uint32_t w[4];

    gt_sim_words(sim, h, block, GT_SIM_COPY, segment / 2, w);
    const uint32_t *pair = w + segment % 2 * 2;
    double length = rate >= 1 ? 1 : 1 + floor(log(gt_unit32(pair[1])) / log1p(-rate));
    copy->segment = segment;
    copy->founder = pair[0] / (UINT32_MAX / GT_SIM_FOUNDERS + 1);
    copy->until = length < (double)(block_end - from) ? from + (int64_t)length : block_end;
}

void gt_sim_block(const struct gt_sim *sim, int64_t variant, struct gt_sim_room *room)
{
    int64_t contig = gt_sim_contig_of(sim, variant);
    int64_t first = gt_sim_contig_first(sim, contig), end = gt_sim_contig_first(sim, contig + 1);
    room->block_first = variant - (variant - first) % sim->o.ld;
    room->block_end = room->block_first + sim->o.ld < end ? room->block_first + sim->o.ld : end;
}

static void begin_block(const struct gt_sim *sim, int64_t variant, struct gt_sim_room *room)
{
    struct copy *copy = (struct copy *)room->copies.data;
    gt_sim_block(sim, variant, room);
    make_orders(sim, room->block_first, room);
    for (int64_t h = 0; h < 2 * sim->o.samples; h++)
        start_segment(sim, room->block_first, room->block_end, (uint32_t)h, 0, room->block_first, &copy[h]);
}

int gt_sim_copy_begin(const struct gt_sim *sim, int64_t first, struct gt_sim_room *room, struct gt_err *err)
{
    int status = gt_buf_resize(&room->copies, (size_t)sim->o.samples * 2 * sizeof(struct copy), err);
    if (status == 0)
        begin_block(sim, first, room);
    return status;
}

/* Founders that carry the allele at frequency p, and the one that carries it in part. */
struct carriers {
    uint32_t mask;
    uint32_t partial; /* GT_SIM_FOUNDERS when none does */
    uint32_t above;   /* the partial one carries it when its word is not above */
};

static struct carriers carriers_of(const uint8_t order[GT_SIM_FOUNDERS], double p)
{
    double x = p * GT_SIM_FOUNDERS;
    int whole = (int)x;
    struct carriers c = {0, GT_SIM_FOUNDERS, 0};

    for (int i = 0; i < whole; i++)
        c.mask |= 1u << order[i];
    if (whole < GT_SIM_FOUNDERS && x > whole) {
        c.partial = order[whole];
        c.above = gt_sim_above(x - whole);
    }
    return c;
}

/* The allele of haplotype h, moved on to a new segment when its old one has ended. */
static inline unsigned allele(const struct gt_sim *sim, int64_t variant, struct gt_sim_room *room, const struct carriers *c, int64_t h)
{
    struct copy *copy = (struct copy *)room->copies.data + h;
    while (copy->until <= variant)
        start_segment(sim, room->block_first, room->block_end, (uint32_t)h, copy->segment + 1, copy->until, copy);
    if (copy->founder != c->partial)
        return c->mask >> copy->founder & 1;
    uint32_t w[4];
    gt_sim_words(sim, (uint32_t)(h / 4), variant, GT_SIM_ALLELE, 0, w);
    return w[h % 4] <= c->above;
}

void gt_sim_copy_row(const struct gt_sim *sim, int64_t variant, const struct gt_sim_site *site, struct gt_sim_room *room, uint8_t *row,
                     uint8_t *phase)
{
    const double *freq = (const double *)room->freq.data;

    if (variant >= room->block_end)
        begin_block(sim, variant, room);
    memset(row, 0, sim->stride);
    if (phase)
        memset(phase, 0, sim->stride);
    for (int64_t k = 0; k < sim->o.pops; k++) {
        struct carriers c = carriers_of(room->order[site->order], freq[k]);
        for (int64_t s = gt_sim_pop_first(sim, k), end = gt_sim_pop_first(sim, k + 1); s < end; s++) {
            unsigned a = allele(sim, variant, room, &c, 2 * s), b = allele(sim, variant, room, &c, 2 * s + 1);
            row[s / 4] |= (uint8_t)((a + b) << s % 4 * 2);
            if (phase)
                phase[s / 4] |= (uint8_t)(a << s % 4 * 2);
        }
    }
}
