check_PROGRAMS += %D%/t_zarr %D%/t_zarr_data %D%/t_region %D%/t_parts
%C%_t_parts_SOURCES = %D%/t_parts.c %D%/zarr_write.h
%C%_t_parts_LDADD = $(TEST_LIBS)
%C%_t_zarr_SOURCES = %D%/t_zarr.c %D%/zarr_write.h
%C%_t_zarr_LDADD = $(TEST_LIBS)
%C%_t_zarr_data_SOURCES = %D%/t_zarr_data.c
%C%_t_zarr_data_LDADD = $(TEST_LIBS)
%C%_t_region_SOURCES = %D%/t_region.c %D%/zarr_write.h
%C%_t_region_LDADD = $(TEST_LIBS)
%C%_t_region_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc
TESTS += %D%/t_zarr %D%/t_zarr_data %D%/t_region %D%/t_parts
dist_check_SCRIPTS += %D%/zarr_reader.bats %D%/info.bats %D%/whole.bats %D%/codecs.bats %D%/zarr_readers.bats %D%/urls.bats %D%/zarr_odd.bats
EXTRA_DIST += %D%/zarr_stores.py %D%/zarr_trips.py %D%/zarr_damage.py %D%/zarr_odd.py %D%/zarr_readers.py
if HAVE_BATS
TESTS += %D%/zarr_reader.bats %D%/info.bats %D%/whole.bats %D%/codecs.bats %D%/zarr_readers.bats %D%/urls.bats %D%/zarr_odd.bats
endif
