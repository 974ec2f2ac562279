/* The kernels of each level, by slot.  Private to kernels/: select.c puts them
 * into tables.  A file under x86/ is compiled with its level's flags, so nothing
 * but the functions named here leaves it, and what it shares with others is
 * static inline. */
#ifndef GT_KERNELS_IMPL_H
#define GT_KERNELS_IMPL_H

#include "kernels/kernels.h"

#define GT_PAIR_KERNELS(level)                                                                                                             \
    int64_t gt_pair_bytes_##level(int64_t);                                                                                                \
    void gt_pair_encode_##level(const uint8_t *, size_t, int64_t, int64_t, uint8_t *);                                                     \
    void gt_pair_tile_##level(enum gt_pair_product, int64_t, const uint8_t *, const uint8_t *, int64_t, uint32_t *)
#define GT_WEIGH_TILE(level) void gt_weigh_tile_##level(int64_t, const uint8_t *, int, const uint8_t *, const uint8_t *, int64_t, int64_t *)
#define GT_LOOK_UP(level) void gt_look_up_##level(const uint64_t *, const int64_t(*)[4], const uint16_t *, int64_t, int64_t[GT_PANEL])
#define GT_FLOAT_KERNELS(level)                                                                                                            \
    void gt_float_tile_##level(enum gt_float_term, const struct gt_float_sites *, const double *, const double *, double *);               \
    void gt_float_panel_##level(enum gt_float_term, const struct gt_float_sites *, const double *, double *)
#define GT_SMALL_INT_TILE(level) void gt_small_int_tile_##level(enum gt_float_term, int64_t, const int16_t *, const int16_t *, double *)
#define GT_NARROW_KERNEL(level)                                                                                                            \
    void gt_narrow_##level(const double *, int64_t, int64_t, int64_t, int64_t, const double *, int64_t, double *)
#define GT_SKETCH_KERNEL(level)                                                                                                            \
    void gt_sketch_##level(const uint8_t *, size_t, int64_t, int64_t, const int8_t *, size_t, int64_t, int, int64_t *)
#define GT_SKETCH_GAPS(level)                                                                                                              \
    void gt_sketch_gaps_##level(const uint8_t *, size_t, int64_t, int64_t, const int16_t *, int64_t, int, int64_t *)
#define GT_SKETCH_LISTS(level)                                                                                                             \
    void gt_sketch_lists_##level(const uint32_t *, const uint32_t *, int64_t, const int16_t *, int64_t, int, int64_t *)
#define GT_TURN_CODES(level) void gt_turn_codes_##level(const uint8_t *, size_t, int64_t, int64_t, uint8_t *, size_t)
#define GT_BIT_KERNELS(level)                                                                                                              \
    int64_t gt_bits_split_##level(const uint8_t *, size_t, int64_t, int64_t, size_t, uint8_t *, uint8_t *, uint8_t *);                     \
    void gt_bits_turn_##level(const uint8_t *, size_t, int64_t, uint64_t *, size_t);                                                       \
    void gt_bits_sum_##level(const uint8_t *, const uint32_t *, int64_t, int64_t, int64_t, bool, struct gt_bit_counts);                    \
    void gt_bits_add_##level(const uint8_t *, int64_t, struct gt_bit_counts);                                                              \
    void gt_bits_numbers_##level(uint8_t *, int64_t);                                                                                      \
    void gt_bits_tally_##level(const uint8_t *, const uint16_t *, int64_t, int64_t, int64_t, uint32_t *)
#define GT_LIST_CARRIERS(level) int64_t gt_list_carriers_##level(const uint8_t *, int64_t, int, int64_t, uint32_t *)
#define GT_ROW_KERNELS(level)                                                                                                              \
    void gt_count_codes_##level(const uint8_t *, int64_t, int64_t[4]);                                                                     \
    void gt_add_missing_##level(const uint8_t *, size_t, int64_t, int64_t, uint32_t *);                                                    \
    void gt_gather_samples_##level(const uint8_t *, const uint32_t *, int64_t, uint8_t *);                                                 \
    void gt_unpack_i8_##level(const uint8_t *, int64_t, int8_t *);                                                                         \
    void gt_bed_to_packed_##level(const uint8_t *, int64_t, uint8_t *);                                                                    \
    void gt_geno_to_packed_##level(const uint8_t *, int64_t, uint8_t *)
