suites += \
	%D%/pdist.bats \
	%D%/pdist_alleles.bats \
	%D%/pdist_array_job.bats \
	%D%/pdist_arrays.bats \
	%D%/pdist_candidates.bats \
	%D%/pdist_files.bats \
	%D%/pdist_haplotypes.bats \
	%D%/pdist_missing.bats \
	%D%/pdist_other.bats \
	%D%/pdist_plink.bats \
	%D%/pdist_ranks.bats \
	%D%/pdist_related.bats \
	%D%/pdist_scale.bats \
	%D%/pdist_table.bats \
	%D%/pdist_variants.bats
