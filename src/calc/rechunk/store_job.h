/* A store, or one array of it, into a new store.
 *
 * What slices, orders and types are about is the main array: the one that was named, else the genotypes of
 * the group (packed_dosage, call_genotype, calldata/GT or call_dosage), else the only array.  Other arrays
 * follow: an axis of the same name and length is sliced as the main array's is, and arrays
 * that have no other axes than the main array get the same order of them. */
#ifndef GT_CALC_RECHUNK_STORE_H
#define GT_CALC_RECHUNK_STORE_H

#include "arrays/zarr/group.h"
#include "calc/rechunk/axes.h"
#include "calc/rechunk/index_list.h"
#include "calc/rechunk/rechunk.h"
#include "geno/model/select_opts.h"

/* Of the main array, where it has genotypes: packed, dosages as numbers, or calls, unphased, of two alleles. */
enum gt_rechunk_layout { GT_LAYOUT_AS_IS, GT_LAYOUT_PACKED, GT_LAYOUT_PLAIN, GT_LAYOUT_CALLS };

struct gt_rechunk_opts {
    const char *chunks, *shard;          /* lengths as rechunk_axes.h says, by the output's axes; NULL = as they are, none */
    int64_t chunk_bytes;                 /* of chunks whose lengths are "auto" */
    const char *slice;                   /* of the main array, see base/slice.h; or "AXIS=SLICE,...": of all arrays that have the axes */
    const char *pick;                    /* "AXIS:FILE,...": of axes of the main array, by name or number, the items that
                                            calc/pick.h reads; names that it has not, or without a main array: of all arrays that have the axes */
    const struct gt_select_opts *select; /* NULL, or samples and regions alone: of the main array's axes of these names */
    const char *selected_by;             /* its option, for messages; NULL: none was given */
    bool transpose;                      /* the axes that are left the other way round, */
    const char *order;                   /* or in this order: names or numbers; NULL */
    const char *reduce; /* "OP:AXES" or "OP": see calc/fold.h, of axes as they are ordered; the main array comes alone; NULL */
    bool skip_missing;  /* reduce leaves out NaN and what xarray takes for missing (zarr/mask.h); of packed genotypes missing ones */
    bool drop_empty;    /* chunks of fill values alone are not written, if there is such a value; GT_USAGE for genotypes */
    int type;           /* enum gt_type; -1 = as it is */
    bool wrap;          /* see gt_rechunk_new */
    bool no_update;     /* variant_AC, AN and AF stay where some samples are selected */
    const char *codec;  /* NULL = as it is, where the format has it */
    int zarr_format;    /* 0 = as it is */
    enum gt_rechunk_layout layout;
    bool npy; /* the main array alone, for out/npy_store.h; chunks, shard, codec, zarr_format: not given */
    const char *history;
};

/* Items of an axis in all arrays that have one of this name. */
struct gt_named_axis {
    char *name;
    int64_t length; /* in all of them */
    struct gt_slice slice;
    struct gt_index_list pick;
    bool picked; /* rather than sliced */
};

struct gt_rechunk_job {
    struct gt_array *source, *array; /* read; written; owned */
    struct gt_rechunk_end from, to;
    struct gt_matrix_view view;
    enum gt_item_layout beside; /* of an array that stands next to calls that are made of dosages; GT_ITEMS_PLAIN: it is none */
    int64_t units, decodes, chunks, spilled, peak, minimum; /* of its plan, as is the way */
    enum gt_rechunk_way way;
    bool image; /* listed in `multiscales` of OME-Zarr */
};

struct gt_rechunk_store {
    struct gt_engine *engine;
    struct gt_rechunk_opts opts;
    struct gt_group *group; /* NULL: an array alone */
    struct gt_rechunk_job *job;
    size_t n_jobs, cap_jobs;
    int64_t counted;                        /* in the engine's budget, for jobs */
    int64_t main;                           /* number of the job, -1 = there is none */
    struct gt_index_list pick[GT_MAX_DIMS]; /* of the main array's axes */
    bool picked[GT_MAX_DIMS];
    struct gt_slice slice[GT_MAX_DIMS]; /* of the main array's axes */
    struct gt_named_axis *named;
    size_t n_named, cap_named;
    const struct gt_reduction *reduction; /* NULL: --reduce was not given */
    bool skip_nan;                        /* it ignores NaN, but not other missing values */
    struct gt_lengths chunks, shard;
    int zarr_format;
    int64_t memory;               /* of each job */
    struct gt_store *marks;       /* in memory: the array that mark_multiallelic adds; NULL: none */
    struct gt_group_spec *groups; /* of the output; paths are owned */
    size_t n_groups, cap_groups;
    bool dropped_index;                /* region_index, which is of other chunks, is left out */
    bool dropped_counts;               /* variant_AC, AN or AF, which are of all samples, is left out */
    const char *undropped;             /* of an array that keeps all chunks under drop_empty, as its output has no fill value; NULL */
    const char *missing_reduced;       /* of an array whose missing values a reduction takes as numbers; NULL: there is none */
    int64_t bytes_read, bytes_written; /* of chunks, as stored: once it ran, */
    int64_t chunks_kept, bytes_kept;   /* and those that a run before it had written */
    struct gt_strs notes;              /* names in options that are not there, see geno/model/absent.h */
};

