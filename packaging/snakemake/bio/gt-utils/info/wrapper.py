__author__ = "The gt-utils authors"
__copyright__ = "Copyright 2026, The gt-utils authors"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
memory = snakemake.resources.get("mem_mb")
limits = f"-@ {snakemake.threads}" + (f" --memory {memory}MB" if memory else "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
plot = snakemake.output.get("plot")
output = f"--plot {plot}" if plot else f"-o {snakemake.output[0]}"

shell("gt-info {limits} {extra} {output} {snakemake.input} {log}")
