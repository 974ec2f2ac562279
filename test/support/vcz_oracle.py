"""vcz_oracle.py OURS THEIRS, or --vcf or --local-alleles FILE OURS ..., which has bio2zarr convert each FILE: compares two VCF Zarr
stores array by array: names, types, dimensions, descriptions, values bit for bit.  Prints a line for each
difference; exit status 1 if there is one."""
import logging
import os
import sys
import tempfile

import numpy as np
import zarr

# What is said elsewhere, or in other chunks: our index is as fine as our chunks, and always of 32 bits.
SKIP = {"region_index"}


def dims(a):
    d = a.metadata.dimension_names if a.metadata.zarr_format == 3 else a.attrs.asdict().get("_ARRAY_DIMENSIONS")
    return list(d or [])


def bits(x):
    return x.view(np.uint32) if x.dtype == np.float32 else x


def show(x):
    return np.array2string(x, threshold=8) if isinstance(x, np.ndarray) else str(x)


def compare(ours, theirs):
    a, b = zarr.open_group(ours, mode="r"), zarr.open_group(theirs, mode="r")
    found = []
    names_a, names_b = set(a.array_keys()) - SKIP, set(b.array_keys()) - SKIP
    found += [f"{n}: is not there" for n in sorted(names_b - names_a)]
    found += [f"{n}: is not in the other" for n in sorted(names_a - names_b)]
    for n in sorted(names_a & names_b):
        x, y = a[n], b[n]
        if x.dtype != y.dtype:
            found.append(f"{n}: type {x.dtype}, not {y.dtype}")
        if x.shape != y.shape:
            found.append(f"{n}: shape {x.shape}, not {y.shape}")
            continue
        if dims(x) != dims(y):
            found.append(f"{n}: dimensions {dims(x)}, not {dims(y)}")
        if x.attrs.get("description", "") != y.attrs.get("description", ""):
            found.append(f"{n}: description {x.attrs.get('description')!r}, not {y.attrs.get('description')!r}")
        if 0 in x.shape:
            continue
        u, v = bits(x[:]), bits(y[:])
        if not np.array_equal(u, v):
            at = tuple(np.argwhere(u != v)[0])
            found.append(f"{n}: {np.sum(u != v)} values differ, the first at {tuple(map(int, at))}: {u[at]!r}, not {v[at]!r}")
    ma = [list(p) for p in a.attrs.get("vcf_meta_information", [])]
    mb = [list(p) for p in b.attrs.get("vcf_meta_information", [])]
    if ma != mb:
        found.append(f"vcf_meta_information: {ma[:3]}, not {mb[:3]}")
    return found


def with_bio2zarr(vcf, ours, local_alleles):
    from bio2zarr import vcf as convert

    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as d:
        try:
            convert.convert([vcf], os.path.join(d, "vcz"), worker_processes=0, local_alleles=local_alleles, ploidy=2 if local_alleles else None)
        except Exception as e:
            if not local_alleles:
                raise
            return [f"bio2zarr: {type(e).__name__}: {e}"]
        return compare(ours, os.path.join(d, "vcz"))


if __name__ == "__main__":
    if sys.argv[1] in ("--vcf", "--local-alleles"):
        files = sys.argv[2:]
        pairs = list(zip(files[::2], files[1::2]))
        differences = [f"{os.path.basename(vcf)}: {d}" for vcf, ours in pairs for d in with_bio2zarr(vcf, ours, sys.argv[1] != "--vcf")]
    else:
        differences = compare(*sys.argv[1:])
    print("\n".join(differences), end="\n" if differences else "")
    sys.exit(1 if differences else 0)
