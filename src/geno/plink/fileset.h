/* Readers of formats with genotypes in one file and sites and samples in sidecar text files: PLINK 1 and 2, EIGENSTRAT.
 * gt_fileset_ops describes how genotypes are stored; the rest is shared. */
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
    /* set by `layout` of the format: */
    int64_t header; /* offset of the first row */
    int64_t pitch;  /* bytes between rows, which are sites or samples */
    int64_t rows;   /* sites of a task, also the step of the site index */
    size_t stride;  /* of packed rows */
    /* set by `begin` or `check` of the format: */
    bool provisional; /* as the format says if they do not: REF may not be the reference allele */
    bool phased;      /* some call may be phased: `alts` adds the phases */
    bool compare;     /* `alts` compares all sites with the rows, so they are always parsed */
    /* of the current pass: */
    unsigned fields;
    int64_t first_group; /* entry of the site index of task 0 */
    struct gt_flow *flow;
};

struct gt_fileset_ops {
    const char *kind;                 /* as gt_source_info has it */
    const char *sites, *samples;      /* suffixes of the sidecar files: ".bim", ".fam" */
    const char *to_utf8;              /* as gt_source_info has it */
    size_t (*stem)(const char *path); /* length of the path before the suffix */
    bool snp, pvar;                   /* see struct gt_bim */
    bool provisional;                 /* nothing says which allele is the reference */
    size_t size;                      /* of the struct that starts with struct gt_fileset */
    /* Checks the first bytes: GT_INPUT if they are not of this format.  NULL: the format has no signature. */
    int (*begin)(struct gt_fileset *file, struct gt_err *err);
    /* Reads sample ids and pedigrees. */
    int (*read_samples)(struct gt_fileset *file, const char *path, struct gt_err *err);
    /* Sets the layout; n_samples is known. */
    int (*layout)(struct gt_fileset *file, struct gt_err *err);
    /* Checks the file size and what `begin` read against the numbers of samples and sites. */
    int (*check)(struct gt_fileset *file, struct gt_err *err);
    /* File bytes of n <= `rows` sites. */
    int64_t (*bytes)(const struct gt_fileset *file, int64_t n);
    /* Reads sites [first, first + n) into raw, which has space for them and GT_KERNEL_PAD more bytes ... */
    int (*read)(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, struct gt_err *err);
    /* ... and unpacks them into rows, `stride` bytes apart. */
    int (*unpack)(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, uint8_t *rows, struct gt_err *err);
    /* Then, with the sites in the block: passes the alleles of multiallelic sites to gt_fileset_put_alts, and adds phases.  Called if there
     * are such sites, if phases are wanted, or for `compare`.  scratch: any.  NULL: the format does not have them. */
    int (*alts)(struct gt_fileset *file, int64_t first, uint8_t *raw, struct gt_block *block, struct gt_buf *scratch, struct gt_err *err);
    /* Warns of what a pass leaves out; may be NULL. */
    int (*warn)(struct gt_fileset *file, struct gt_err *err);
    void (*release)(struct gt_fileset *file); /* frees members of the format; may be NULL */
};

/* Takes over *input on success. */
int gt_fileset_open(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, const struct gt_fileset_ops *format,
                    struct gt_err *err);

/* Reads the samples from a .fam or (psam) .psam. */
int gt_fileset_read_fam(struct gt_fileset *file, const char *path, bool psam, struct gt_err *err);

/* Reads the header of a .pvar into info: fields including GT, contig lengths, filter descriptions and other lines; contigs are
 * already there.  bim.filters gets filters that are only declared.  A header that htslib rejects is ignored with a
 * warning. */
int gt_fileset_read_header(struct gt_fileset *file, struct gt_err *err);

/* Operations of formats whose rows are sites: bytes, read, layout with `pitch`, and a check of the file size, which may be up to
 * `spare` bytes less. */
int64_t gt_fileset_row_bytes(const struct gt_fileset *file, int64_t n);
int gt_fileset_read_rows(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, struct gt_err *err);
void gt_fileset_lay_rows(struct gt_fileset *file, int64_t pitch);
int gt_fileset_check_rows(const struct gt_fileset *file, int64_t rows, int64_t spare, struct gt_err *err);

/* Adds to site v of the block, which has all samples, what is wanted of the alleles of its calls: two bytes per sample as in
 * gt_block.calls, GT_ALLELE_BY_CODE for calls of the first ALT; overwritten. */
int gt_fileset_put_alts(const struct gt_fileset *file, struct gt_block *block, int64_t v, uint8_t *alleles, struct gt_err *err);

#endif
