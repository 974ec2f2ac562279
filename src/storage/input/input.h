/* An input: a path, a URL or standard input, with its first bytes looked at before
 * anybody reads, so that its kind can be recognised by its content. */
#ifndef GT_STORE_INPUT_H
#define GT_STORE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

#define GT_PEEK_LEN 1024

enum gt_input_kind {
    GT_KIND_UNKNOWN,
    GT_KIND_ZARR_DIR, /* a directory, or a URL below which there is such a tree, with .zgroup, .zarray or zarr.json (path may go on inside)
                       */
    GT_KIND_ZIP,      /* a file, or the URL of one */
    GT_KIND_TAR,
    GT_KIND_VCF, /* plain text */
    GT_KIND_VCF_BGZF,
    GT_KIND_VCF_GZIP,   /* gzip without BGZF blocks */
    GT_KIND_BCF,        /* BCF\2, in BGZF or plain */
    GT_KIND_BED,        /* PLINK 1, with .bim and .fam next to it */
    GT_KIND_PGEN,       /* PLINK 2, with .pvar and .psam next to it */
    GT_KIND_EIGENSTRAT, /* text or packed, with .snp and .ind next to it */
    GT_KIND_NPY,
};

struct gt_input {
    char *path;  /* of the file or the store's root, or "-" */
    char *name;  /* for messages: the path as given, or "standard input" */
    char *inner; /* what follows the store in the path ("2R/calldata/GT"), or "" */
    enum gt_input_kind kind;
    int fd;               /* open for reading; -1 for a directory and a URL */
    struct hFILE *remote; /* of a URL: see store/remote.h */
    bool seekable;        /* a regular file, or a URL whose size is known */
    int64_t size;         /* of those, else -1 */
    uint8_t peek[GT_PEEK_LEN];
    size_t peek_len, peek_pos; /* bytes read ahead and not yet handed out */
};

/* Opens and sniffs.  "PREFIX" with PREFIX.bed next to it is a bed, and path is
 * then PREFIX.bed.  BGZF and gzip are distinguished and looked into (VCF or BCF).
 * GT_FAIL "cannot open 'x': No such file or directory"; GT_INPUT when the
 * content is of no known kind; GT_USAGE when standard input is a terminal. */
int gt_input_open(struct gt_input *input, const char *path, struct gt_err *err);
/* Registers what opening `path` would read with base/alias_check.h: the file or the store
 * that it means, and the files that belong to it (.bim, .fam, .tbi, .csi).  Opens nothing;
 * a path that does not exist is left for gt_input_open to report. */
int gt_input_register(const char *path, struct gt_err *err);
/* Up to n bytes; *got = 0 at the end. */
int gt_input_read(struct gt_input *input, void *data, size_t n, size_t *got, struct gt_err *err);
/* n bytes at an offset; seekable inputs only; short is GT_INPUT "truncated".  Of a URL
 * one thread at a time, as gt_input_read. */
int gt_input_pread(struct gt_input *input, void *data, size_t n, int64_t offset, struct gt_err *err);
/* The input becomes a regular file, open at fd, that holds the same bytes. */
void gt_input_replace(struct gt_input *input, int fd, int64_t size);
void gt_input_release(struct gt_input *input); /* safe on a zeroed struct, after release and after a failed open */
/* "a VCF (BGZF)", "a zip store": fits "it is ...". Static text. */
const char *gt_input_kind_name(enum gt_input_kind kind);

#endif
