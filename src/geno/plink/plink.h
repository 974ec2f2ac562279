/* The text files beside a PLINK 1 .bed, and the .snp of EIGENSTRAT, which is much like a .bim. */
#ifndef GT_GENO_PLINK_H
#define GT_GENO_PLINK_H

#include "geno/model/block.h"

/* Length of the prefix of "x.bed", or of a name that is one. */
size_t gt_plink_stem(const char *path);

/* A .bim stays on disk: what is kept is where every `step`-th line begins. */
struct gt_bim {
    int fd;
    bool snp;           /* columns of a .snp: id, contig, distance, position, and REF and ALT, which may be left out */
    bool pvar;          /* a PLINK 2 .pvar: a VCF of sites, its columns in any order; without a header a .bim */
    bool named, tabs;   /* of a .pvar: it has a header, whose columns are apart by tabs */
    int columns, at[9]; /* how many, and where those of a .bim, QUAL, FILTER and INFO stand in it; -1: nowhere */
    bool many;          /* a site has several ALTs */
    char *path;
    int64_t n; /* variants */
    int64_t step;
    struct gt_buf starts; /* int64_t offset of line 0, step, 2 * step, ... and of the end */
    struct gt_buf meta;   /* of a .pvar: its lines "##", each with its end */
    struct gt_strs contigs;
    struct gt_names *numbers;
    struct gt_strs filters; /* of a .pvar that has a column of them: PASS, and those that occur */
    struct gt_names *filter_numbers;
};

/* Reads the whole file once: checks each line's columns, counts, and collects the
 * contigs in order of appearance. */
int gt_bim_open(struct gt_bim *bim, const char *path, bool snp, int64_t step, struct gt_budget *budget, struct gt_err *err);
/* A .pvar, or path.zst where there is none, which is decompressed into tmpdir. */
int gt_pvar_open(struct gt_bim *bim, const char *path, int64_t step, const char *tmpdir, struct gt_budget *budget, struct gt_err *err);
void gt_bim_close(struct gt_bim *bim);
/* The text of lines [group * step, ...), `text` is overwritten. */
int gt_bim_read(const struct gt_bim *bim, int64_t group, struct gt_buf *text, struct gt_err *err);
/* Sites of those lines (block->n of them) appended to the block: REF = A2, ALT = A1; A1 "0" = no ALT; of a .pvar there may be several.
 * Of a .snp "X" is that too.  Of a .pvar with QUAL and FILTER.
 * With GT_SITE_RECORD INFO and "GT", and room for the calls of so many samples, GT_CALL_TEXT bytes each. */
#define GT_CALL_TEXT 4 /* "0/1", and the tab behind it */
int gt_bim_parse(const struct gt_bim *bim, int64_t group, const struct gt_buf *text, unsigned fields, int64_t samples,
                 struct gt_block *block, struct gt_err *err);

#endif