/* With several ranks (engine->comm) both functions below are collective.  Chunks of each array are dealt to them; rank 0 puts metadata.
 * Figures of jobs and of the store are sums over ranks; memory, on rank 0, is that of the rank that needs most. */
/* Plans all that is to be done with the array or the group at `path`; the source is
 * borrowed.  Errors as gt_rechunk_new, and GT_USAGE for options that do not suit. */
int gt_rechunk_store_open(struct gt_rechunk_store *store, struct gt_engine *engine, struct gt_store *source, const char *path,
                          const struct gt_rechunk_opts *opts, struct gt_err *err);
/* Puts all of it; the caller finishes `to`.  stream: metadata come first.  Once only. */
int gt_rechunk_store_run(struct gt_rechunk_store *store, struct gt_store *to, bool stream, struct gt_err *err);
void gt_rechunk_store_release(struct gt_rechunk_store *store); /* safe on a zeroed struct, and after a failed open */

/* --- rechunk_picks.c: inside --- */

/* Reads what opts.pick says, and finds what opts.select does; before memory is planned. */
int gt_rechunk_index_lists_read(struct gt_rechunk_store *store, struct gt_err *err);
/* Into the main array's view, which is sliced. */
int gt_rechunk_index_lists_set(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err);
/* named_axes.c: is --slice by names of axes? */
bool gt_rechunk_slice_is_named(const char *slice);
/* Reads such a slice, or a list of --pick. */
int gt_rechunk_named_slices(struct gt_rechunk_store *store, struct gt_err *err);
int gt_rechunk_named_pick(struct gt_rechunk_store *store, const struct gt_index_list_arg *part, struct gt_err *err);
/* Into a job's view; and, of a group without a main array, the order of its axes. */
int gt_rechunk_named_set(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err);
int gt_rechunk_named_order(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err);
/* xarray finds the coordinate of an axis that was sliced to one index in the attribute `coordinates` of arrays that had the axis. */
int gt_rechunk_named_coordinates(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job, struct json_object *attrs,
                                 struct gt_err *err);
void gt_rechunk_named_release(struct gt_rechunk_store *store);
/* ome_axes.c: names of axes from `multiscales`, once all arrays are known; GT_USAGE if an array's view contradicts them. */
int gt_rechunk_ome_axes(struct gt_rechunk_store *store, struct gt_err *err);
int gt_rechunk_ome_check(const struct gt_rechunk_job *job, struct gt_err *err);
/* rechunk_select.c: samples and sites, as picks. */
int gt_rechunk_select(struct gt_rechunk_store *store, struct gt_err *err);
void gt_rechunk_index_lists_release(struct gt_rechunk_store *store);

/* --- inside: rechunk_store.c --- */

/* VCF Zarr's. */
#define GT_CALLS_ARRAY "call_genotype"
#define GT_CALLS_MASK_ARRAY "call_genotype_mask"
#define GT_PHASED_ARRAY "call_genotype_phased"

/* Takes the array over. */
int gt_rechunk_job_add(struct gt_rechunk_store *store, struct gt_array *array, struct gt_err *err);
/* A path of the store as the group has it that is copied. */
const char *gt_rechunk_in_group(const struct gt_rechunk_store *store, const char *path);

/* --- rechunk_layout.c: inside --- */

/* What the main array's items are, and which arrays there are, by opts.layout: once, before views are made. */
int gt_rechunk_layout_set(struct gt_rechunk_store *store, struct gt_err *err);
/* multiallelic.c: of the group of the main array.  Does it mark variants with several ALTs (geno/model/packed.h)? */
bool gt_rechunk_has_mark(const struct gt_rechunk_store *store);
/* GT_INPUT: it has variants with several ALTs, or is a stream that may have some. */
int gt_rechunk_check_biallelic(const struct gt_rechunk_store *store, struct gt_err *err);
/* Adds a job for the mark if the output is a packed store that needs one, and the group has none.  GT_USAGE: it lacks other arrays of such
 * a store, or has the name for something else; GT_INPUT as above. */
int gt_rechunk_mark_multiallelic(struct gt_rechunk_store *store, struct gt_err *err);

/* --- rechunk_view.c: inside --- */

bool gt_rechunk_is_main(const struct gt_rechunk_store *store, const struct gt_rechunk_job *job);
/* Of the array's axis number `axis`; NULL: it has none. */
const char *gt_rechunk_axis_name(const struct gt_rechunk_job *job, int axis);
/* Several axes of an array may have one name, as those of a covariance matrix. */
bool gt_rechunk_axis_is_named(const struct gt_rechunk_job *job, int axis, const char *text, size_t n);
/* The number of the array's (first) axis that a text of n bytes means, by its name or its number; -1: none. */
int gt_rechunk_axis_of_name(const struct gt_rechunk_job *job, const char *text, size_t n);
int gt_rechunk_job_axis(const struct gt_rechunk_job *job, const char *text, size_t n);

/* The job's view, that of the main one before the others'; */
int gt_rechunk_job_view(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err);
/* array_job.c: and its output array and plan. */
int gt_rechunk_job_make(struct gt_rechunk_store *store, struct gt_rechunk_job *job, struct gt_err *err);
/* The part of this rank; *out NULL: there is none. */
int gt_rechunk_job_open(struct gt_rechunk **out, const struct gt_rechunk_store *store, const struct gt_rechunk_job *job,
                        struct gt_err *err);

#endif
