dist_man_MANS += \
	%D%/gt-cluster.7 \
	%D%/gt-info.1 \
	%D%/gt-pack.1 \
	%D%/gt-packed.5 \
	%D%/gt-pdist.1 \
	%D%/gt-pi.1 \
	%D%/gt-rechunk.1 \
	%D%/gt-sim.1 \
	%D%/gt-stream.5 \
	%D%/gt-svd.1 \
	%D%/gt-unpack.1 \
	%D%/gt-utils.7 \
	%D%/gt-zarr.5
