noinst_HEADERS += \
	%D%/calls.h \
	%D%/choices.h \
	%D%/fuzz_engine.h \
	%D%/entries.h \
	%D%/fuzz.h \
	%D%/memfile.h \
	%D%/plink_set.h
fuzz_programs += \
	%D%/fuzz_bed \
	%D%/fuzz_codec \
	%D%/fuzz_counts \
	%D%/fuzz_index \
	%D%/fuzz_meta \
	%D%/fuzz_npy \
	%D%/fuzz_pgen \
	%D%/fuzz_plink \
	%D%/fuzz_records \
	%D%/fuzz_store \
	%D%/fuzz_tar \
	%D%/fuzz_vcf \
	%D%/fuzz_vcz \
	%D%/fuzz_zip
%C%_fuzz_bed_SOURCES = %D%/fuzz_bed.c %D%/drive.c
%C%_fuzz_codec_SOURCES = %D%/fuzz_codec.c %D%/drive.c
%C%_fuzz_counts_SOURCES = %D%/fuzz_counts.c %D%/drive.c
%C%_fuzz_index_SOURCES = %D%/fuzz_index.c %D%/drive.c
%C%_fuzz_meta_SOURCES = %D%/fuzz_meta.c %D%/drive.c
%C%_fuzz_npy_SOURCES = %D%/fuzz_npy.c %D%/drive.c
%C%_fuzz_pgen_SOURCES = %D%/fuzz_pgen.c %D%/drive.c
%C%_fuzz_plink_SOURCES = %D%/fuzz_plink.c %D%/drive.c
%C%_fuzz_records_SOURCES = %D%/fuzz_records.c %D%/drive.c %D%/calls.c
%C%_fuzz_store_SOURCES = %D%/fuzz_store.c %D%/drive.c %D%/entries.c
%C%_fuzz_tar_SOURCES = %D%/fuzz_tar.c %D%/drive.c
%C%_fuzz_vcf_SOURCES = %D%/fuzz_vcf.c %D%/drive.c
%C%_fuzz_vcz_SOURCES = %D%/fuzz_vcz.c %D%/drive.c %D%/entries.c
%C%_fuzz_zip_SOURCES = %D%/fuzz_zip.c %D%/drive.c
