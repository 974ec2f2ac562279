/* Compute kernels: one table per instruction-set level.
 *
 * Every slot has a plain C version in ref/, which is the test oracle; faster
 * levels override slots.  All of a slot's versions give the same bits.
 *
 * 2-bit rows.  A packed row holds one variant: four samples a byte, sample 0 in
 * the lowest two bits; 0, 1, 2 non-reference alleles, 3 missing.  Rows may be
 * read up to GT_KERNEL_PAD bytes past their end (callers allocate that much
 * after the last row); what stands there never changes a result. */
#ifndef GT_KERNELS_H
#define GT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/float_term.h"

#define GT_KERNEL_PAD 64

/* --- pair counts ----------------------------------------------------------
 * For two samples, over the sites of a block, the sum of what a form gives for
 * their codes x and y:
 *
 *     AGREE    1 for (0,0) and (2,2)
 *     DOT      1 for (0,0) and (2,2), -1 for (0,2) and (2,0)
 *     ALT      1 for (2,2)
 *
 * and 0 for all others.  Heterozygotes and missing calls add nothing, so that the
 * former fill up sites and samples that are not there.  With counts of one sample alone,
 * and of homozygotes where the other is missing, these make every symmetric f(x, y):
 * see calc/acc_cpu.h. */
enum gt_pair_product { GT_PAIR_AGREE, GT_PAIR_DOT, GT_PAIR_ALT, GT_PAIR_PRODUCTS };

/* Samples of a panel: the unit in which samples are encoded and compared. */
#define GT_PANEL 32

/* Sites of equal weight that stand side by side where pairs are weighted. */
#define GT_WEIGHT_SITES 8

/* Rare variants.  A carrier is a sample that does not have the homozygote of most samples at a site; it is listed as the position of
 * its column in a row of tiles (GT_PANEL x GT_PANEL sums each, one for each panel) << 2 | what it has. */
enum { GT_CARRIER_HET, GT_CARRIER_HOM, GT_CARRIER_MISSING, GT_CARRIER_KINDS };
#define GT_CARRIER(sample, kind) ((uint32_t)(((sample) / GT_PANEL * GT_PANEL * GT_PANEL + (sample) % GT_PANEL) << 2 | (kind)))
#define GT_CARRIER_PANEL(carrier) ((int64_t)((carrier) >> 12))
#define GT_CARRIER_LANE(carrier) ((int)((carrier) >> 2 & (GT_PANEL - 1)))
#define GT_CARRIER_SAMPLE(carrier) (GT_CARRIER_PANEL(carrier) * GT_PANEL + GT_CARRIER_LANE(carrier))

struct gt_float_sites {
    int64_t n;
    const double *weights; /* of the sites; NULL: 1 */
    bool missing;          /* NaN may stand there */
    double p;              /* of POWER */
};

/* Panels of small whole numbers: int16_t [pairs of sites][GT_PANEL][2 sites], the last pair filled up with 0. */
#define GT_SMALL_INT_AT(site, sample) (((site) / 2 * GT_PANEL + (sample)) * 2 + (site) % 2)
/* Is a term one of them that small_int_tile sums? */
bool gt_small_int_term(enum gt_float_term term);

/* Columns of a narrow matrix of doubles come by that many. */
#define GT_NARROW 8

/* --- sketch products ----------------------------------------------------------
 * Packed rows times a narrow matrix of whole numbers from -2^14 to 2^14 - 1, a row of it for each
 * code of a packed row.  GT_SKETCH of its columns are a panel; a number is 128 high + low, with
 * low from 0 to 127, in a byte each: int8 [fours of codes][low, high][GT_SKETCH][4].  Panels are
 * filled up with 0 to a multiple of 64 codes and 64-byte aligned.  n_codes <= 2^22. */
#define GT_SKETCH 8
#define GT_SKETCH_BYTES(n_codes) (((n_codes) + 63) / 64 * 1024)
/* Where the low byte of a number stands; the high one is 4 GT_SKETCH bytes further on. */
#define GT_SKETCH_AT(code, column) ((code) / 4 * 64 + (column)*4 + (code) % 4)

