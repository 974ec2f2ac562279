/* Products of small numbers in the tiles of AMX.  A form is the sum of one or two products of a
 * number of x and a number of y, so that one instruction adds 64 sites of 16 x 16 pairs.
 *
 * A panel is, for every 64 sites, 16 rows of 4 sites: 8 groups of 4 samples, of 4 bytes each, one a
 * site, four samples in each byte.  Before they are multiplied codes become bytes:
 *
 *     left tile    a row a sample, 64 sites
 *     right tile   a row of 4 sites, of 16 samples each: what was a row of the panel
 *
 * VPERMB makes bytes of codes while tiles are multiplied.  Sites of a left row come in the order in
 * which the panel's rows are turned (row_of).  Samples of a right row come in the order of their bits,
 * then of their groups, so that sample 4 t + j stands in bits 2 t of group j. */
#include <immintrin.h>

#include "kernels/avx512/planes.h"
#include "kernels/impl.h"
#include "kernels/x86/tiles.h"

enum { STEP_SITES = 64, STEP = STEP_SITES * GT_PANEL / 4, ROW = STEP / 16, PAIR = 2 * TILE };
/* Bytes of left tiles stay in the first cache, with the ring of right ones, which are made AHEAD, and with sums: BAND 16 leaves too little
 * of it for them. */
enum { BAND = 8, RING = 4, AHEAD = RING - 1 };

static int64_t steps_of(int64_t n_sites)
{
    return (n_sites + STEP_SITES - 1) / STEP_SITES;
}

int64_t gt_pair_bytes_avx512amx(int64_t n_sites)
{
    return steps_of(n_sites) * STEP;
}

/* --- encoding -------------------------------------------------------------------- */

/* Four rows, 64 bytes of each -> a row of up to 8 panels, `panel` bytes apart. */
GT_INLINE void encode_row(const vec r[4], int64_t panels, size_t panel, uint8_t *out)
{
    vec lo = _mm512_unpacklo_epi8(r[0], r[1]), hi = _mm512_unpackhi_epi8(r[0], r[1]);
    vec lo2 = _mm512_unpacklo_epi8(r[2], r[3]), hi2 = _mm512_unpackhi_epi8(r[2], r[3]);
    _Alignas(64) __m128i groups[4][4]; /* of 4 each, [of these 16][lane] */
    _mm512_store_si512(groups[0], _mm512_unpacklo_epi16(lo, lo2));
    _mm512_store_si512(groups[1], _mm512_unpackhi_epi16(lo, lo2));
    _mm512_store_si512(groups[2], _mm512_unpacklo_epi16(hi, hi2));
    _mm512_store_si512(groups[3], _mm512_unpackhi_epi16(hi, hi2));
    for (int64_t p = 0; p < panels; p++, out += panel) {
        _mm_store_si128((__m128i *)out, groups[p % 2 * 2][p / 2]);
        _mm_store_si128((__m128i *)(out + ROW / 2), groups[p % 2 * 2 + 1][p / 2]);
    }
}

/* Of each 16 samples, of which byte j has sample 4 j + t in bits 2 t: sample 4 t + j goes there. */
GT_INLINE vec turn_samples(vec x)
{
    enum { XOR_AND = 0x28, XOR3 = 0x96 }; /* (a ^ b) & c, a ^ b ^ c */
    vec d = _mm512_ternarylogic_epi32(x, _mm512_srli_epi32(x, 6), _mm512_set1_epi32(0x00cc00cc), XOR_AND);
    x = _mm512_ternarylogic_epi32(x, d, _mm512_slli_epi32(d, 6), XOR3);
    d = _mm512_ternarylogic_epi32(x, _mm512_srli_epi32(x, 12), _mm512_set1_epi32(0x0000f0f0), XOR_AND);
    return _mm512_ternarylogic_epi32(x, d, _mm512_slli_epi32(d, 12), XOR3);
}

/* Padding sites and samples are heterozygous: they add to no product. */
static void encode_samples(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, uint8_t *out)
{
    const vec het = _mm512_set1_epi8(0x55), absent = absent_bits(n_samples);
    const int64_t panels = (n_samples + GT_PANEL - 1) / GT_PANEL;
    const size_t panel = (size_t)gt_pair_bytes_avx512amx(n_sites);
    for (int64_t site = 0; site < steps_of(n_sites) * STEP_SITES; site += 4, out += ROW) {
        vec r[4];
        GT_UNROLL
        for (int s = 0; s < 4; s++)
            r[s] = site + s < n_sites
                       ? turn_samples(_mm512_ternarylogic_epi64(absent, het, _mm512_loadu_si512(rows + (size_t)(site + s) * stride), 0xca))
                       : het;
        encode_row(r, panels < 8 ? panels : 8, panel, out);
    }
}

