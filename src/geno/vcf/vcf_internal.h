/* The reader of VCF and BCF: what its files share. */
#ifndef GT_GENO_VCF_IMPL_H
#define GT_GENO_VCF_IMPL_H

#include "core/engine/flow.h"
#include "geno/model/reader.h"
#include "geno/vcf/vcf_parse.h"
#include "storage/bgzf/byte_stream.h"

/* Contigs or FILTERs that the header lacks; touched by next only. */
struct gt_vcf_late {
    struct gt_names *names; /* -> number in the info's table */
    int64_t n, told;        /* how many, and of how many a warning has told */
    int64_t first;          /* number of the first one */
};

#define GT_VCF_ROOM_STEP ((size_t)1 << 18) /* that buffers of what is put together grow by */

struct gt_vcf {
    struct gt_reader base;
    struct gt_input input;
    struct gt_bytes *bytes;
    struct gt_vcf_header header;
    struct gt_vcf_parse parse;
    struct gt_select_opts select; /* dosage rules */
    bool bcf, fresh;              /* fresh: nothing was read since open */
    struct gt_buf carry;          /* the bytes that follow the header, up to the mark in the stream */
    int64_t header_lines;
    uint64_t first; /* place of the first record, where the stream has places */
    struct gt_vcf_late late_contigs, late_filters;
    struct gt_index *index;
    bool asked;   /* for the index */
    bool limited; /* the pass sees the stretches alone */
    struct gt_buf stretches;
    /* of the pass, touched by the flow's reader only: */
    struct gt_flow *flow;
    struct gt_buf tail; /* the beginning of a record whose end comes later; of BCF, with the records before it */
    bool begun;         /* what followed the header is used */
    bool end;           /* of the stream */
    bool apart;         /* what comes next stands at another place: tail must be empty by then */
    bool unseen_told;
    uint64_t tail_offset; /* of text: where tail begins; UINT64_MAX = not known */
    int64_t line, record;
    bool any_gt; /* touched by next only */
};

/* Whole records; text records are lines, `records` counts those that are not blank and
 * `lines` all. */
struct gt_vcf_cut {
    size_t bytes;
    int64_t records, lines;
};

struct gt_vcf_item {
    struct gt_block block;         /* first: next hands it out */
    struct gt_buf joined;          /* records put together of several pieces */
    struct gt_text_segment *piece; /* held: the records behind those, [from, to) of its text; NULL = none */
    size_t from, to;
    struct gt_vcf_cut first, rest; /* what is in joined, in piece */
    uint64_t virtual_offset;                /* of text: where the first line begins, as gt_block has it */
    int64_t line;                  /* number of the first line */
    int64_t unseen;                /* records that the index let the pass leave out */
    bool ready;
};

/* vcf_open.c: the header, and some of the first record. */
int gt_vcf_read_header(struct gt_vcf *vcf, struct gt_err *err);
/* vcf_ploidy.c: what the whole records that follow the header show, as far as they were read. */
int gt_vcf_ploidy_shown(const struct gt_vcf *vcf);
/* vcf_cut.c: the next records into the item; GT_END behind the last. */
int gt_vcf_read(void *ctx, int64_t task, void *item, struct gt_err *err);
/* vcf_index.c: where an index tells which stretches hold all that the filter can let
 * through, the pass is limited to them.  Before gt_bytes_start, after a rewind. */
int gt_vcf_use_index(struct gt_vcf *vcf, const struct gt_filter *filter, struct gt_err *err);

#endif