/* An entry of a row that is mostly 0: the index of a row of numbers, below 2^29, and its factor, from -2 to 2.  Numbers with a factor of
 * -2 or 2 are from -16383 to 16383. */
#define GT_SKETCH_ENTRY(index, times) ((uint32_t)(index) << 3 | (uint32_t)((times) + 2))
#define GT_SKETCH_INDEX(entry) ((entry) >> 3)
#define GT_SKETCH_TIMES(entry) ((int)((entry)&7) - 2)

/* --- bit rows ---------------------------------------------------------------
 * One bit a sample, sample 0 in the lowest bit; whole vectors of GT_BIT_ROW samples.
 *
 * Counts of a vector are kept as their bits: GT_COUNT_BITS bit rows of it, the lowest bits
 * first, as many bytes as numbers of 32 bits take.  Adding many rows then touches few of
 * these bytes: those of the lowest eight bits, and others only where something is carried or
 * borrowed.  So the bits of eight of a number, a byte of it, may stand far from each other. */
#define GT_BIT_ROW 512
#define GT_COUNT_BITS 32
#define GT_COUNT_BYTES (GT_COUNT_BITS / 8)
/* Bit 8 q + l of the counts of vector v is the bit row at `at` + v vector + q apart + l GT_BIT_ROW / 8; all 64-byte aligned. */
struct gt_bit_counts {
    uint8_t *at;
    size_t vector, apart;
};

/* What bits_pair counts: samples. */
enum gt_bits_pair {
    GT_BITS_HOM,    /* homozygous in both rows */
    GT_BITS_UNLIKE, /* and not of the same allele */
    GT_BITS_GAPS,   /* missing in either */
    GT_BITS_X_HOM,  /* homozygous in x and missing in y */
    GT_BITS_X_ALT,  /* code 2 in x and missing in y */
    GT_BITS_Y_HOM,
    GT_BITS_Y_ALT,
    GT_BITS_PAIR
};

/* --- calls of a store --------------------------------------------------------- */
enum { GT_CALLS_HAPLOID = 1, GT_CALLS_HALF = 2, GT_CALLS_BAD = 4 }; /* what pack_calls and pack_bcf met */

/* --- casts ---------------------------------------------------------------------
 * Types of numbers, in the order of codec/dtype.h; a bool is a byte, F16 is IEEE half. */
enum gt_number {
    GT_NUMBER_BOOL,
    GT_NUMBER_I8,
    GT_NUMBER_I16,
    GT_NUMBER_I32,
    GT_NUMBER_I64,
    GT_NUMBER_U8,
    GT_NUMBER_U16,
    GT_NUMBER_U32,
    GT_NUMBER_U64,
    GT_NUMBER_F16,
    GT_NUMBER_F32,
    GT_NUMBER_F64,
    GT_NUMBERS
};

/* --- numbers in text of VCF -------------------------------------------------
 * A mark is a byte that stands after a value: one of ',', ':', '/', '|' and tab.  It is kept as a number, where it stands in the
 * text << 8 | what it is, of texts below 2^23 bytes. */
#define GT_DELIMS_ROOM 16 /* marks that there must be room for, next to one for each byte */
#define GT_MARKED_DOT INT32_MIN
#define GT_MARKED_OTHER (INT32_MIN + 2)

/* --- genotype text of VCF ----------------------------------------------- */
struct gt_scan_result {
    const char *end; /* first byte not consumed */
    int64_t done;    /* samples consumed, from first_sample on */
};

/* Panels of samples and the sums of their pairs, at one level. */
struct gt_pair_kernel {
    /* Bytes of a panel of that many sites: a multiple of 64. */
    int64_t (*bytes)(int64_t n_sites);
    /* Packed rows (n_sites rows, `stride` bytes apart, n_samples samples) -> ceil(n_samples /
     * GT_PANEL) consecutive panels; out is 64-byte aligned.  n_sites < 2^26. */
    void (*encode)(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, uint8_t *out);
    /* Sample i of panel a against sample j of each of n_b consecutive panels b:
     * sums[p][i][j] += what `form` gives, modulo 2^32.  sums: [n_b][GT_PANEL][GT_PANEL]. */
    void (*tile)(enum gt_pair_product form, int64_t n_sites, const uint8_t *a, const uint8_t *b, int64_t n_b, uint32_t *sums);
    /* Pairs and sites a nanosecond that tile() takes, as measured (doc/benchmarks.md), to predict what it costs. */
    double speed[GT_PAIR_PRODUCTS];
};

