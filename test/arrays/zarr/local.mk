unit_tests += \
	%D%/t_interop \
	%D%/t_parts \
	%D%/t_region \
	%D%/t_zarr \
	%D%/t_zarr_data
%C%_t_region_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc
