"""vcz_same.py A B: do two VCF Zarr stores have the same arrays, types and values, in whatever chunks?"""
import sys

import numpy as np
import zarr

a, b = (zarr.open_group(name, mode="r") for name in sys.argv[1:])
skip = {"region_index"}
if set(a.array_keys()) - skip != set(b.array_keys()) - skip:
    sys.exit(f"arrays differ: {set(a.array_keys()) ^ set(b.array_keys())}")
for name in sorted(set(a.array_keys()) - skip):
    x, y = a[name], b[name]
    if x.dtype != y.dtype or x.shape != y.shape or x.attrs.asdict() != y.attrs.asdict():
        sys.exit(f"{name}: {x.dtype} {x.shape} {x.attrs.asdict()}, and {y.dtype} {y.shape} {y.attrs.asdict()}")
    u, v = x[:], y[:]
    if u.dtype == np.float32:
        u, v = u.view(np.uint32), v.view(np.uint32)
    if not np.array_equal(u, v):
        sys.exit(f"{name}: values differ")
