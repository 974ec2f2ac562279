# A library for each instruction-set level: its folder has the files, and its flags stand here once.
noinst_LIBRARIES += libkern.a
KERNELS += libkern.a
libkern_a_SOURCES = \
	%D%/bit_sums.h \
	%D%/bits8.h \
	%D%/bits_tally.h \
	%D%/carriers.h \
	%D%/cast.h \
	%D%/digits.h \
	%D%/float_power.h \
	%D%/float_term.h \
	%D%/half.h \
	%D%/impl.h \
	%D%/kernels.h \
	%D%/delims.h \
	%D%/missing.h \
	%D%/pair_table.h \
	%D%/pi.h \
	%D%/plain_call.h \
	%D%/select.c \
	%D%/sim.h \
	%D%/turn.h \
	%D%/turn_codes.h \
	%D%/unroll.h

if X86
noinst_LIBRARIES += libkern_avx2.a libkern_avx512.a libkern_avx512vbmi.a libkern_avx512amx.a
KERNELS += libkern_avx2.a libkern_avx512.a libkern_avx512vbmi.a libkern_avx512amx.a
AVX2_FLAGS = -mavx2 -mbmi -mbmi2 -mfma -mpopcnt
AVX512_FLAGS = $(AVX2_FLAGS) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mprefer-vector-width=512
AVX512VBMI_FLAGS = $(AVX512_FLAGS) -mavx512vbmi -mavx512vbmi2 -mavx512vpopcntdq -mavx512bitalg -mavx512vnni
AVX512AMX_FLAGS = $(AVX512VBMI_FLAGS) -mamx-tile -mamx-int8
libkern_avx2_a_CFLAGS = $(AM_CFLAGS) $(AVX2_FLAGS)
libkern_avx512_a_CFLAGS = $(AM_CFLAGS) $(AVX512_FLAGS)
libkern_avx512vbmi_a_CFLAGS = $(AM_CFLAGS) $(AVX512VBMI_FLAGS)
libkern_avx512amx_a_CFLAGS = $(AM_CFLAGS) $(AVX512AMX_FLAGS)
endif

if ARM64
noinst_LIBRARIES += libkern_neon.a libkern_neon_dot.a libkern_neon_i8mm.a
KERNELS += libkern_neon.a libkern_neon_dot.a libkern_neon_i8mm.a
libkern_neon_a_CFLAGS = $(AM_CFLAGS)
libkern_neon_dot_a_CFLAGS = $(AM_CFLAGS) -march=armv8.2-a+dotprod
libkern_neon_i8mm_a_CFLAGS = $(AM_CFLAGS) -march=armv8.2-a+dotprod+i8mm
endif
