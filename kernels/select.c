#include "config.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#if defined(GT_X86) && HAVE_DECL_SYS_ARCH_PRCTL
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(GT_ARM64) && HAVE_GETAUXVAL
#include <sys/auxv.h>
#elif defined(GT_ARM64) && HAVE_SYSCTLBYNAME
#include <sys/sysctl.h>
#endif

#include "kernels/impl.h"
#include "kernels/pi.h"

static bool has_ref(void)
{
    return true;
}

static void fill_ref(struct gt_kernels *k)
{
    k->pair = k->pair_agree = (struct gt_pair_kernel){gt_pair_bytes_ref, gt_pair_encode_ref, gt_pair_tile_ref, {2.5, 2.5, 2.5}};
    k->weigh_bytes = gt_pair_bytes_ref;
    k->weigh_encode = gt_pair_encode_ref;
    k->weigh_tile = gt_weigh_tile_ref;
    k->weigh_speed = 1.1;
    k->small_int_tile = gt_small_int_tile_ref;
    k->look_up = gt_look_up_ref;
    k->float_tile = gt_float_tile_ref;
    k->float_panel = gt_float_panel_ref;
    k->narrow = gt_narrow_ref;
    k->sketch = gt_sketch_ref;
    k->sketch_gaps = gt_sketch_gaps_ref;
    k->sketch_lists = gt_sketch_lists_ref;
    k->sketch_speed = 1, k->lists_speed = 1;
    k->turn_codes = gt_turn_codes_ref;
    k->bits_split = gt_bits_split_ref;
    k->bits_pair = gt_bits_pair_ref;
    k->bits_turn = gt_bits_turn_ref;
    k->bits_sum = gt_bits_sum_ref;
    k->bits_add = gt_bits_add_ref;
    k->bits_numbers = gt_bits_numbers_ref;
    k->bits_tally = gt_bits_tally_ref;
    k->tally_speed = 0.1;
    k->count_codes = gt_count_codes_ref;
    k->list_carriers = gt_list_carriers_ref;
    k->add_missing = gt_add_missing_ref;
    k->gather_samples = gt_gather_samples_ref;
    k->unpack_i8 = gt_unpack_i8_ref;
    k->pack_i8 = gt_pack_i8_ref;
    k->pack_calls = gt_pack_calls_ref;
    k->pack_bcf = gt_pack_bcf_ref;
    k->pack_haploid = gt_pack_haploid_ref;
    k->pack_allele = gt_pack_allele_ref;
    k->bed_to_packed = gt_bed_to_packed_ref;
    k->geno_to_packed = gt_geno_to_packed_ref;
    k->scan_gt = gt_scan_gt_ref;
    k->scan_gt_first = gt_scan_gt_first_ref;
    k->scan_alleles = gt_scan_alleles_ref;
    k->write_alleles = gt_write_alleles_ref;
    k->split_delims = gt_split_delims_ref;
    k->same_delims = gt_same_delims_ref;
    k->marked_ints = gt_marked_ints_ref;
    k->fix_ints = gt_fix_ints_ref;
    k->pi_count = gt_pi_count_ref;
    k->sim_words = gt_sim_words_ref;
    k->sim_codes = gt_sim_codes_ref;
    k->transpose = gt_transpose_ref;
    k->bits_apart = gt_bits_apart_ref;
    k->bits_together = gt_bits_together_ref;
    k->cast = gt_cast_ref;
    k->crc32c = gt_crc32c_ref;
}

#ifdef GT_X86

/* __builtin_cpu_supports also asks whether the system saves the registers. */
static bool has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}

static bool has_avx512vbmi(void)
{
    return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vnni");
}

/* Has the cpu tiles of bytes, and does the system save them?  A process must ask for that, once for
 * all of its threads; it is refused to one with small stacks for signals, as sanitizers have. */
static bool has_avx512amx(void)
{
#if HAVE_DECL_SYS_ARCH_PRCTL
    enum { TILES = 1 << 24 | 1 << 25, TILE_STATE = 1 << 17 | 1 << 18, OSXSAVE = 1 << 27, ASK_FOR_STATE = 0x1023, TILE_DATA = 18 };
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE) || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & TILES) != TILES)
        return false;
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    return (saved & TILE_STATE) == TILE_STATE && syscall(SYS_arch_prctl, ASK_FOR_STATE, TILE_DATA) == 0;
#else
    return false;
