libgt_a_SOURCES += \
	%D%/cast.c \
	%D%/matrix.c \
	%D%/matrix.h \
	%D%/matrix_impl.h \
	%D%/npy_array.c \
	%D%/npy_header.c \
	%D%/npy_store.c \
	%D%/npy_store.h \
	%D%/view.c \
	%D%/view.h \
	%D%/zarr_array.c
