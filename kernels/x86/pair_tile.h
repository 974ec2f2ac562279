/* The pair tile, for the including file's vector type and operations:
 *     vec, STRIP, VECTORS
 *     vec load_row(const uint8_t *rows, unsigned code)    a table row
 *     vec look_up(vec row, vec codes)                     row[code] for each code
 *     ADD_BYTES(vec sum, vec more)                        sum += more, in place
 *     vec add16(vec, vec), vec high_bytes(vec)            16-bit lanes: sum; value >> 8
 *     void flush(uint32_t *sums, vec whole, vec odd)      see below
 *
 * A strip is STRIP samples of a against VECTORS vectors of b.  Per group and sample
 * of a: one table row, VECTORS lookups by the codes of b, as many byte additions;
 * accumulators, index vectors, the row and a temporary stay in registers.
 * On Intel a 512-bit lookup runs on one port (p5) and leaves the other (p0) to the
 * addition: 64 pairs a cycle is the ceiling, and what the flushes cost comes off it.
 *
 * Bytes overflow after 255 / max_code groups.  They are added, as 16-bit lanes, to
 * `whole` (low byte + 256 * high byte, modulo 2^16) and, shifted down, to `odd`;
 * the even bytes' sum is whole - 256 * odd.  That saves masking them off each time.
 * Words are flushed to the caller's sums before they overflow in turn. */
enum { COLUMNS = (int)sizeof(vec) * VECTORS, AHEAD = 6 * GT_PANEL };

struct words {
    vec whole[STRIP][VECTORS], odd[STRIP][VECTORS];
};

GT_INLINE void add_groups(const uint8_t *rows, const uint8_t *a, const uint8_t *b, int64_t groups, struct words *w, const int strip)
{
    vec acc[STRIP][VECTORS];
    GT_UNROLL
    for (int i = 0; i < strip; i++) {
        GT_UNROLL
        for (int v = 0; v < VECTORS; v++)
            acc[i][v] = (vec){0};
    }
    for (int64_t g = 0; g < groups; g++, a += GT_PANEL, b += GT_PANEL) {
        _mm_prefetch((const char *)a + AHEAD, _MM_HINT_T0);
        GT_UNROLL
        for (int line = 0; line < COLUMNS; line += 64)
            _mm_prefetch((const char *)b + AHEAD + line, _MM_HINT_T0);
        GT_UNROLL
        for (int i = 0; i < strip; i++) {
            vec row = load_row(rows, a[i]);
            GT_UNROLL
            for (int v = 0; v < VECTORS; v++)
                ADD_BYTES(acc[i][v], look_up(row, ((const vec *)b)[v]));
        }
    }
    GT_UNROLL
    for (int i = 0; i < strip; i++) {
        GT_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            w->whole[i][v] = add16(w->whole[i][v], acc[i][v]);
            w->odd[i][v] = add16(w->odd[i][v], high_bytes(acc[i][v]));
        }
    }
}

/* Adds the words to sums and clears them. */
static void flush_words(struct words *w, int strip, uint32_t *sums)
{
    for (int i = 0; i < strip; i++) {
        for (int v = 0; v < VECTORS; v++) {
            flush(sums + i * GT_PANEL + v * (int)sizeof(vec), w->whole[i][v], w->odd[i][v]);
            w->whole[i][v] = w->odd[i][v] = (vec){0};
        }
    }
}

GT_INLINE void add_strip(const struct gt_pair_table *table, const uint8_t *a, const uint8_t *b, int64_t groups, uint32_t *sums,
                         const int strip)
{
    struct words w;
    for (int i = 0; i < strip; i++) {
        for (int v = 0; v < VECTORS; v++)
            w.whole[i][v] = w.odd[i][v] = (vec){0};
    }
    int max = table->max_code > 0 ? table->max_code : 1;
    int64_t per_bytes = 255 / max, per_words = 65535 / max / per_bytes, unflushed = 0;
    while (groups > 0) {
        int64_t n = groups < per_bytes ? groups : per_bytes;
        add_groups(table->rows, a, b, n, &w, strip);
        groups -= n;
        a += n * GT_PANEL;
        b += n * GT_PANEL;
        if (++unflushed == per_words || groups == 0) {
            flush_words(&w, strip, sums);
            unflushed = 0;
        }
    }
}

/* The last, short strip: the largest power of two that fits, twice at most. */
GT_INLINE void tile(const struct gt_pair_table *table, const uint8_t *a, int i0, int ni, const uint8_t *b, int64_t groups, uint32_t *sums)
{
    a += i0;
    for (int j = 0; j < GT_PANEL; j += COLUMNS) {
        int i = 0;
        for (; ni - i >= STRIP; i += STRIP)
            add_strip(table, a + i, b + j, groups, sums + i * GT_PANEL + j, STRIP);
        for (; STRIP > 4 && ni - i >= 4; i += 4)
            add_strip(table, a + i, b + j, groups, sums + i * GT_PANEL + j, 4);
        for (; STRIP > 2 && ni - i >= 2; i += 2)
            add_strip(table, a + i, b + j, groups, sums + i * GT_PANEL + j, 2);
        for (; ni - i >= 1; i += 1)
            add_strip(table, a + i, b + j, groups, sums + i * GT_PANEL + j, 1);
    }
}