#endif
}

static void fill_avx2(struct gt_kernels *k)
{
    k->pair = k->pair_agree = (struct gt_pair_kernel){gt_pair_bytes_avx2, gt_pair_encode_avx2, gt_pair_tile_avx2, {270, 270, 270}};
    k->weigh_bytes = gt_pair_bytes_avx2;
    k->weigh_encode = gt_pair_encode_avx2;
    k->weigh_tile = gt_weigh_tile_avx2;
    k->weigh_speed = 100;
    k->small_int_tile = gt_small_int_tile_avx2;
    k->look_up = gt_look_up_avx2;
    k->float_tile = gt_float_tile_avx2;
    k->float_panel = gt_float_panel_avx2;
    k->narrow = gt_narrow_avx2;
    k->sketch = gt_sketch_avx2;
    k->sketch_gaps = gt_sketch_gaps_avx2;
    k->sketch_lists = gt_sketch_lists_avx2;
    k->sketch_speed = 60, k->lists_speed = 5;
    k->turn_codes = gt_turn_codes_avx2;
    k->bits_split = gt_bits_split_avx2;
    k->bits_pair = gt_bits_pair_avx2;
    k->bits_turn = gt_bits_turn_avx2;
    k->bits_sum = gt_bits_sum_avx2;
    k->bits_add = gt_bits_add_avx2;
    k->bits_numbers = gt_bits_numbers_avx2;
    k->bits_tally = gt_bits_tally_avx2;
    k->tally_speed = 130;
    k->count_codes = gt_count_codes_avx2;
    k->list_carriers = gt_list_carriers_avx2;
    k->add_missing = gt_add_missing_avx2;
    k->gather_samples = gt_gather_samples_avx2;
    k->unpack_i8 = gt_unpack_i8_avx2;
    k->pack_i8 = gt_pack_i8_avx2;
    k->pack_calls = gt_pack_calls_avx2;
    k->pack_bcf = gt_pack_bcf_avx2;
    k->pack_haploid = gt_pack_haploid_avx2;
    k->pack_allele = gt_pack_allele_avx2;
    k->bed_to_packed = gt_bed_to_packed_avx2;
    k->geno_to_packed = gt_geno_to_packed_avx2;
    k->scan_gt = gt_scan_gt_avx2;
    k->scan_gt_first = gt_scan_gt_first_avx2;
    k->scan_alleles = gt_scan_alleles_avx2;
    k->write_alleles = gt_write_alleles_avx2;
    k->split_delims = gt_split_delims_avx2;
    k->marked_ints = gt_marked_ints_avx2;
    k->fix_ints = gt_fix_ints_avx2;
    k->pi_count = gt_pi_count_avx2;
    k->sim_words = gt_sim_words_avx2;
    k->sim_codes = gt_sim_codes_avx2;
    k->transpose = gt_transpose_avx2;
    k->bits_apart = gt_bits_apart_avx2;
    k->bits_together = gt_bits_together_avx2;
    k->cast = gt_cast_avx2;
    k->crc32c = gt_crc32c_avx2;
}

static void fill_avx512(struct gt_kernels *k)
{
    k->pair = k->pair_agree = (struct gt_pair_kernel){gt_pair_bytes_avx512, gt_pair_encode_avx512, gt_pair_tile_avx512, {500, 370, 500}};
    k->weigh_bytes = gt_pair_bytes_avx512;
    k->weigh_encode = gt_pair_encode_avx512;
    k->weigh_tile = gt_weigh_tile_avx512;
    k->weigh_speed = 190;
    k->small_int_tile = gt_small_int_tile_avx512;
    k->look_up = gt_look_up_avx512;
    k->float_tile = gt_float_tile_avx512;
    k->float_panel = gt_float_panel_avx512;
    k->narrow = gt_narrow_avx512;
    k->turn_codes = gt_turn_codes_avx512;
    k->bits_split = gt_bits_split_avx512;
    k->bits_turn = gt_bits_turn_avx512;
    k->bits_sum = gt_bits_sum_avx512;
    k->bits_add = gt_bits_add_avx512;
    k->bits_numbers = gt_bits_numbers_avx512;
    k->bits_tally = gt_bits_tally_avx512;
    k->tally_speed = 330;
    k->list_carriers = gt_list_carriers_avx512;
    k->add_missing = gt_add_missing_avx512;
    k->gather_samples = gt_gather_samples_avx512;
    k->pack_i8 = gt_pack_i8_avx512;
    k->pack_calls = gt_pack_calls_avx512;
    k->pack_bcf = gt_pack_bcf_avx512;
    k->pack_haploid = gt_pack_haploid_avx512;
    k->pack_allele = gt_pack_allele_avx512;
    k->scan_gt = gt_scan_gt_avx512;
    k->scan_gt_first = gt_scan_gt_first_avx512;
    k->scan_alleles = gt_scan_alleles_avx512;
    k->write_alleles = gt_write_alleles_avx512;
    k->split_delims = gt_split_delims_avx512;
    k->same_delims = gt_same_delims_avx512;
    k->marked_ints = gt_marked_ints_avx512;
    k->fix_ints = gt_fix_ints_avx512;
    k->pi_count = gt_pi_count_avx512;
    k->sim_words = gt_sim_words_avx512;
    k->sim_codes = gt_sim_codes_avx512;
    k->transpose = gt_transpose_avx512;
    k->bits_apart = gt_bits_apart_avx512;
    k->bits_together = gt_bits_together_avx512;
    k->cast = gt_cast_avx512;
}