#define GT_CALLS_KERNELS(level)                                                                                                            \
    unsigned gt_pack_calls_##level(const int8_t *, int64_t, int, uint8_t *, uint64_t *, uint64_t *);                                       \
    unsigned gt_pack_bcf_##level(const int8_t *, int64_t, int, int, uint8_t *, uint64_t *, uint64_t *);                                    \
    void gt_pack_haploid_##level(const int8_t *, int64_t, int, uint8_t *, uint64_t *);                                                     \
    int gt_pack_allele_##level(const int8_t *, int, int64_t, uint8_t *);                                                                   \
    int gt_pack_i8_##level(const int8_t *, int64_t, uint8_t *)
#define GT_SCAN_KERNELS(level)                                                                                                             \
    struct gt_scan_result gt_scan_gt_##level(const char *, const char *, int64_t, int64_t, int, uint8_t *);                                \
    bool gt_scan_alleles_##level(const char *, int64_t, int8_t *, uint8_t *);                                                              \
    bool gt_write_alleles_##level(const int8_t *, const uint8_t *, int64_t, char *)
#define GT_SCAN_FIRST(level) struct gt_scan_result gt_scan_gt_first_##level(const char *, const char *, int64_t, int64_t, int, uint8_t *)
#define GT_MARKED_KERNELS(level)                                                                                                           \
    int64_t gt_split_delims_##level(const char *, int64_t, int32_t *);                                                                     \
    int64_t gt_marked_ints_##level(const char *, const int32_t *, int64_t, int32_t *);                                                     \
    void gt_fix_ints_##level(int32_t *, int64_t, int32_t[2])
#define GT_SAME_DELIMS(level) int64_t gt_same_delims_##level(const int32_t *, int64_t, const uint8_t *, const uint8_t *, int64_t)
#define GT_SIM_KERNELS(level)                                                                                                              \
    void gt_sim_words_##level(const uint32_t[2], const uint32_t[3], uint32_t, int64_t, uint32_t *);                                        \
    void gt_sim_codes_##level(const uint32_t[2], const uint32_t[3], int64_t, int64_t, const uint32_t[3], uint8_t *)

#define GT_BITS_PAIR_KERNEL(level) void gt_bits_pair_##level(const uint8_t *, const uint8_t *, size_t, bool, int64_t[GT_BITS_PAIR])
GT_BITS_PAIR_KERNEL(ref);
GT_BITS_PAIR_KERNEL(avx2);
GT_BITS_PAIR_KERNEL(avx512vbmi);

GT_PAIR_KERNELS(ref);
GT_WEIGH_TILE(ref);
GT_SMALL_INT_TILE(ref);
GT_LOOK_UP(ref);
GT_FLOAT_KERNELS(ref);
GT_NARROW_KERNEL(ref);
GT_SKETCH_KERNEL(ref);
GT_SKETCH_GAPS(ref);
GT_SKETCH_LISTS(ref);
GT_TURN_CODES(ref);
GT_BIT_KERNELS(ref);
GT_ROW_KERNELS(ref);
GT_LIST_CARRIERS(ref);
GT_CALLS_KERNELS(ref);
GT_SCAN_KERNELS(ref);
GT_SCAN_FIRST(ref);
GT_MARKED_KERNELS(ref);
GT_SAME_DELIMS(ref);