struct gt_kernels {
    const char *name; /* "ref"; "avx2", "avx512", "avx512vbmi", "avx512amx"; "neon", "neon_dot", "neon_i8mm" */

    struct gt_pair_kernel pair;       /* for every form */
    struct gt_pair_kernel pair_agree; /* for blocks that only AGREE is asked of; their panels may be laid out differently */

    /* The same for sums with weights, panels in a form of their own.  n_sites is a multiple of 64;
     * sites 8 w .. 8 w + 7 weigh weights[w], 127 at most.  sums[p][i][j] += 2^shift times the
     * weighted sum of DOT, modulo 2^64.  n_sites < 2^23. */
    int64_t (*weigh_bytes)(int64_t n_sites);
    void (*weigh_encode)(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, uint8_t *out);
    void (*weigh_tile)(int64_t n_sites, const uint8_t *weights, int shift, const uint8_t *a, const uint8_t *b, int64_t n_b, int64_t *sums);
    double weigh_speed; /* as `speed` above */
    /* codes: of the GT_PANEL samples of a panel at each site, sample 0 in the lowest bits.
     * sums[j] += table[s][code of sample j at site s] for n sites s of a list (NULL: the first n),
     * modulo 2^64. */
    void (*look_up)(const uint64_t *codes, const int64_t (*table)[4], const uint16_t *list, int64_t n, int64_t sums[GT_PANEL]);

    /* Sample i of panel a against sample j of panel b, both double [sites][GT_PANEL]:
     * sums[i][j] is added to, [GT_PANEL][GT_PANEL].  All are 64-byte aligned. */
    void (*float_tile)(enum gt_float_term term, const struct gt_float_sites *sites, const double *a, const double *b, double *sums);

    /* The same of whole numbers from -128 to 255, both panels as GT_SMALL_INT_AT says, for terms of
     * gt_small_int_term: sums are exact.  n_sites <= 8192. */
    void (*small_int_tile)(enum gt_float_term term, int64_t n_sites, const int16_t *a, const int16_t *b, double *sums);

    /* sums[i] of a panel's samples are added to as those of all their pairs are when nothing is
     * missing.  term: N, X or XX. */
    void (*float_panel)(enum gt_float_term term, const struct gt_float_sites *sites, const double *a, double *sums);

    /* sums[r][c] += the sum over t of a[r * row + t * step] times b[t][c]: one fused multiply-add after
     * another in order of t, so that its bits do not depend on levels, nor on how rows and terms are
     * cut into calls.  b: [n_terms][width], sums: [n_rows][width], both 64-byte aligned; width is a
     * multiple of GT_NARROW. */
    void (*narrow)(const double *a, int64_t row, int64_t step, int64_t n_rows, int64_t n_terms, const double *b, int64_t width,
                   double *sums);

    /* sums[r][p][c] += 2^shift times the sum over the codes of row r, 3 counting as 0, of code times
     * number in column c of panel p, modulo 2^64.  Panels are panel_bytes apart.  sums:
     * [n_rows][n_panels][GT_SKETCH]. */
    void (*sketch)(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int8_t *panels, size_t panel_bytes,
                   int64_t n_panels, int shift, int64_t *sums);
    /* sums[r][c] += 2^shift times the sum of numbers[s][c] over the codes s of row r that are 3, modulo
     * 2^64.  Both have n_panels * GT_SKETCH columns. */
    void (*sketch_gaps)(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, const int16_t *numbers, int64_t n_panels,
                        int shift, int64_t *sums);
    /* As sketch, of rows that are lists of GT_SKETCH_ENTRY: sums[r][c] += 2^shift times the sum over entries [starts[r], starts[r + 1])
     * of times * numbers[index][c], modulo 2^64.  Both have n_panels * GT_SKETCH columns. */
    void (*sketch_lists)(const uint32_t *entries, const uint32_t *starts, int64_t n_rows, const int16_t *numbers, int64_t n_panels,
                         int shift, int64_t *sums);
    /* Multiply-adds per nanosecond of sketch (zeros included) and of sketch_lists: measured at avx512vbmi (doc/benchmarks.md), else
     * estimates. */
    double sketch_speed, lists_speed;
    /* The matrix of codes, turned: packed rows -> n_codes packed rows of n_rows codes, out_stride bytes
     * apart, of which the first (n_rows + 63) / 64 * 16 are written, pad bits 0. */
    void (*turn_codes)(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_codes, uint8_t *out, size_t out_stride);

