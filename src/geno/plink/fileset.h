/* Readers of genotypes in one file with its sites and its samples in text files beside it: PLINK 1 and 2,
 * EIGENSTRAT.  A format says how the genotypes are stored; the rest is the same for all. */
#ifndef GT_GENO_FILESET_H
#define GT_GENO_FILESET_H

#include "geno/model/reader.h"
#include "geno/plink/plink.h"
#include "storage/input/input.h"

struct gt_fileset {
    struct gt_reader base;
    struct gt_input input;
    const struct gt_fileset_ops *format;
    struct gt_bim bim;
    /* of the format, by `layout` */
    int64_t header; /* bytes in front of the rows */
    int64_t pitch;  /* bytes from a row to the next, which are sites, or samples */
    int64_t rows;   /* sites of a task, also the step of the index of sites */
    size_t stride;  /* of packed rows */
    /* of a pass */
    unsigned fields;
    int64_t first_group; /* of the index: task 0 */
    struct gt_flow *flow;
};

struct gt_fileset_ops {
    const char *kind;                 /* as gt_source_info has it */
    const char *sites, *samples;      /* suffixes of the files beside: ".bim", ".fam" */
    size_t (*stem)(const char *path); /* length of the path that they are put behind */
    bool snp, pvar;                   /* see struct gt_bim */
    size_t size;                      /* of what begins with struct gt_fileset */
    /* The first bytes: GT_INPUT when they are not this format's.  NULL: nothing tells the format there. */
    int (*begin)(struct gt_fileset *file, struct gt_err *err);
    /* Ids of the samples and what else is known of them. */
    int (*read_samples)(struct gt_fileset *file, const char *path, struct gt_err *err);
    /* Once n_samples is known. */
    int (*layout)(struct gt_fileset *file, struct gt_err *err);
    /* Once sites are, too: whether the file's size and what `begin` saw agree with both. */
    int (*check)(struct gt_fileset *file, struct gt_err *err);
    /* Bytes of n sites, at most `rows`, as they are read. */
    int64_t (*bytes)(const struct gt_fileset *file, int64_t n);
    /* Sites [first, first + n) are read into raw, which has room for them and GT_KERNEL_PAD bytes more ... */
    int (*read)(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, struct gt_err *err);
    /* ... and become rows, `stride` bytes apart. */
    int (*unpack)(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, uint8_t *rows, struct gt_err *err);
    void (*release)(struct gt_fileset *file); /* what is the format's own; NULL: nothing */
};

/* Takes *input over on success. */
int gt_fileset_open(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const struct gt_fileset_ops *format,
                    struct gt_err *err);

/* Samples of a .fam, or (psam) of a .psam. */
int gt_fileset_read_fam(struct gt_fileset *file, const char *path, bool psam, struct gt_err *err);

/* The header of a .pvar, and GT, into the info, which has its contigs: fields, lengths of contigs, what filters are, other
 * lines.  bim.filters gets those that are declared only.  A header
 * that htslib does not take is left out, with a warning. */
int gt_fileset_read_header(struct gt_fileset *file, struct gt_err *err);

/* Of rows that are sites: bytes, read, layout of pitch bytes, and check that there are as many as sites, with `header`
 * in front and up to `spare` bytes less. */
int64_t gt_fileset_row_bytes(const struct gt_fileset *file, int64_t n);
int gt_fileset_read_rows(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, struct gt_err *err);
void gt_fileset_lay_rows(struct gt_fileset *file, int64_t pitch);
int gt_fileset_check_rows(const struct gt_fileset *file, int64_t rows, int64_t spare, struct gt_err *err);

#endif
