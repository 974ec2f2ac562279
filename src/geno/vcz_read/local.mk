libgt_a_SOURCES += \
	%D%/vcz_reader.h \
	%D%/zarr_alts.c \
	%D%/zarr_calls.c \
	%D%/zarr_calls.h \
	%D%/zarr_chunks.c \
	%D%/zarr_fields.c \
	%D%/zarr_mean_alleles.c \
	%D%/zarr_no_genotypes.c \
	%D%/zarr_open.c \
	%D%/zarr_ploidy.c \
	%D%/zarr_ploidy.h \
	%D%/zarr_reader.c \
	%D%/zarr_reader.h \
	%D%/zarr_record_fill.c \
	%D%/zarr_records.c \
	%D%/zarr_recount.c \
	%D%/zarr_records.h \
	%D%/zarr_region.c \
	%D%/zarr_row_select.c \
	%D%/zarr_sites.c \
	%D%/zarr_sites_store.c \
	%D%/zarr_tables.c \
	%D%/zarr_task.c