void gt_pair_encode_avx512amx(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, uint8_t *out)
{
    enum { WIDTH = 256 };
    for (int64_t s = 0; s < n_samples; s += WIDTH)
        encode_samples(rows + s / 4, stride, n_sites, n_samples - s, out + s / GT_PANEL * gt_pair_bytes_avx512amx(n_sites));
}

/* --- bytes of codes ---------------------------------------------------------------- */

/* The number of a code, by its two bits, whatever stands above them. */
static vec numbers(int zero, int two)
{
    return _mm512_set1_epi32((int)((unsigned)(zero & 255) | (unsigned)(two & 255) << 16));
}

GT_INLINE vec look_up(vec codes, vec table)
{
    return _mm512_permutexvar_epi8(codes, table);
}

/* A step of a panel, turned: the 16 rows of each group of samples, in the order of row_of. */
GT_INLINE void turn(const uint8_t *step, vec out[8])
{
    vec v[8], w[8];
    GT_UNROLL
    for (int k = 0; k < 8; k++)
        v[k] = _mm512_load_si512(step + k * 64);
    GT_UNROLL
    for (int k = 0; k < 8; k += 2) {
        w[k] = _mm512_unpacklo_epi32(v[k], v[k + 1]);
        w[k + 1] = _mm512_unpackhi_epi32(v[k], v[k + 1]);
    }
    GT_UNROLL
    for (int k = 0; k < 8; k += 4) {
        v[k] = _mm512_unpacklo_epi64(w[k], w[k + 2]);
        v[k + 1] = _mm512_unpackhi_epi64(w[k], w[k + 2]);
        v[k + 2] = _mm512_unpacklo_epi64(w[k + 1], w[k + 3]);
        v[k + 3] = _mm512_unpackhi_epi64(w[k + 1], w[k + 3]);
    }
    GT_UNROLL
    for (int k = 0; k < 4; k++) {
        out[k] = _mm512_shuffle_i32x4(v[k], v[k + 4], 0x88);
        out[k + 4] = _mm512_shuffle_i32x4(v[k], v[k + 4], 0xdd);
    }
}

/* The row of a panel that is dword k of what was turned. */
GT_INLINE int row_of(int k)
{
    return k / 8 * 8 + k % 4 * 2 + k / 4 % 2;
}

static void expand_left(const uint8_t *step, vec table, uint8_t out[PAIR])
{
    vec groups[8];
    turn(step, groups);
    for (int g = 0; g < 8; g++) {
        uint8_t *to = out + g / 4 * TILE + g % 4 * 64;
        _mm512_store_si512(to, look_up(groups[g], table));
        _mm512_store_si512(to + 4 * 64, look_up(_mm512_srli_epi32(groups[g], 2), table));
        _mm512_store_si512(to + 8 * 64, look_up(_mm512_srli_epi32(groups[g], 4), table));
        _mm512_store_si512(to + 12 * 64, look_up(_mm512_srli_epi32(groups[g], 6), table));
    }
}

/* Dword d is sample d of 16: bits d / 4 of group d % 4. */
GT_INLINE void expand_right(const uint8_t *step, vec table, uint8_t out[PAIR])
{
    const vec shifts = _mm512_setr_epi32(0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6);
    GT_UNROLL
    for (int k = 0; k < 16; k++) {
        GT_UNROLL
        for (int half = 0; half < 2; half++) {
            vec groups = _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(step + row_of(k) * ROW + half * ROW / 2)));
            _mm512_store_si512(out + half * TILE + k * 64, look_up(_mm512_srlv_epi32(groups, shifts), table));
        }
    }
}

/* --- products ------------------------------------------------------------------------ */

/* Tiles 0 to 3 += two left tiles times two right ones. */
GT_INLINE void multiply(const uint8_t left[PAIR], const uint8_t right[PAIR])
{
    MEMORY();
    _tile_loadd(4, left, 64);
    _tile_loadd(6, right, 64);
    _tile_dpbssd(0, 4, 6);
    _tile_loadd(7, right + TILE, 64);
    _tile_dpbssd(1, 4, 7);
    _tile_loadd(5, left + TILE, 64);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
}

