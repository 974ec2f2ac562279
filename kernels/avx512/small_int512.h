/* Small whole numbers in vectors of 512 bits; who includes this has `dot` before. */
enum { LANES = 16, ROWS = 8 };

GT_INLINE vec load(const int16_t *p)
{
    return _mm512_load_si512(p);
}
GT_INLINE vec set_pair(const int16_t *p)
{
    int32_t both;
    memcpy(&both, p, sizeof both);
    return _mm512_set1_epi32(both);
}
GT_INLINE vec set_words(int16_t x)
{
    return _mm512_set1_epi16(x);
}
GT_INLINE vec add(vec x, vec y)
{
    return _mm512_add_epi16(x, y);
}
GT_INLINE vec sub(vec x, vec y)
{
    return _mm512_sub_epi16(x, y);
}
GT_INLINE vec absolute(vec x)
{
    return _mm512_abs_epi16(x);
}
GT_INLINE vec minimum(vec x, vec y) /* without signs */
{
    return _mm512_min_epu16(x, y);
}
GT_INLINE vec either(vec x, vec y)
{
    return _mm512_or_si512(x, y);
}
GT_INLINE void add_to(double *sums, vec x)
{
    __m512d low = _mm512_cvtepi32_pd(_mm512_castsi512_si256(x)), high = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(x, 1));
    _mm512_store_pd(sums, _mm512_add_pd(_mm512_load_pd(sums), low));
    _mm512_store_pd(sums + 8, _mm512_add_pd(_mm512_load_pd(sums + 8), high));
}