    /* Packed rows -> three bit rows each, `bits` bytes apart, the bits of samples that are not
     * there 0: code is 0 or 2; code is 2 (alt may be NULL: not wanted); code is 3.  Returns the
     * number of 3s. */
    int64_t (*bits_split)(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_samples, size_t bits, uint8_t *hom, uint8_t *alt,
                          uint8_t *missing);
    /* Two rows, each as bits_split makes it of one packed row: hom, alt and missing, `bits` bytes
     * (whole vectors) one after another.  See enum gt_bits_pair; without gaps only the first two are counted. */
    void (*bits_pair)(const uint8_t *x, const uint8_t *y, size_t bits, bool gaps, int64_t counts[GT_BITS_PAIR]);
    /* GT_BIT_ROW columns of bit rows -> words of 64 rows: bit r % 64 of out[r / 64 * words + c] =
     * bit c of row r; the last words are filled up with 0.  words >= GT_BIT_ROW. */
    void (*bits_turn)(const uint8_t *bits, size_t stride, int64_t n_rows, uint64_t *out, size_t words);
    /* How often each bit is set in the n bit rows that stand `offsets` bytes after bits, in any
     * order, is added to the counts of vectors [first, last) of them, or taken off, modulo 2^32. */
    void (*bits_sum)(const uint8_t *bits, const uint32_t *offsets, int64_t n, int64_t first, int64_t last, bool off,
                     struct gt_bit_counts counts);
    /* counts += more, of that many vectors, those of more one after another; bytes of counts that nothing is added to stay untouched. */
    void (*bits_add)(const uint8_t *more, int64_t vectors, struct gt_bit_counts counts);
    /* The counts of that many vectors, one after another, become uint32_t [GT_BIT_ROW] each, in place; 64-byte aligned. */
    void (*bits_numbers)(uint8_t *counts, int64_t vectors);
    /* Bit rows of one vector, one after another, 64-byte aligned: how often each bit is set in rows[0..n) of them is added to the sums of
     * panels [from, to) of the vector's GT_BIT_ROW / GT_PANEL, of GT_PANEL numbers each, GT_PANEL * GT_PANEL apart; modulo 2^32. */
    void (*bits_tally)(const uint8_t *bits, const uint16_t *rows, int64_t n, int64_t from, int64_t to, uint32_t *sums);
    double tally_speed; /* bits a nanosecond that it takes, as `speed` above */

    /* Per row: counts[c] = number of samples with code c, c in 0..3, over n_samples. */
    void (*count_codes)(const uint8_t *row, int64_t n_samples, int64_t counts[4]);
    /* The carriers of a row, in order, where `major` (code 0 or 2) is the homozygote of most samples; returns their number.  May stop
     * where there are more than `most`, and then returns a smaller number of them, but more than `most`.  There is room for all samples.
     * n_samples < 2^25. */
    int64_t (*list_carriers)(const uint8_t *row, int64_t n_samples, int major, int64_t most, uint32_t *out);
    /* missing[s] += in how many of the n_rows rows, `stride` bytes apart, sample s has code 3; modulo 2^32. */
    void (*add_missing)(const uint8_t *rows, size_t stride, int64_t n_rows, int64_t n_samples, uint32_t *missing);
    /* out (n_out samples, pad bits 0) = samples index[0..n_out) of row, any order. */
    void (*gather_samples)(const uint8_t *row, const uint32_t *index, int64_t n_out, uint8_t *out);
    /* One byte a sample, -1 where missing. */
    void (*unpack_i8)(const uint8_t *row, int64_t n_samples, int8_t *out);
    /* And back: below 0 becomes 3; above 2 too, and then the answer is not 0.  pad bits 0. */
    int (*pack_i8)(const int8_t *values, int64_t n_samples, uint8_t *row);
    /* PLINK 1 .bed rows -> packed rows, dosage of A1: 00 -> 2, 01 -> missing, 10 -> 1, 11 -> 0; pad bits 0. */
    void (*bed_to_packed)(const uint8_t *bed, int64_t n_samples, uint8_t *row);
    /* Rows of a packed ANCESTRYMAP file, the first sample in the highest bits, copies of the first allele or 3 ->
     * packed rows, dosage of the second one; pad bits 0.  geno and row may be the same. */
    void (*geno_to_packed)(const uint8_t *geno, int64_t n_samples, uint8_t *row);

