/* Loops over register tiles must be unrolled in full, whatever -O says. */
#ifndef GT_KERNELS_UNROLL_H
#define GT_KERNELS_UNROLL_H

#ifdef __clang__
#define GT_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GT_UNROLL _Pragma("GCC unroll 16")
#endif
#define GT_INLINE static inline __attribute__((always_inline))

#endif
