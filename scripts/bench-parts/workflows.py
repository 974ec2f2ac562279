"""One step of scripts/bench-parts/workflows.sh as users of dask and sgkit write it: workflows.py STEP THREADS"""
import sys
import warnings

warnings.filterwarnings("ignore")
import dask
import dask.array as da
import numpy as np

step, threads = sys.argv[1], int(sys.argv[2])
dask.config.set(scheduler="threads", num_workers=threads)


def second_alleles():
    return da.from_zarr("ag.vcz/call_genotype")[:, :, 1].T.rechunk((-1, 10000))


def map_reduce(x):
    """Of each chunk the sums of squared differences of all pairs, by a matrix product; then the sum over chunks."""

    def of_chunk(block):
        b = block.astype(np.float32)
        n = (b * b).sum(axis=1)
        return (n[:, None] + n[None, :] - 2 * (b @ b.T))[None]

    shape = (1, x.shape[0], x.shape[0])
    parts = [da.from_delayed(dask.delayed(of_chunk)(block), shape, np.float32) for block in x.to_delayed().ravel()]
    return da.sqrt(da.maximum(da.concatenate(parts).sum(axis=0), 0))


def pi(xy):
    return 4 * ((xy**2).sum(axis=-1) < 1).mean()


if step == "sgkit":
    from sgkit import pairwise_distance

    np.save("theirs.npy", pairwise_distance(second_alleles(), metric="euclidean").compute())
elif step == "map-reduce":
    np.save("theirs.npy", map_reduce(second_alleles()).compute())
elif step.startswith("pi-"):
    points, chunks = int(float(step.split("-")[1]) / 16), int(step.split("-")[2])
    if chunks == 1:
        print(pi(np.random.uniform(0, 1, (points, 2))))
    else:
        print(pi(da.random.uniform(0, 1, (points, 2), chunks=(points // chunks, 2))).compute())
elif step == "svd":
    u, s, v = da.linalg.svd(da.from_zarr("tall.zarr"))
    da.to_zarr(u, "theirs.zarr", overwrite=True)
    np.save("theirs.npy", s.compute())
elif step == "compressed":
    u, s, v = da.linalg.svd_compressed(da.from_zarr("wide.zarr").astype(np.float32), k=10, compute=True)
    np.save("theirs.npy", s.compute())
elif step == "mean":
    np.save("theirs.npy", da.from_zarr("wide.zarr").mean(axis=0).compute())
elif step == "slice":
    da.to_zarr(da.from_zarr("wide.zarr")[::10, ::-1], "theirs.zarr", overwrite=True)
elif step == "fancy":
    da.to_zarr(da.from_zarr("wide.zarr")[np.loadtxt("rows.txt", dtype=int)].rechunk((1000, -1)), "theirs.zarr", overwrite=True)
elif step == "transpose":
    da.to_zarr(da.from_zarr("wide.zarr").T.rechunk((-1, 1000)), "theirs.zarr", overwrite=True)
elif step == "rechunk":
    da.to_zarr(da.from_zarr("wide.zarr").rechunk((-1, 50)), "theirs.zarr", overwrite=True)
else:
    sys.exit("no step " + step)
