/* Internals of the VCF and BCF reader. */
#ifndef GT_GENO_VCF_IMPL_H
#define GT_GENO_VCF_IMPL_H

#include "core/engine/flow.h"
#include "geno/model/reader.h"
#include "geno/vcf/vcf_deal.h"
#include "geno/vcf/vcf_parse.h"
#include "storage/bgzf/byte_stream.h"

/* Contigs or FILTERs missing from the header; used by next only. */
struct gt_vcf_late {
    struct gt_names *names; /* -> index in the table of info */
    int64_t n, warned;      /* their number, and how many have been warned about */
    int64_t first;          /* index of the first one */
};

#define GT_VCF_ROOM_STEP ((size_t)1 << 18) /* growth step of assembled buffers */

struct gt_vcf {
    struct gt_reader base;
    struct gt_input input;
    struct gt_bytes *bytes;
    struct gt_vcf_header header;
    struct gt_vcf_parse parse;
    struct gt_select_opts select; /* call rules */
    bool bcf, fresh;              /* fresh: nothing was read since open */
    struct gt_buf carry;          /* bytes after the header that were already read from the stream */
    int64_t header_lines;
    uint64_t first; /* virtual offset of the first record, if the stream is seekable */
    struct gt_vcf_late late_contigs, late_filters;
    struct gt_index *index;
    bool asked;   /* the index was looked up */
    bool limited; /* the pass reads only the stretches */
    bool dealt;   /* the ranks make the pass together: */
    struct gt_vcf_deal deal;
    struct gt_buf stretches;
    /* of the pass, used by the reader thread of the flow only: */
    struct gt_flow *flow;
    struct gt_buf tail; /* start of an incomplete record; for BCF, with the records before it */
    bool begun;         /* `carry` was consumed */
    bool end;           /* end of the stream */
    bool apart;         /* the next input is from another offset: tail must be empty */
    bool unseen_told;
    uint64_t tail_offset; /* text: offset of tail; UINT64_MAX = not known */
    int64_t line, record;
    int64_t most_rows;        /* of a block, where records are split, else 0: what has more of them is for several tasks */
    int32_t alt;              /* of the next record, the ALT whose row is next */
    struct gt_vcf_rest *rest; /* text that was read and has more rows than a block; NULL: there is none */
    bool any_gt;              /* used by next only */
};

/* Complete records; `records` counts non-blank lines, `lines` all lines. */
struct gt_vcf_cut {
    size_t bytes;
    int64_t records, lines;
    size_t part; /* bytes of a record behind them, of which some rows alone are taken */
};

struct gt_vcf_item {
    struct gt_block block;         /* first: next hands it out */
    struct gt_buf joined;          /* records assembled from several segments */
    struct gt_text_segment *piece; /* the segment with the following records, [from, to) of its text; NULL = none */
    size_t from, to;
    struct gt_vcf_cut first, rest; /* records in `joined` and in `piece` */
    uint64_t virtual_offset;       /* of text: where the first line begins, as gt_block has it */
    int64_t line;                  /* line number of the first line */
    int64_t unseen;                /* records skipped with the index */
    int64_t rows;                  /* where records are split: these three as in struct gt_vcf_text, which is `joined` */
    int32_t first_alt, after;
    bool ends; /* the stretch, which the last line is of */
    bool ready;
};

/* vcf_open.c: reads the header and part of the first record. */
int gt_vcf_read_header(struct gt_vcf *vcf, struct gt_err *err);
/* vcf_ploidy.c: ploidy shown by the complete records read with the header. */
int gt_vcf_ploidy_shown(const struct gt_vcf *vcf);
/* A line, without its end, that is no record. */
static inline bool gt_vcf_is_blank(const uint8_t *line, size_t n)
{
    return n == 0 || (n == 1 && *line == '\r');
}
/* vcf_rows.c: tasks of few rows, where records are split.  The rows of a line, or of a record of BCF, from its 8th byte on. */
int64_t gt_vcf_rows_of_line(const uint8_t *line, size_t n);
int64_t gt_vcf_rows_of_bcf(const uint8_t *shared);
/* The item has lines, as they were read: if they have too many rows, all are set apart, and then the item gets the first of them. */
int gt_vcf_limit_rows(struct gt_vcf *vcf, struct gt_vcf_item *item, struct gt_err *err);
/* The next ones of those that were set apart. */
int gt_vcf_take_rest(struct gt_vcf *vcf, struct gt_vcf_item *item, struct gt_err *err);
void gt_vcf_drop_rest(struct gt_vcf *vcf);
/* record_split.c: reads the next records into the item; GT_END after the last. */
int gt_vcf_read(void *ctx, int64_t task, void *item, struct gt_err *err);
/* vcf_reader.c, for vcf_deal.c: a pass of this rank alone; what runs of a pass ends. */
int gt_vcf_start_plain(struct gt_vcf *vcf, struct gt_start *start, struct gt_err *err);
void gt_vcf_stop_flows(struct gt_vcf *vcf);
/* vcf_index.c: limits the pass to the stretches that can contain selected records, if there is an index.  Call before
 * gt_bytes_start or after a rewind. */
int gt_vcf_use_index(struct gt_vcf *vcf, const struct gt_filter *filter, struct gt_err *err);

#endif
