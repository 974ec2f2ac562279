# One library per instruction-set level: its flags are its own.
noinst_LIBRARIES += libkern.a
KERNELS += libkern.a
libkern_a_SOURCES = %D%/kernels.h %D%/impl.h %D%/select.c %D%/ref/pair.c %D%/ref/weigh.c %D%/ref/bits.c %D%/ref/code.h %D%/ref/rows.c %D%/ref/calls.c \
	%D%/plain_call.h %D%/ref/scan.c

if X86
noinst_LIBRARIES += libkern_avx2.a libkern_avx512.a libkern_avx512vbmi.a libkern_avx512amx.a
KERNELS += libkern_avx2.a libkern_avx512.a libkern_avx512vbmi.a libkern_avx512amx.a
AVX2_FLAGS = -mavx2 -mbmi -mbmi2 -mfma -mpopcnt
AVX512_FLAGS = $(AVX2_FLAGS) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mprefer-vector-width=512
AVX512VBMI_FLAGS = $(AVX512_FLAGS) -mavx512vbmi -mavx512vbmi2 -mavx512vpopcntdq -mavx512bitalg -mavx512vnni
AVX512AMX_FLAGS = $(AVX512VBMI_FLAGS) -mamx-tile -mamx-int8
libkern_avx2_a_CFLAGS = $(AM_CFLAGS) $(AVX2_FLAGS)
libkern_avx2_a_SOURCES = %D%/x86/unroll.h %D%/x86/missing.h %D%/x86/turn.h %D%/x86/turn_codes.h %D%/x86/pair_avx2.c %D%/x86/weigh_avx2.c %D%/x86/bits_avx2.c \
	%D%/x86/rows_avx2.c %D%/x86/calls_masks.h %D%/x86/calls_avx2.c %D%/x86/scan_masks.h %D%/x86/scan_avx2.c
libkern_avx512_a_CFLAGS = $(AM_CFLAGS) $(AVX512_FLAGS)
libkern_avx512_a_SOURCES = %D%/x86/planes.h %D%/x86/planes_tile.h %D%/x86/lanes512.h %D%/x86/turn512.h %D%/x86/turn_codes_avx512.c %D%/x86/pair_avx512.c %D%/x86/weigh_planes.h %D%/x86/weigh_avx512.c %D%/x86/bits_avx512.c \
	%D%/x86/pack64.h %D%/x86/rows_avx512.c %D%/x86/calls_avx512.c %D%/x86/scan_avx512.c
libkern_avx512vbmi_a_CFLAGS = $(AM_CFLAGS) $(AVX512VBMI_FLAGS)
libkern_avx512vbmi_a_SOURCES = %D%/x86/pair_avx512vbmi.c %D%/x86/weigh_avx512vbmi.c %D%/x86/rows_avx512vbmi.c %D%/x86/bits_avx512vbmi.c
libkern_avx512amx_a_CFLAGS = $(AM_CFLAGS) $(AVX512AMX_FLAGS)
libkern_avx512amx_a_SOURCES = %D%/x86/tiles.h %D%/x86/pair_avx512amx.c
endif

libkern_a_SOURCES += %D%/sim.h %D%/ref/sim.c
if X86
libkern_avx2_a_SOURCES += %D%/x86/sim_avx2.c
libkern_avx512_a_SOURCES += %D%/x86/sim_avx512.c
endif

libkern_a_SOURCES += %D%/pi.h %D%/ref/pi.c
if X86
libkern_avx2_a_SOURCES += %D%/x86/pi_runs.h %D%/x86/pi_avx2.c
libkern_avx512_a_SOURCES += %D%/x86/pi_avx512.c
endif

libkern_a_SOURCES += %D%/ref/crc32c.c
if X86
libkern_avx2_a_SOURCES += %D%/x86/crc32c_avx2.c
endif

libkern_a_SOURCES += %D%/float_power.h %D%/ref/float.c
if X86
libkern_avx2_a_SOURCES += %D%/x86/doubles256.h %D%/x86/float_tile.h %D%/x86/float_avx2.c
libkern_avx512_a_SOURCES += %D%/x86/doubles512.h %D%/x86/float_avx512.c
endif

libkern_a_SOURCES += %D%/ref/whole.c
if X86
libkern_avx2_a_SOURCES += %D%/x86/whole_tile.h %D%/x86/whole_avx2.c
libkern_avx512_a_SOURCES += %D%/x86/whole512.h %D%/x86/whole_avx512.c
libkern_avx512vbmi_a_SOURCES += %D%/x86/whole_avx512vbmi.c
endif

libkern_a_SOURCES += %D%/ref/narrow.c
if X86
libkern_avx2_a_SOURCES += %D%/x86/narrow.h %D%/x86/narrow_avx2.c
libkern_avx512_a_SOURCES += %D%/x86/narrow_avx512.c
endif

libkern_a_SOURCES += %D%/ref/sketch.c
if X86
libkern_avx2_a_SOURCES += %D%/x86/sketch_avx2.c
libkern_avx512vbmi_a_SOURCES += %D%/x86/sketch512.h %D%/x86/sketch_avx512vbmi.c
libkern_avx512amx_a_SOURCES += %D%/x86/sketch_avx512amx.c
endif

libkern_a_SOURCES += %D%/ref/transpose.c
if X86
libkern_avx2_a_SOURCES += %D%/x86/zip.h %D%/x86/transpose.h %D%/x86/transpose_avx2.c
libkern_avx512_a_SOURCES += %D%/x86/transpose_avx512.c
endif

libkern_a_SOURCES += %D%/bits8.h %D%/ref/bits8.c
if X86
libkern_avx2_a_SOURCES += %D%/x86/bits8_avx2.c
libkern_avx512_a_SOURCES += %D%/x86/bits8_avx512.c
endif

libkern_a_SOURCES += %D%/half.h %D%/cast.h %D%/ref/cast.c
if X86
libkern_avx2_a_SOURCES += %D%/x86/cast_avx2.c
libkern_avx512_a_SOURCES += %D%/x86/cast_avx512.c
endif

libkern_a_SOURCES += %D%/ref/text.c
if X86
libkern_avx2_a_SOURCES += %D%/x86/text_whole.h %D%/x86/text_avx2.c
libkern_avx512_a_SOURCES += %D%/x86/text_avx512.c
endif

libkern_a_SOURCES += %D%/digits.h %D%/marks.h %D%/ref/marks.c
if X86
libkern_avx2_a_SOURCES += %D%/x86/scan_first_avx2.c %D%/x86/marks_avx2.c
libkern_avx512_a_SOURCES += %D%/x86/scan_first_avx512.c %D%/x86/marks_avx512.c
endif