/* Tiles 0 to 3: sums of 2 x 2 tiles of pairs. */
GT_INLINE void load_sums(const uint32_t sums[GT_PANEL * GT_PANEL])
{
    MEMORY();
    _tile_loadd(0, sums, GT_PANEL * sizeof *sums);
    _tile_loadd(1, sums + 16, GT_PANEL * sizeof *sums);
    _tile_loadd(2, sums + 16 * GT_PANEL, GT_PANEL * sizeof *sums);
    _tile_loadd(3, sums + 16 * GT_PANEL + 16, GT_PANEL * sizeof *sums);
}

GT_INLINE void store_sums(uint32_t sums[GT_PANEL * GT_PANEL])
{
    _tile_stored(0, sums, GT_PANEL * sizeof *sums);
    _tile_stored(1, sums + 16, GT_PANEL * sizeof *sums);
    _tile_stored(2, sums + 16 * GT_PANEL, GT_PANEL * sizeof *sums);
    _tile_stored(3, sums + 16 * GT_PANEL + 16, GT_PANEL * sizeof *sums);
    MEMORY();
}

/* The k-th part of BAND of sums that come next. */
GT_INLINE void prefetch_sums(const uint32_t *sums, int64_t k)
{
    enum { LINE = 16, LINES = GT_PANEL * GT_PANEL / LINE / BAND };
    GT_UNROLL
    for (int i = 0; i < LINES; i++)
        __builtin_prefetch(sums + (k * LINES + i) * LINE, 1, 3);
}

/* Steps of panels in the order in which they are multiplied, each as often as there are tables. */
struct place {
    const uint8_t *step;
    int64_t steps, k; /* of a panel; after its first */
    size_t panel;
    int tables, table;
};

GT_INLINE void go_on(struct place *at)
{
    if (++at->table < at->tables)
        return;
    at->table = 0;
    at->step += STEP;
    if (++at->k < at->steps)
        return;
    at->k = 0;
    at->step += at->panel - (size_t)at->steps * STEP;
}

/* `steps` steps of panel a against those of n_b panels b. */
static void add_band(const vec tables[], int n_tables, int64_t steps, size_t panel, const uint8_t *a, const uint8_t *b, int64_t n_b,
                     uint32_t *sums)
{
    _Alignas(64) uint8_t left[BAND * PAIR], ring[RING][PAIR];
    struct place next = {.step = b, .steps = steps, .panel = panel, .tables = n_tables};
    const int64_t products = steps * n_tables, all = products * n_b;
    for (int64_t k = 0; k < products; k++)
        expand_left(a + k / n_tables * STEP, tables[k % n_tables], left + k * PAIR);
    int64_t made = 0, used = 0;
    for (int64_t p = 0; p < n_b; p++, sums += GT_PANEL * GT_PANEL) {
        load_sums(sums);
        for (int64_t k = 0; k < products; k++, used++) {
            for (; made < all && made <= used + AHEAD; made++, go_on(&next))
                expand_right(next.step, tables[next.table], ring[made % RING]);
            if (p + 1 < n_b)
                prefetch_sums(sums + GT_PANEL * GT_PANEL, k);
            multiply(left + k * PAIR, ring[used % RING]);
        }
        store_sums(sums);
    }
}

void gt_pair_tile_avx512amx(enum gt_pair_product form, int64_t n_sites, const uint8_t *a, const uint8_t *b, int64_t n_b, uint32_t *sums)
{
    const vec tables[GT_PAIR_PRODUCTS][2] = {
        [GT_PAIR_AGREE] = {numbers(1, 0), numbers(0, 1)}, [GT_PAIR_DOT] = {numbers(1, -1)}, [GT_PAIR_ALT] = {numbers(0, 1)}};
    const int n_tables = form == GT_PAIR_AGREE ? 2 : 1;
    const int64_t steps = steps_of(n_sites), band = BAND / n_tables;
    configure_tiles();
    for (int64_t k = 0; k < steps; k += band)
        add_band(tables[form], n_tables, steps - k < band ? steps - k : band, (size_t)steps * STEP, a + k * STEP, b + k * STEP, n_b, sums);
    _tile_release();
}
