__author__ = "The gt-utils authors"
__copyright__ = "Copyright 2026, The gt-utils authors"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
memory = snakemake.resources.get("mem_mb")
limits = f"-@ {snakemake.threads}" + (f" --memory {memory}MB" if memory else "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
output = " ".join(
    f"{option} {path}"
    for option, path in (
        ("-o", snakemake.output.get("matrix")),
        ("--tree", snakemake.output.get("tree")),
        ("--plot", snakemake.output.get("plot")),
    )
    if path
)

shell("gt-pdist {limits} {extra} {output} {snakemake.input} {log}")
