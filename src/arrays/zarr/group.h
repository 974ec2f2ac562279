/* Groups: what stands in a hierarchy, and writing a new one. */
#ifndef GT_ZARR_GROUP_H
#define GT_ZARR_GROUP_H

#include "arrays/zarr/array.h"
#include "core/base/str.h"

struct gt_node {
    char *path; /* from the group that was opened, "" for itself */
    bool is_array;
    int zarr_format;
};

/* A group opened for reading.  Consolidated metadata (.zmetadata, or v3 inline)
 * is used when present, never required. */
struct gt_group {
    struct gt_store *store; /* borrowed */
    char *path;             /* "" for the root */
    int zarr_format;
    struct json_object *attrs;        /* owned */
    struct json_object *consolidated; /* of the document; NULL when there is none */
    struct json_object *document;     /* owned: what consolidated stands in */
};

/* GT_NOENT when path is no group. */
int gt_group_open(struct gt_group **out, struct gt_store *store, const char *path, struct gt_err *err);
/* The root of a store whose metadata cannot be used: no attributes, nothing consolidated. */
int gt_group_bare(struct gt_group **out, struct gt_store *store, struct gt_err *err);
void gt_group_free(struct gt_group *group);
/* The metadata is that of the beginning of a stream (gt_stream: {provisional:
 * true} in the root's attributes), which the end was to replace. */
bool gt_group_provisional(const struct gt_group *group);
/* Array below the group (name may hold '/'), GT_NOENT when there is none.  Consolidated metadata are not believed
 * where they lack it, but for a stream, and for a store that cannot list: there each question takes its time. */
int gt_group_array(struct gt_group *group, const char *name, struct gt_array **out, struct gt_err *err);
/* What consolidated metadata list is going to be asked for as documents (gt_group_document): a store that is far
 * away gets them side by side. */
int gt_group_expect_documents(struct gt_group *group, struct gt_err *err);
/* These arrays are going to be looked for, the same. */
int gt_group_expect_arrays(struct gt_group *group, const char *const *names, size_t n, struct gt_err *err);
/* And the values of these, which are read whole: of those that consolidated metadata list and that are small. */
int gt_group_expect_values(struct gt_group *group, const char *const *names, size_t n, struct gt_err *err);
/* A metadata document of the store itself, "variant_id/.zarray", whatever consolidated
 * metadata say of it.  GT_NOENT when it is not there, GT_INPUT when it is no JSON. */
int gt_group_document(struct gt_group *group, const char *path, const char *document, struct json_object **out, struct gt_err *err);
/* All nodes below the group, sorted by path, or it alone where neither consolidated metadata nor the store
 * can tell; *nodes is freed by gt_nodes_free. */
int gt_group_nodes(struct gt_group *group, struct gt_node **nodes, size_t *n, struct gt_err *err);
void gt_nodes_free(struct gt_node *nodes, size_t n);

/* Provenance: "gt:history" of a store's root, a list that ends with this line; NULL adds nothing. */
int gt_attrs_add_history(struct json_object *attrs, const char *line, struct gt_err *err);

/* A group that is written. */
struct gt_group_spec {
    const char *path;          /* "" for the root */
    struct json_object *attrs; /* borrowed, NULL: none */
};
/* Put the groups' metadata, all arrays' metadata, and the consolidated form of both,
 * root first: what a stream begins with, and what a finished store ends with.  Groups
 * that arrays are in and that are not named have no attributes. */
int gt_group_put_all(struct gt_store *store, int zarr_format, const struct gt_group_spec *groups, size_t n_groups,
                     struct gt_array *const *arrays, size_t n, struct gt_err *err);
/* The same of a root group with these attributes. */
int gt_group_put_meta(struct gt_store *store, int zarr_format, struct json_object *attrs, struct gt_array *const *arrays, size_t n,
                      struct gt_err *err);

#endif
