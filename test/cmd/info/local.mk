suites += \
	%D%/codecs.bats \
	%D%/damaged_stores.bats \
	%D%/info.bats \
	%D%/listing.bats \
	%D%/stats.bats \
	%D%/stats_columns.bats \
	%D%/store_sites.bats \
	%D%/zarr_odd.bats \
	%D%/zarr_reader.bats
