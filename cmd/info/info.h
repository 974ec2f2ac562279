/* Inside gt-info. */
#ifndef GT_CMD_INFO_H
#define GT_CMD_INFO_H

#include <json-c/json.h>
#include <string.h>

#include "arrays/matrix/matrix.h"
#include "arrays/zarr/group.h"
#include "cmd/common/cli.h"
#include "core/base/outfile.h"
#include "core/base/str.h"
#include "storage/store/store.h"
#include "storage/text/text_file.h"

/* An array of the store, with what is stored of it. */
struct info_array {
    char *path;             /* from the store's root */
    struct gt_array *array; /* NULL: its metadata cannot be used, and `fault` says why */
    char *fault;
    bool unsupported;        /* the fault: it is of a kind that is not read */
    int zarr_format;         /* of an array that is the root, also where its metadata cannot be used; else 0 */
    int64_t chunks, present; /* of the grid; stored */
    int64_t bytes;           /* stored */
    int64_t empty, foreign;  /* chunks without a byte; keys below the array that are no chunks of it */
};

struct info_store {
    struct gt_store *store;
    struct gt_group *root;   /* NULL when the root is an array */
    char *root_fault;        /* its metadata cannot be used, and this says why; NULL: they can */
    struct gt_strs orphans;  /* keys that are chunks of no array */
    struct gt_strs unlisted; /* folders that cannot be read, with the cause (gt_store.unlisted) */
    const char *inner;       /* what of the store was asked for, "" for all */
    bool damaged;            /* faults of single values are listed and do not end the command (info_is_of_value) */
    struct gt_node *groups;
    size_t n_groups;
    struct info_array *arrays;
    size_t n_arrays;
    struct gt_names *index; /* path -> number in arrays */
    struct gt_engine *engine;
    bool json;           /* the listing will be a tree */
    int64_t counted;     /* in the engine's budget: what is listed of arrays and groups */
    bool listed;         /* the store can list its keys: what is stored of arrays is known, and */
    int64_t bytes, keys; /* of the whole store */
};

/* A fault of one value of the store, damaged or unreadable; otherwise of the machine, or of the whole store. */
bool info_is_of_value(const struct gt_store *store, const struct gt_err *why);

/* Reads all metadata below inner.  sizes: lists the keys as well (a stream is read to its end).  damaged: metadata and folders that
 * cannot be used or read are no failure; if the root group's cannot, arrays are looked for in the store's keys. */
int info_store_open(struct info_store *info, struct gt_cli *cli, struct gt_input *input, bool sizes, bool damaged, struct gt_err *err);
void info_store_release(struct info_store *info);

/* Is `path` inner itself, or below it? */
static inline bool info_is_below(const char *path, const char *inner)
{
    size_t n = strlen(inner);
    return n == 0 || (strncmp(path, inner, n) == 0 && (path[n] == 0 || path[n] == '/'));
}

/* The listing of a store, as text or JSON (NULL when memory is out). */
void info_store_text(const struct info_store *info, const char *name, struct gt_str *out);
struct json_object *info_store_json(const struct info_store *info, const char *name);

/* --check: every chunk there and decodable.  Damage is GT_INPUT; *reported: what was
 * found stands in `out`, all of it. */
/* Is there memory for it? */
int info_check_plan(struct gt_cli *cli, const struct info_store *info, const char *path, bool deep, struct gt_err *err);
int info_check(struct gt_cli *cli, struct info_store *info, const char *path, bool deep, struct gt_outfile *out, bool *reported,
               struct gt_err *err);
/* The same of a VCF, a BCF or a .bed, of which *input may be taken over.  What is wrong
 * with it is GT_INPUT. */
int info_check_file(struct gt_cli *cli, const char *name, struct gt_input *input, struct gt_outfile *out, bool *reported,
                    struct gt_err *err);
/* The share of memory that reading it takes, at least `least` bytes, settled and granted. */
struct gt_source;
int info_allot_reading(const struct gt_cli *cli, struct gt_source *source, int64_t least, struct gt_err *err);
/* --head N: the first values along the first axis, of numbers, and of what is none: texts, complex numbers, times. */
int info_head_numbers(const struct gt_cli *cli, struct gt_matrix *matrix, int64_t n, struct gt_outfile *out, struct gt_err *err);
void info_add_item(struct gt_str *out, const struct gt_dtype *dtype, const uint8_t *item);
int info_head_items(struct gt_cli *cli, struct gt_array *array, int64_t n, struct gt_outfile *out, struct gt_err *err);
/* What a .npy is, or with head >= 0 its first rows.  Takes over *input. */
int info_npy(struct gt_cli *cli, struct gt_input *input, const char *array, int64_t head, struct gt_outfile *out, struct gt_err *err);
/* --stats of samples or of variants.  groups: --groups FILE, or NULL. */
int info_stats(struct gt_cli *cli, bool of_samples, const char *groups, struct gt_outfile *out, struct gt_err *err);

/* The document and a newline; frees it.  NULL: memory ran out when it was made. */
int info_write_json(struct gt_outfile *out, struct json_object *obj, struct gt_err *err);

#endif
