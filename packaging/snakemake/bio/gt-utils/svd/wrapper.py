__author__ = "The gt-utils authors"
__copyright__ = "Copyright 2026, The gt-utils authors"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
memory = snakemake.resources.get("mem_mb")
limits = f"-@ {snakemake.threads}" + (f" --memory {memory}MB" if memory else "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
model, plot = snakemake.input.get("model"), snakemake.output.get("plot")
prefix = snakemake.output.eigenvec.removesuffix(".eigenvec")
options = (f"--project {model} " if model else "") + (f"--plot {plot}" if plot else "")

shell("gt-svd {limits} {extra} {options} {snakemake.input.data} -o {prefix} {log}")