    /* Calls as int8 allele numbers -> packed rows, pad bits 0.  Below 0 is a missing
     * allele, -2 one that the call does not have.
     * pack_calls: two alleles a sample.  Both called: how many are not 0; none: 3; one
     * next to -2: a haploid call, 0 or haploid_alt; one next to another missing one: a
     * half call, 3.  haploid, half: ceil(n_samples / 64) words, bit s % 64 of word s / 64
     * is sample s; all are written.  The answer says which of the two were met.
     * pack_bcf: likewise GT of BCF in two int8 a sample, (number + 1) << 1 | phased; 0 and
     * -128 are missing, -127 is an allele that the call does not have.  Bad: a number of
     * n_alleles (1 .. 62) or above, or no number; then nothing that was written is of use.
     * pack_haploid: one allele a sample; called: likewise, those that are not missing.
     * pack_allele: allele number `which` (0 or 1) of each pair as a number, as pack_i8. */
    unsigned (*pack_calls)(const int8_t *calls, int64_t n_samples, int haploid_alt, uint8_t *row, uint64_t *haploid, uint64_t *half);
    unsigned (*pack_bcf)(const int8_t *gt, int64_t n_samples, int n_alleles, int haploid_alt, uint8_t *row, uint64_t *haploid,
                         uint64_t *half);
    void (*pack_haploid)(const int8_t *calls, int64_t n_samples, int haploid_alt, uint8_t *row, uint64_t *called);
    int (*pack_allele)(const int8_t *calls, int which, int64_t n_samples, uint8_t *row);

    /* Diploid single-digit calls "a|b\t" or "a/b\t" with nothing after GT (FORMAT is
     * just GT), a and b digits below n_alleles (1 .. 10) or '.': consumes such samples from `text` on while all
     * of what it looks at is of this form, at most n_samples, never reading past
     * text_end, and writes codes of samples first_sample.. into row (the done / 4 row bytes
     * from first_sample / 4 on, no others; first_sample % 4 == 0).  A call with both
     * alleles '.' is 3.  Stops before the first sample that is anything else
     * (half call, haploid, another digit or two, last sample without its tab) - earlier by up
     * to a vector is allowed, always at a multiple of 4 samples.  When it returns, done % 4 == 0. */
    struct gt_scan_result (*scan_gt)(const char *text, const char *text_end, int64_t n_samples, int64_t first_sample, int n_alleles,
                                     uint8_t *row);
    /* The same of calls with other subfields after them, "a|b:...\t", or without. */
    struct gt_scan_result (*scan_gt_first)(const char *text, const char *text_end, int64_t n_samples, int64_t first_sample, int n_alleles,
                                           uint8_t *row);
    /* Diploid calls likewise of 4 bytes each, of two digits or two dots: their alleles, -1 where missing, two a sample,
     * and whether '|' stands between, 1 or 0.  False where any of them is not of this form; then nothing
     * that was written is of use. */
    bool (*scan_alleles)(const char *text, int64_t n_samples, int8_t *alleles, uint8_t *phased);

