/* Readers of genotypes in one file with its sites and its samples in text files beside it: PLINK 1 and 2,
 * EIGENSTRAT.  A form says how the genotypes are stored; the rest is the same for all. */
#ifndef GT_GENO_BESIDE_H
#define GT_GENO_BESIDE_H

#include "geno/model/reader.h"
#include "geno/plink/plink.h"
#include "storage/input/input.h"

struct gt_beside {
    struct gt_reader base;
    struct gt_input input;
    const struct gt_beside_form *form;
    struct gt_bim bim;
    /* of the form, by `layout` */
    int64_t header; /* bytes in front of the rows */
    int64_t pitch;  /* bytes from a row to the next, which are sites, or samples */
    int64_t rows;   /* sites of a task, also the step of the index of sites */
    size_t stride;  /* of packed rows */
    /* of a pass */
    unsigned fields;
    int64_t first_group; /* of the index: task 0 */
    struct gt_flow *flow;
};

struct gt_beside_form {
    const char *kind;                 /* as gt_source_info has it */
    const char *sites, *samples;      /* suffixes of the files beside: ".bim", ".fam" */
    size_t (*stem)(const char *path); /* length of the path that they are put behind */
    bool snp, pvar;                   /* see struct gt_bim */
    size_t size;                      /* of what begins with struct gt_beside */
    /* The first bytes: GT_INPUT when they are not this form's.  NULL: nothing tells the form there. */
    int (*begin)(struct gt_beside *file, struct gt_err *err);
    /* Ids of the samples and what else is known of them. */
    int (*read_samples)(struct gt_beside *file, const char *path, struct gt_err *err);
    /* Once n_samples is known. */
    int (*layout)(struct gt_beside *file, struct gt_err *err);
    /* Once sites are, too: whether the file's size and what `begin` saw agree with both. */
    int (*check)(struct gt_beside *file, struct gt_err *err);
    /* Bytes of n sites, at most `rows`, as they are read. */
    int64_t (*bytes)(const struct gt_beside *file, int64_t n);
    /* Sites [first, first + n) are read into raw, which has room for them and GT_KERNEL_PAD bytes more ... */
    int (*read)(struct gt_beside *file, int64_t first, int64_t n, uint8_t *raw, struct gt_err *err);
    /* ... and become rows, `stride` bytes apart. */
    int (*unpack)(struct gt_beside *file, int64_t first, int64_t n, uint8_t *raw, uint8_t *rows, struct gt_err *err);
    void (*release)(struct gt_beside *file); /* what is the form's own; NULL: nothing */
};

/* Takes *input over on success. */
int gt_beside_open(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const struct gt_beside_form *form,
                   struct gt_err *err);

/* Samples of a .fam, or (psam) of a .psam. */
int gt_beside_read_fam(struct gt_beside *file, const char *path, bool psam, struct gt_err *err);

/* The header of a .pvar, and GT, into the info, which has its contigs: fields, lengths of contigs, what filters are, other
 * lines.  bim.filters gets those that are declared only.  A header
 * that htslib does not take is left out, with a warning. */
int gt_beside_read_header(struct gt_beside *file, struct gt_err *err);

/* Of rows that are sites: bytes, read, layout of pitch bytes, and check that there are as many as sites, with `header`
 * in front and up to `spare` bytes less. */
int64_t gt_beside_row_bytes(const struct gt_beside *file, int64_t n);
int gt_beside_read_rows(struct gt_beside *file, int64_t first, int64_t n, uint8_t *raw, struct gt_err *err);
void gt_beside_lay_rows(struct gt_beside *file, int64_t pitch);
int gt_beside_check_rows(const struct gt_beside *file, int64_t rows, int64_t spare, struct gt_err *err);

#endif
