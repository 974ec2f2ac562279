libgt_a_SOURCES += \
	%D%/array_svd.c \
	%D%/array_svd.h \
	%D%/array_svd_internal.h \
	%D%/array_svd_krylov.c \
	%D%/array_svd_verify.c \
	%D%/chunk_pin.c \
	%D%/chunk_pin.h \
	%D%/column_means.c \
	%D%/fixed_point.c \
	%D%/fixed_point.h \
	%D%/matmul_pass.c \
	%D%/matmul_pass.h \
	%D%/matmul_pass_int.c \
	%D%/matmul_pass_int.h \
	%D%/small_int_rows.c \
	%D%/small_int_rows.h \
	%D%/svd_compressed.c \
	%D%/svd_files.c \
	%D%/svd_files.h \
	%D%/svd_tsqr.c \
	%D%/svd_zarr.c \
	%D%/svd_zarr.h