static void fill_avx512vbmi(struct gt_kernels *k)
{
    k->pair = k->pair_agree =
        (struct gt_pair_kernel){gt_pair_bytes_avx512, gt_pair_encode_avx512, gt_pair_tile_avx512vbmi, {860, 570, 860}};
    k->bits_pair = gt_bits_pair_avx512vbmi;
    k->weigh_tile = gt_weigh_tile_avx512vbmi;
    k->weigh_speed = 350;
    k->small_int_tile = gt_small_int_tile_avx512vbmi;
    k->sketch = gt_sketch_avx512vbmi;
    k->sketch_speed = 150;
    k->sketch_gaps = gt_sketch_gaps_avx512vbmi;
    k->count_codes = gt_count_codes_avx512vbmi;
    k->unpack_i8 = gt_unpack_i8_avx512vbmi;
}

static void fill_avx512amx(struct gt_kernels *k)
{
    /* AGREE takes two products; measured on Sapphire Rapids it is slower than by VPOPCNTQ (7.4e11 and 8.9e11 pair-sites/s). */
    k->pair = (struct gt_pair_kernel){gt_pair_bytes_avx512amx, gt_pair_encode_avx512amx, gt_pair_tile_avx512amx, {740, 850, 900}};
    k->sketch = gt_sketch_avx512amx;
    k->sketch_speed = 1000;
}

#define X86(name) #name, has_##name, fill_##name
#else
#define X86(name) #name, NULL, NULL
#endif

#ifdef GT_ARM64

static bool has_neon(void)
{
    return true;
}

#if HAVE_SYSCTLBYNAME && !HAVE_GETAUXVAL
static bool has_feature(const char *name)
{
    int yes = 0;
    size_t size = sizeof yes;
    return sysctlbyname(name, &yes, &size, NULL, 0) == 0 && yes;
}
#endif

static bool has_neon_dot(void)
{
#if HAVE_GETAUXVAL
    enum { ASIMDDP = 1 << 20 };
    return getauxval(AT_HWCAP) & ASIMDDP;
#elif HAVE_SYSCTLBYNAME
    return has_feature("hw.optional.arm.FEAT_DotProd");
#else
    return false;
#endif
}

static bool has_neon_i8mm(void)
{
#if HAVE_GETAUXVAL
    enum { I8MM = 1 << 13 };
    return getauxval(AT_HWCAP2) & I8MM;
#elif HAVE_SYSCTLBYNAME
    return has_feature("hw.optional.arm.FEAT_I8MM");
#else
    return false;
#endif
}

