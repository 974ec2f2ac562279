/* A file of VCF or BCF records: plain or BGZF, optionally with a .csi index. */
#ifndef GT_OUT_RECORDS_H
#define GT_OUT_RECORDS_H

#include "geno/model/geno_sink.h"

struct gt_records;

struct gt_records_opts {
    int level;   /* BGZF level (storage/bgzf/bgzf.h); 0 = plain */
    bool binary; /* refused on a terminal; contigs are header indices */
    bool index;  /* write path + ".csi"; not for standard output, a pipe or a device */
};

/* Roles of the buffers of a row group. */
enum { GT_RECORDS_STORED, GT_RECORDS_TEXT, GT_RECORDS_PLACES };

/* What of them gt_records_write reads, as in struct gt_calls_sink. */
static inline unsigned gt_records_results(int level, bool index)
{
    const unsigned packed = 1u << GT_RECORDS_STORED, indexed = index ? 1u << GT_RECORDS_TEXT | 1u << GT_RECORDS_PLACES : 0;
    return level ? packed | indexed : 1u << GT_RECORDS_TEXT;
}

/* A record in bytes[GT_RECORDS_PLACES]. */
struct gt_record {
    int32_t contig;
    int64_t begin, end; /* 0-based, half open */
    size_t to;          /* its end in the text */
};

int gt_records_open(struct gt_records **out, const char *path, const struct gt_records_opts *opts, struct gt_err *err);
/* Writes the file header. */
int gt_records_head(struct gt_records *records, const struct gt_geno_info *info, const void *head, size_t n, struct gt_err *err);
/* Registers the end of a record in the text of a row group; any thread. */
int gt_records_add(const struct gt_records *records, const struct gt_site *site, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err);
/* Formats all sites of a block: add appends the record of a site to the text bytes[GT_RECORDS_TEXT], which is emptied first; packs the text
 * at the end.  Any thread.  Returns errors of add and of memory. */
int gt_records_format(const struct gt_records *records, const struct gt_block *block,
                      int (*add)(void *ctx, const struct gt_block *block, const struct gt_site *site, struct gt_buf *text,
                                 struct gt_err *err),
                      void *ctx, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err);
/* Compresses the text of a row group as it is stored; any thread. */
int gt_records_pack(const struct gt_records *records, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err);
/* Writes row groups, in order. */
int gt_records_write(struct gt_records *records, const struct gt_strs *contigs, const struct gt_buf bytes[GT_CALLS_BUFS],
                     struct gt_err *err);
/* *note: why there is no index, NULL = it was written or not requested. */
int gt_records_finish(struct gt_records *records, const char **note, struct gt_err *err);
void gt_records_free(struct gt_records *records); /* NULL is allowed */

#endif
