suites += \
	%D%/rechunk.bats \
	%D%/rechunk_datasets.bats \
	%D%/rechunk_kept.bats \
	%D%/rechunk_npy.bats \
	%D%/rechunk_pick.bats \
	%D%/rechunk_preserves.bats \
	%D%/rechunk_ranks.bats \
	%D%/zarr_readers.bats
