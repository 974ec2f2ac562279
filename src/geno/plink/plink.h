/* The sidecar text files of PLINK 1 .bed, and the similar .snp of EIGENSTRAT. */
#ifndef GT_GENO_PLINK_H
#define GT_GENO_PLINK_H

#include "geno/model/block.h"

/* Length of the path without its suffix ("x.bed", "x.pgen"); the whole path if it has none. */
size_t gt_plink_stem(const char *path);

/* The .bim stays on disk; only the offset of every `step`-th line is kept in memory. */
struct gt_bim {
    int fd;
    bool snp;           /* columns of a .snp: id, contig, distance, position, and optionally REF and ALT */
    bool pvar;          /* a PLINK 2 .pvar: a VCF of sites with columns in any order; without a header it is a .bim */
    bool named, tabs;   /* of a .pvar: it has a header, with tab-separated columns */
    int columns, at[9]; /* number of columns, and positions of those of a .bim, QUAL, FILTER and INFO; -1: absent */
    char *path;
    int64_t n;           /* variants */
    int64_t alleles;     /* most of a site, REF included */
    int64_t all_alleles; /* of all sites together */
    int64_t step;
    struct gt_buf starts;      /* int64_t offsets of variants 0, step, 2 * step, ... and of the end */
    struct gt_buf start_lines; /* int64_t, lines of the file before these variants */
    int64_t line;              /* lines that were read while it was opened */
    struct gt_buf meta;        /* of a .pvar: its "##" lines, with line ends */
    struct gt_strs contigs;
    struct gt_names *numbers;
    struct gt_strs filters; /* of a .pvar with a FILTER column: PASS and those that occur */
    struct gt_names *filter_numbers;
};

/* Who reads a table when it is opened: at most `most` threads, and 16, each of which has `bytes` of the file or more. */
struct gt_bim_threads {
    int most;
    int64_t bytes;
};

/* Reads the whole file: checks the columns of each line, counts lines, and collects contigs in order of appearance.  A table is the same
 * by any number of threads.  GT_INPUT names the first bad line; GT_NOFIT: too little memory for one thread.  After an error there is
 * nothing to close. */
int gt_bim_open(struct gt_bim *bim, const char *path, bool snp, int64_t step, struct gt_bim_threads threads, struct gt_budget *budget,
                struct gt_err *err);
/* Opens a .pvar, or else path.zst, which is decompressed to tmpdir. */
int gt_pvar_open(struct gt_bim *bim, const char *path, int64_t step, const char *tmpdir, struct gt_bim_threads threads,
                 struct gt_budget *budget, struct gt_err *err);
void gt_bim_close(struct gt_bim *bim);
/* Reads the lines [group * step, ...); `text` is overwritten. */
int gt_bim_read(const struct gt_bim *bim, int64_t group, struct gt_buf *text, struct gt_err *err);
/* Appends the sites of these lines (block->n of them) to the block: REF = A2, ALT = A1; A1 "0" = no ALT, also "X" in a .snp; a .pvar may
 * have several ALTs, QUAL and FILTER.  GT_SITE_RECORD: adds INFO and "GT", and reserves GT_CALL_TEXT bytes per sample for the
 * calls. */
int gt_bim_parse(const struct gt_bim *bim, int64_t group, const struct gt_buf *text, unsigned fields, int64_t samples,
                 struct gt_block *block, struct gt_err *err);

#endif