GT_PAIR_KERNELS(avx2);
GT_WEIGH_TILE(avx2);
GT_SMALL_INT_TILE(avx2);
GT_LOOK_UP(avx2);
GT_FLOAT_KERNELS(avx2);
GT_NARROW_KERNEL(avx2);
GT_SKETCH_KERNEL(avx2);
GT_SKETCH_GAPS(avx2);
GT_SKETCH_LISTS(avx2);
GT_TURN_CODES(avx2);
GT_TURN_CODES(avx512);
GT_BIT_KERNELS(avx2);
GT_ROW_KERNELS(avx2);
GT_LIST_CARRIERS(avx2);
GT_CALLS_KERNELS(avx2);
GT_SCAN_KERNELS(avx2);
GT_SCAN_FIRST(avx2);
GT_MARKED_KERNELS(avx2);

GT_PAIR_KERNELS(avx512);
GT_WEIGH_TILE(avx512);
GT_SMALL_INT_TILE(avx512);
GT_LOOK_UP(avx512);
GT_FLOAT_KERNELS(avx512);
GT_NARROW_KERNEL(avx512);
GT_BIT_KERNELS(avx512);
GT_LIST_CARRIERS(avx512);
void gt_add_missing_avx512(const uint8_t *, size_t, int64_t, int64_t, uint32_t *);
void gt_gather_samples_avx512(const uint8_t *, const uint32_t *, int64_t, uint8_t *);
GT_CALLS_KERNELS(avx512);
GT_SCAN_KERNELS(avx512);
GT_SCAN_FIRST(avx512);
GT_MARKED_KERNELS(avx512);
GT_SAME_DELIMS(avx512);

GT_WEIGH_TILE(avx512vbmi);
GT_SMALL_INT_TILE(avx512vbmi);
GT_SKETCH_KERNEL(avx512vbmi);
void gt_sketch_gaps_avx512vbmi(const uint8_t *, size_t, int64_t, int64_t, const int16_t *, int64_t, int, int64_t *);
void gt_pair_tile_avx512vbmi(enum gt_pair_product, int64_t, const uint8_t *, const uint8_t *, int64_t, uint32_t *);
void gt_count_codes_avx512vbmi(const uint8_t *, int64_t, int64_t[4]);
void gt_unpack_i8_avx512vbmi(const uint8_t *, int64_t, int8_t *);

GT_PAIR_KERNELS(avx512amx);
GT_SKETCH_KERNEL(avx512amx);

GT_PAIR_KERNELS(neon);
GT_WEIGH_TILE(neon);
GT_SKETCH_KERNEL(neon);
GT_SKETCH_GAPS(neon);
GT_SKETCH_LISTS(neon);
GT_TURN_CODES(neon);
GT_BIT_KERNELS(neon);
GT_BITS_PAIR_KERNEL(neon);
GT_ROW_KERNELS(neon);
GT_LIST_CARRIERS(neon);
GT_CALLS_KERNELS(neon);
GT_SCAN_KERNELS(neon);

GT_SKETCH_KERNEL(neon_dot);

GT_PAIR_KERNELS(neon_i8mm);
GT_SKETCH_KERNEL(neon_i8mm);

GT_SIM_KERNELS(ref);
GT_SIM_KERNELS(avx2);
GT_SIM_KERNELS(avx512);

#define GT_BITS8(level)                                                                                                                    \
    void gt_bits_apart_##level(const uint8_t *, int64_t, uint8_t *);                                                                       \
    void gt_bits_together_##level(const uint8_t *, int64_t, uint8_t *)
GT_BITS8(ref);
GT_BITS8(avx2);
GT_BITS8(avx512);
GT_BITS8(neon);

#define GT_TRANSPOSE(level) void gt_transpose_##level(size_t, int64_t, int64_t, const uint8_t *, int64_t, uint8_t *, int64_t)
GT_TRANSPOSE(ref);
GT_TRANSPOSE(avx2);
GT_TRANSPOSE(avx512);
GT_TRANSPOSE(neon);

#define GT_CAST(level) bool gt_cast_##level(enum gt_number, const void *, enum gt_number, void *, int64_t)
GT_CAST(ref);
GT_CAST(avx2);
GT_CAST(avx512);

uint32_t gt_crc32c_ref(uint32_t, const void *, size_t);
uint32_t gt_crc32c_avx2(uint32_t, const void *, size_t);

#endif
