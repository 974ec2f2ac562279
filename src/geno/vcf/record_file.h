/* Records of VCF or BCF in a file: plain, or BGZF, with its index (.csi) beside it when asked for. */
#ifndef GT_OUT_RECORDS_H
#define GT_OUT_RECORDS_H

#include "geno/model/geno_sink.h"

struct gt_records;

struct gt_records_opts {
    int level;   /* BGZF at this level (out/bgzf.h); 0 = plain */
    bool binary; /* never to a terminal; contigs are those of the header, by number */
    bool index;  /* path + ".csi"; not of standard output, a pipe or a device */
};

/* What stands in bytes[] of a row_group. */
enum { GT_RECORDS_STORED, GT_RECORDS_TEXT, GT_RECORDS_PLACES };

/* A record in bytes[GT_RECORDS_PLACES]. */
struct gt_record {
    int32_t contig;
    int64_t begin, end; /* 0-based, half open */
    size_t to;          /* its end in the text */
};

int gt_records_open(struct gt_records **out, const char *path, const struct gt_records_opts *opts, struct gt_err *err);
/* The text in front of all records. */
int gt_records_head(struct gt_records *records, const struct gt_geno_info *info, const void *head, size_t n, struct gt_err *err);
/* Notes the end of a record in a row_group's text; any thread. */
int gt_records_add(const struct gt_records *records, const struct gt_site *site, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err);
/* All sites of a block, in turn: add appends the record of one to the text, GT_RECORDS_TEXT of `bytes`, which are the caller's
 * and emptied first.  Packed at the end; any thread.  Errors: those of add, and of memory. */
int gt_records_format(const struct gt_records *records, const struct gt_block *block,
                      int (*add)(void *ctx, const struct gt_block *block, const struct gt_site *site, struct gt_buf *text,
                                 struct gt_err *err),
                      void *ctx, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err);
/* The row_group's text as it will stand in the file; any thread. */
int gt_records_pack(const struct gt_records *records, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err);
/* In order. */
int gt_records_write(struct gt_records *records, const struct gt_strs *contigs, const struct gt_buf bytes[GT_CALLS_BUFS],
                     struct gt_err *err);
/* *note: why there is no index, NULL = there is one or none was asked for. */
int gt_records_finish(struct gt_records *records, const char **note, struct gt_err *err);
void gt_records_free(struct gt_records *records); /* NULL is fine */

#endif
