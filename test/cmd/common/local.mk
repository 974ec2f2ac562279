unit_tests += \
	%D%/t_filter_options \
	%D%/t_nomem \
	%D%/t_run_limit
test_tools += \
	%D%/sample
suites += \
	%D%/cli.bats \
	%D%/concat.bats \
	%D%/device.bats \
	%D%/device_cuda.bats \
	%D%/docs.bats \
	%D%/edges.bats \
	%D%/hints.bats \
	%D%/inputs.bats \
	%D%/man.bats \
	%D%/memory.bats \
	%D%/memory_plan.bats \
	%D%/options.bats \
	%D%/output_races.bats \
	%D%/outputs.bats \
	%D%/ploidy.bats \
	%D%/races.bats \
	%D%/ranks.bats \
	%D%/remote.bats \
	%D%/plan_graph.bats \
	%D%/plots.bats \
	%D%/progress_full.bats \
	%D%/run_report.bats \
	%D%/sample_ids.bats \
	%D%/scripts.bats \
	%D%/select.bats \
	%D%/sex.bats \
	%D%/sites_mask.bats \
	%D%/slurm.bats \
	%D%/url_outputs.bats \
	%D%/url_servers.bats \
	%D%/urls.bats \
	%D%/vcf_edges.bats
# The allocator that t_nomem preloads into the commands.
EXTRA_DIST += %D%/nomem.c
check_DATA += %D%/nomem.so
CLEANFILES += %D%/nomem.so
%D%/nomem.so: $(srcdir)/%D%/nomem.c
	$(AM_V_CCLD)$(CC) -std=gnu11 -O1 -Wall -Wextra -fPIC -shared -o $@ $(srcdir)/%D%/nomem.c