/* Speeds are not measured: those of AVX2 over the ratio of the instructions that a pair and site takes. */
static void fill_neon(struct gt_kernels *k)
{
    k->pair = k->pair_agree = (struct gt_pair_kernel){gt_pair_bytes_neon, gt_pair_encode_neon, gt_pair_tile_neon, {190, 190, 190}};
    k->weigh_bytes = gt_pair_bytes_neon;
    k->weigh_encode = gt_pair_encode_neon;
    k->weigh_tile = gt_weigh_tile_neon;
    k->weigh_speed = 60;
    k->sketch = gt_sketch_neon;
    k->sketch_gaps = gt_sketch_gaps_neon;
    k->sketch_lists = gt_sketch_lists_neon;
    k->sketch_speed = 40, k->lists_speed = 4;
    k->turn_codes = gt_turn_codes_neon;
    k->bits_split = gt_bits_split_neon;
    k->bits_pair = gt_bits_pair_neon;
    k->bits_turn = gt_bits_turn_neon;
    k->bits_sum = gt_bits_sum_neon;
    k->bits_add = gt_bits_add_neon;
    k->bits_numbers = gt_bits_numbers_neon;
    k->bits_tally = gt_bits_tally_neon;
    k->tally_speed = 60;
    k->count_codes = gt_count_codes_neon;
    k->list_carriers = gt_list_carriers_neon;
    k->add_missing = gt_add_missing_neon;
    k->unpack_i8 = gt_unpack_i8_neon;
    k->pack_i8 = gt_pack_i8_neon;
    k->pack_calls = gt_pack_calls_neon;
    k->pack_bcf = gt_pack_bcf_neon;
    k->pack_haploid = gt_pack_haploid_neon;
    k->pack_allele = gt_pack_allele_neon;
    k->bed_to_packed = gt_bed_to_packed_neon;
    k->geno_to_packed = gt_geno_to_packed_neon;
    k->scan_gt = gt_scan_gt_neon;
    k->scan_alleles = gt_scan_alleles_neon;
    k->write_alleles = gt_write_alleles_neon;
    k->transpose = gt_transpose_neon;
    k->bits_apart = gt_bits_apart_neon;
    k->bits_together = gt_bits_together_neon;
}

static void fill_neon_dot(struct gt_kernels *k)
{
    k->sketch = gt_sketch_neon_dot;
}

/* AGREE alone takes two products, and is looked up faster. */
static void fill_neon_i8mm(struct gt_kernels *k)
{
    k->pair = (struct gt_pair_kernel){gt_pair_bytes_neon_i8mm, gt_pair_encode_neon_i8mm, gt_pair_tile_neon_i8mm, {180, 360, 330}};
    k->sketch = gt_sketch_neon_i8mm;
}

#define ARM64(name) #name, has_##name, fill_##name
#else
#define ARM64(name) #name, NULL, NULL
#endif

/* Lowest first.  A level's table is that of the level below with the slots it
 * overrides; a cpu has a level only with all those below.  fill is NULL where the
 * build lacks the level. */
static const struct {
    const char *name;
    bool (*has)(void);
    void (*fill)(struct gt_kernels *);
} levels[] = {{"ref", has_ref, fill_ref}, {X86(avx2)},   {X86(avx512)},     {X86(avx512vbmi)},
              {X86(avx512amx)},           {ARM64(neon)}, {ARM64(neon_dot)}, {ARM64(neon_i8mm)}};

enum { N_LEVELS = sizeof levels / sizeof *levels };

static struct gt_kernels tables[N_LEVELS];
static const struct gt_kernels *usable[N_LEVELS];
static int n_usable;
static const struct gt_kernels *current;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_tables(void)
{
    for (int i = 0; i < N_LEVELS; i++) {
        if (!levels[i].fill)
            continue;
        if (!levels[i].has())
            break;
        if (n_usable > 0)
            tables[n_usable] = tables[n_usable - 1];
        levels[i].fill(&tables[n_usable]);
        tables[n_usable].name = levels[i].name;
        usable[n_usable] = &tables[n_usable];
        n_usable++;
    }
    current = usable[n_usable - 1];
}

const struct gt_kernels *gt_kernels(void)
{
    pthread_once(&once, fill_tables);
    return current;
}

int gt_kernels_select(const char *level)
{
    pthread_once(&once, fill_tables);
    if (!level || !*level) {
        current = usable[n_usable - 1];
        return 0;
    }
    for (int i = 0; i < n_usable; i++)
        if (strcmp(level, usable[i]->name) == 0) {
            current = usable[i];
            return 0;
        }
    for (int i = 0; i < N_LEVELS; i++)
        if (strcmp(level, levels[i].name) == 0)
            return -2;
    return -1;
}

const struct gt_kernels *const *gt_kernels_all(int *n)
{
    pthread_once(&once, fill_tables);
    *n = n_usable;
    return usable;
}

const char *gt_kernels_compiled(void)
{
    return GT_LEVELS;
}
