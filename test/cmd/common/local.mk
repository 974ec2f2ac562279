unit_tests += \
	%D%/t_filter_options \
	%D%/t_formats \
	%D%/t_nomem \
	%D%/t_progress \
	%D%/t_run_limit
test_tools += \
	%D%/sample
suites += \
	%D%/borders.bats \
	%D%/cli.bats \
	%D%/completions.bats \
	%D%/concat.bats \
	%D%/defaults.bats \
	%D%/device.bats \
	%D%/device_cuda.bats \
	%D%/docs.bats \
	%D%/edges.bats \
	%D%/hints.bats \
	%D%/inputs.bats \
	%D%/lists.bats \
	%D%/man.bats \
	%D%/memory.bats \
	%D%/memory_plan.bats \
	%D%/odd_types.bats \
	%D%/options.bats \
	%D%/output_races.bats \
	%D%/outputs.bats \
	%D%/packaging.bats \
	%D%/plan_peaks.bats \
	%D%/ploidy.bats \
	%D%/races.bats \
	%D%/ranks.bats \
	%D%/rare_branches.bats \
	%D%/rare_inputs.bats \
	%D%/rare_settings.bats \
	%D%/notes.bats \
	%D%/messages.bats \
	%D%/refusals.bats \
	%D%/remote.bats \
	%D%/plan_graph.bats \
	%D%/plots.bats \
	%D%/python_module.bats \
	%D%/plots_edges.bats \
	%D%/progress_full.bats \
	%D%/report_ranks.bats \
	%D%/run_report.bats \
	%D%/absent.bats \
	%D%/sample_ids.bats \
	%D%/scripts.bats \
	%D%/select.bats \
	%D%/selection.bats \
	%D%/sex.bats \
	%D%/sites_mask.bats \
	%D%/summaries.bats \
	%D%/slurm.bats \
	%D%/usage.bats \
	%D%/url_outputs.bats \
	%D%/url_ranks.bats \
	%D%/url_servers.bats \
	%D%/urls.bats \
	%D%/vcf_edges.bats
# The allocator that t_nomem preloads into the commands.
EXTRA_DIST += %D%/nomem.c
check_DATA += %D%/nomem.so
CLEANFILES += %D%/nomem.so
%D%/nomem.so: $(srcdir)/%D%/nomem.c
	$(AM_V_CCLD)$(CC) -std=gnu11 -O1 -Wall -Wextra -fPIC -shared -o $@ $(srcdir)/%D%/nomem.c
