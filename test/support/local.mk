noinst_HEADERS += \
	%D%/acc_oracle.h \
	%D%/amx_trap.h \
	%D%/bcf_copy.h \
	%D%/chain_bufs.h \
	%D%/comm_trials.h \
	%D%/clock.h \
	%D%/test_engine.h \
	%D%/geno_test.h \
	%D%/guard_page.h \
	%D%/kernel_levels.h \
	%D%/level.h \
	%D%/random.h \
	%D%/rank_threads.h \
	%D%/scratch.h \
	%D%/select_data.h \
	%D%/tap.h \
	%D%/zarr_write.h
EXTRA_DIST += \
	%D%/selection_oracle.py \
	%D%/mutants.py \
	%D%/rare_inputs.py \
	%D%/stats_oracle.py \
	%D%/svg_numbers.py \
	%D%/alleles_oracle.py \
	%D%/aws_services.py \
	%D%/bcf_bodies.py \
	%D%/bcf_borders.py \
	%D%/arm64_same.sh \
	%D%/cuda_usage.py \
	%D%/check_bats.py \
	%D%/doc_examples.py \
	%D%/fault_proxy.py \
	%D%/odd_server.py \
	%D%/hints.py \
	%D%/genotypes.bash \
	%D%/http_server.py \
	%D%/level.bash \
	%D%/said.bash \
	%D%/servers.bash \
	%D%/limit \
	%D%/mpirun.bash \
	%D%/options_data.py \
	%D%/output_crashes.sh \
	%D%/output_races.sh \
	%D%/pack_oracle.py \
	%D%/pdist.bash \
	%D%/pdist_columns.py \
	%D%/pdist_arrays.py \
	%D%/pdist_rare.py \
	%D%/pdist_trees.py \
	%D%/pgen_vcf.py \
	%D%/pgen_write.py \
	%D%/plan_peaks.py \
	%D%/plan_trials.py \
	%D%/ploidy.py \
	%D%/rank_kills.sh \
	%D%/rechunk_oracle.py \
	%D%/resume_kills.sh \
	%D%/run_suites.py \
	%D%/seconds.tsv \
	%D%/sites_mask.py \
	%D%/slurm.bash \
	%D%/store_sites.py \
	%D%/summary_counts.py \
	%D%/svd_arrays.py \
	%D%/svd_spectra.py \
	%D%/syscalls.c \
	%D%/unpack_bad.py \
	%D%/unpack_random.py \
	%D%/unpack_same.py \
	%D%/vcz_oracle.py \
	%D%/vcz_same.py \
	%D%/xarray_masks.py \
	%D%/zarr_damage.py \
	%D%/zarr_odd.py \
	%D%/zarr_readers.py \
	%D%/zarr_shards.py \
	%D%/zarr_stores.py \
	%D%/zarr_trips.py
# Preloaded into commands by output_crashes.sh and output_races.sh.
check_DATA += %D%/syscalls.so
CLEANFILES += %D%/syscalls.so
%D%/syscalls.so: $(srcdir)/%D%/syscalls.c
	$(AM_V_CCLD)$(CC) -std=gnu11 -O1 -Wall -Wextra -fPIC -shared -o $@ $(srcdir)/%D%/syscalls.c

# What stands for CUDA's libraries in tests of the CUDA module.
cuda_mock_sources = \
	%D%/cuda_mock/build \
	%D%/cuda_mock/mock.h \
	%D%/cuda_mock/mock_blas.c \
	%D%/cuda_mock/mock_control.c \
	%D%/cuda_mock/mock_kernels.c \
	%D%/cuda_mock/mock_kernels.h \
	%D%/cuda_mock/mock_memory.c \
	%D%/cuda_mock/mock_queue.c \
	%D%/cuda_mock/mock_runtime.c \
	%D%/cuda_mock/mock_solver.c
EXTRA_DIST += $(cuda_mock_sources)
if CUDA
cuda_mock = %D%/cuda_mock/made
check_DATA += $(cuda_mock)
endif
CLEANFILES += %D%/cuda_mock/made %D%/cuda_mock/lib*.so.* %D%/cuda_mock/*.map
%D%/cuda_mock/made: gt-cuda.so $(cuda_mock_sources)
	$(AM_V_GEN)$(srcdir)/%D%/cuda_mock/build gt-cuda.so $(srcdir) %D%/cuda_mock $(NVCC) $(LAPACK_LIBS) && touch $@
