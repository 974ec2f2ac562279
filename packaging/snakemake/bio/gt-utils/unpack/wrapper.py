__author__ = "The gt-utils authors"
__copyright__ = "Copyright 2026, The gt-utils authors"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
memory = snakemake.resources.get("mem_mb")
limits = f"-@ {snakemake.threads}" + (f" --memory {memory}MB" if memory else "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)

shell("gt-unpack {limits} --force {extra} {snakemake.input} -o {snakemake.output[0]} {log}")