    /* And back: pairs of alleles from 0 to 9 or -1, and whether each pair is phased (not 0; NULL: none is), as text of 4 bytes a sample.
     * False where an allele is another number; then nothing that was written is of use. */
    bool (*write_alleles)(const int8_t *alleles, const uint8_t *phased, int64_t n_samples, char *text);
    /* The marks of n bytes of text, in order; how many they are. */
    int64_t (*split_delims)(const char *text, int64_t n, int32_t *delims);
    /* Of n x period marks, how many times from the first on all of a period are as pattern or other has them. */
    int64_t (*same_delims)(const int32_t *delims, int64_t n, const uint8_t *pattern, const uint8_t *other, int64_t period);
    /* What stands between marks[i - 1] (of the first one too; -1 << 8: the text's beginning) and marks[i]: a whole number of one to
     * eight digits, GT_MARKED_DOT for '.', GT_MARKED_OTHER for anything else.  How many of the n are that. */
    int64_t (*marked_ints)(const char *text, const int32_t *delims, int64_t n, int32_t *values);
    /* INT32_MIN becomes -1, INT32_MIN + 1 becomes -2; range[0] and range[1] become the least and the most of these and of all x. */
    void (*fix_ints)(int32_t *x, int64_t n, int32_t range[2]);

    /* Monte Carlo pi: points [first, first + n) of stream `key`: how many fall inside
     * the unit quarter circle.  See calc/pi.h for the definition of a point. */
    int64_t (*pi_count)(uint64_t key, uint64_t first, int64_t n);

    /* Sampling.  Group g stands for the four words of Philox4x32-10 at counter
     * {g, counter[0], counter[1], counter[2]} under key.
     * Words of groups [group, group + n_groups): four each, in order. */
    void (*sim_words)(const uint32_t key[2], const uint32_t counter[3], uint32_t group, int64_t n_groups, uint32_t *out);
    /* Codes of samples [first, first + n) of a packed row; the bits of other samples
     * are kept.  Sample s has word s % 4 of group s / 4; its code is how many of
     * above[0] <= above[1] <= above[2] the word is greater than. */
    void (*sim_codes)(const uint32_t key[2], const uint32_t counter[3], int64_t first, int64_t n, const uint32_t above[3], uint8_t *row);

    /* Items of 1, 2, 4 or 8 bytes, the one in row r and column c from where it stands, r * from_stride
     * + c * size bytes after from, to c * to_stride + r * size bytes after to.  Strides may be
     * below 0, nothing need be aligned; the two places do not overlap. */
    void (*transpose)(size_t size, int64_t rows, int64_t columns, const uint8_t *from, int64_t from_stride, uint8_t *to, int64_t to_stride);

    /* n bytes, a multiple of 8, as eight planes of n / 8 bytes one after another: bit b of byte i is bit i % 8 of byte i / 8 of
     * plane b.  And back.  Nothing need be aligned; the two places do not overlap. */
    void (*bits_apart)(const uint8_t *bytes, int64_t n, uint8_t *planes);
    void (*bits_together)(const uint8_t *planes, int64_t n, uint8_t *bytes);

    /* n numbers of one type -> another, which need not be aligned and do not overlap.  Whole to
     * whole: modulo 2^bits.  Real to whole: towards zero, then modulo 2^bits, and 0 for NaN and
     * infinity.  To bool: is it not 0.  To real: the nearest.
     * Returns whether all numbers are what they were; to real: whether none that is finite became
     * infinite. */
    bool (*cast)(enum gt_number from, const void *src, enum gt_number to, void *dst, int64_t n);

    /* CRC-32C (Castagnoli) of n bytes, going on from crc (0 to start). */
    uint32_t (*crc32c)(uint32_t crc, const void *data, size_t n);
};

/* The table in use.  The best level of this cpu until gt_kernels_select. */
const struct gt_kernels *gt_kernels(void);

/* level: NULL or "" for the best one, else the name of one.
 * 0 done; -1 no such level; -2 this cpu (or build) lacks it.  Call before any
 * thread starts. */
int gt_kernels_select(const char *level);

/* Tables that this build and cpu can run, ref first; for tests and --version. */
const struct gt_kernels *const *gt_kernels_all(int *n);
/* Levels compiled in, whether or not this cpu has them: "ref avx2 avx512 avx512vbmi avx512amx" or "ref neon neon_dot neon_i8mm". */
const char *gt_kernels_compiled(void);

#endif
