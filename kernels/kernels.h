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

#include <stddef.h>
#include <stdint.h>

#define GT_KERNEL_PAD 64

/* --- pair counts: sums over sites of a small integer f(x, y) --------------
 * f is given as table[x][y] for codes 0..3, values 0..4, and 0 wherever x or y
 * is 3 (missing).  Sites are grouped, sites_per_code to a byte code per sample,
 * and codes are laid out in panels of GT_PANEL samples:
 *     codes[panel][group][GT_PANEL]
 * A short last group is filled with missing sites, a short last panel with
 * missing samples. */
#define GT_PANEL 256

/* A metric's table in the form that a level's tile kernel reads. */
struct gt_pair_table {
    _Alignas(64) uint8_t rows[64 * 64];
    int max_code; /* largest sum that one code pair can add */
};

/* --- calls of a store --------------------------------------------------------- */
enum { GT_CALLS_HAPLOID = 1, GT_CALLS_HALF = 2 }; /* what pack_calls met */

/* --- genotype text of VCF ----------------------------------------------- */
struct gt_scan_result {
    const char *end; /* first byte not consumed */
    int64_t done;    /* samples consumed, from first_sample on */
};

struct gt_kernels {
    const char *name; /* "ref", "avx2", "avx512", "avx512vbmi" */

    int sites_per_code; /* 1 (ref), 2 or 3: groups = ceil(sites / sites_per_code) */
    void (*pair_table)(struct gt_pair_table *out, const uint8_t metric[4][4]);
    /* Packed rows (n_sites rows, `stride` bytes apart, n_samples samples) -> codes
     * of one panel: out[groups][GT_PANEL], samples panel*GT_PANEL ... */
    void (*pair_encode)(const uint8_t *rows, size_t stride, int64_t n_sites, int64_t n_samples, int64_t panel, uint8_t *out);
    /* sums[i * GT_PANEL + j] += sum over groups of table(a code of sample i0 + i,
     * b code of sample j), i in [0, ni), j in [0, GT_PANEL).
     * a, b: panels as from pair_encode, 64-byte aligned; ni <= GT_PANEL - i0.  A site
     * adds at most 4, so sums stay exact while 4 * sites_per_code * (all groups
     * added to them) < 2^32. */
    void (*pair_tile)(const struct gt_pair_table *table, const uint8_t *a, int i0, int ni, const uint8_t *b, int64_t groups,
                      uint32_t *sums);

    /* Per row: counts[c] = number of samples with code c, c in 0..3, over n_samples. */
    void (*count_codes)(const uint8_t *row, int64_t n_samples, int64_t counts[4]);
    /* missing[s] += 1 for each sample s whose code is 3. */
    void (*add_missing)(const uint8_t *row, int64_t n_samples, uint32_t *missing);
    /* out (n_out samples, pad bits 0) = samples index[0..n_out) of row, any order. */
    void (*gather_samples)(const uint8_t *row, const uint32_t *index, int64_t n_out, uint8_t *out);
    /* One byte a sample, -1 where missing. */
    void (*unpack_i8)(const uint8_t *row, int64_t n_samples, int8_t *out);
    /* And back: below 0 becomes 3; above 2 too, and then the answer is not 0.  pad bits 0. */
    int (*pack_i8)(const int8_t *values, int64_t n_samples, uint8_t *row);
    /* PLINK 1 .bed rows -> packed rows, dosage of A1: 00 -> 2, 01 -> missing, 10 -> 1, 11 -> 0; pad bits 0. */
    void (*bed_to_packed)(const uint8_t *bed, int64_t n_samples, uint8_t *row);

    /* Calls as int8 allele numbers -> packed rows, pad bits 0.  Below 0 is a missing
     * allele, -2 one that the call does not have.
     * pack_calls: two alleles a sample.  Both called: how many are not 0; none: 3; one
     * beside -2: a haploid call, 0 or haploid_alt; one beside another missing one: a
     * half call, 3.  haploid, half: ceil(n_samples / 64) words, bit s % 64 of word s / 64
     * is sample s; all are written.  The answer says which of the two were met.
     * pack_haploid: one allele a sample; called: likewise, those that are not missing.
     * pack_allele: allele number `which` (0 or 1) of each pair as a number, as pack_i8. */
    unsigned (*pack_calls)(const int8_t *calls, int64_t n_samples, int haploid_alt, uint8_t *row, uint64_t *haploid, uint64_t *half);
    void (*pack_haploid)(const int8_t *calls, int64_t n_samples, int haploid_alt, uint8_t *row, uint64_t *called);
    int (*pack_allele)(const int8_t *calls, int which, int64_t n_samples, uint8_t *row);

    /* Diploid single-digit calls "a|b\t" or "a/b\t" with nothing behind GT (FORMAT is
     * just GT), a and b digits or '.': consumes such samples from `text` on while all
     * of what it looks at is of this form, at most n_samples, never reading past
     * text_end, and writes codes of samples first_sample.. into row (the done / 4 row bytes
     * from first_sample / 4 on, no others; first_sample % 4 == 0).  A call with both
     * alleles '.' is 3.  Stops in front of the first sample that is anything else
     * (half call, haploid, two digits, last sample without its tab) - earlier by up
     * to a vector is allowed, always at a multiple of 4 samples.  When it returns, done % 4 == 0. */
    struct gt_scan_result (*scan_gt)(const char *text, const char *text_end, int64_t n_samples, int64_t first_sample, uint8_t *row);

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
};

/* The table in use.  The best level of this cpu until gt_kernels_select. */
const struct gt_kernels *gt_kernels(void);

/* level: NULL or "" for the best one, else "ref", "avx2", "avx512", "avx512vbmi".
 * 0 done; -1 no such level; -2 this cpu (or build) lacks it.  Call before any
 * thread starts. */
int gt_kernels_select(const char *level);

/* Tables that this build and cpu can run, ref first; for tests and --version. */
const struct gt_kernels *const *gt_kernels_all(int *n);
/* Levels compiled in, whether or not this cpu has them: "ref avx2 avx512 avx512vbmi". */
const char *gt_kernels_compiled(void);

#endif
