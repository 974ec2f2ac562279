/* A block: consecutive variants of a genotype source, as 2-bit rows with site information.  Sources deliver blocks in order;
 * every genotype computation consumes them. */
#ifndef GT_GENO_BLOCK_H
#define GT_GENO_BLOCK_H

#include <stdbool.h>
#include <string.h>

#include "core/base/budget.h"
#include "core/base/str.h"
#include "geno/model/select_opts.h"
#include "geno/model/vcf_number.h"

/* Site information that a consumer requests besides the genotypes. */
enum gt_site_fields {
    GT_SITE_NONE = 0,
    GT_SITE_POS = 1,     /* contig, position, length */
    GT_SITE_ALLELES = 2, /* allele strings (and n_alleles) */
    GT_SITE_ID = 4,
    GT_SITE_QUAL = 8, /* quality and filters */
    GT_SITE_ALL = 15,
    GT_SITE_HETS = 16,          /* which calls at multiallelic sites have two different ALTs, where the input tells */
    GT_SITE_CONTIG = 64,        /* contig, and not its position */
    GT_SITE_MULTI = 32,         /* whether the site is multiallelic; with this alone a block may come without sites: then none of them is */
    GT_SITE_RECORD = 256,       /* INFO, FORMAT and the sample columns as VCF or BCF has them, not of stores */
    GT_SITE_COLUMNS = 512,      /* the same of stores that have GT_HAS_COLUMNS, as geno/model/record_columns.h says */
    GT_SITE_CHROM_CLASS = 1024, /* what gt_source_sex_rows is for, where sexes are known */
    GT_SITE_CALLS = 2048,       /* the alleles of calls at multiallelic sites, where the input has them; with GT_SITE_MULTI */
    GT_SITE_PHASES = 4096,      /* which heterozygous calls are phased and how, if the input says so; with other site fields, and with
                                   GT_SITE_CALLS, which has the alleles of calls of two ALTs */
    GT_SITE_HAPLOTYPES = 128    /* not of sites: rows of single alleles in the place of those of calls */
};

/* Maximum number of alleles of a site including REF: the limit of BCF. */
#define GT_MAX_ALLELES 65535

struct gt_site {
    int32_t contig;                 /* index into block.contigs; negative = none */
    int32_t n_alleles;              /* including REF */
    int64_t position;               /* 1-based */
    int64_t length;                 /* rlen: bases of REF, or END - POS + 1 */
    uint32_t first_allele;          /* index of REF in block.alleles; ALTs follow */
    uint32_t id;                    /* index in block.ids; "." if it has none */
    float quality;                  /* missing: the bits GT_VCF_FLOAT_MISSING */
    uint32_t filter_from, filter_n; /* in block.filters: indices into block.filter_names; none = "." */
    bool multiallelic;              /* more than one ALT; from a store of calls with GT_SITE_MULTI or ALLELES, else with any field */
    uint32_t hets;                  /* with GT_SITE_HETS: 1 + number of its row in block.hets; 0 = there is none: the site is not
                                       multiallelic, or its input (a packed store) does not tell which ALTs a call has */
    uint32_t calls;                 /* with GT_SITE_CALLS: 1 + number of its row in block.calls; 0 = none: no call has an allele above 1,
                                       or the input does not tell the ALTs apart */
    uint32_t phases;      /* with GT_SITE_PHASES: 1 + number of its row in block.phases; 0 = none: no call is known to be phased */
    bool pooled;          /* multiallelic, and the input does not tell its ALTs apart; after gt_filter_block */
    uint32_t record;      /* with GT_SITE_RECORD, GT_SITE_COLUMNS: number in block.records */
    uint8_t chrom_class;  /* enum gt_chrom_class, after gt_filter_block; 0 where nothing goes by sex */
    uint8_t alleles_seen; /* alleles that the kept samples have: 1, 2 = two or more; 0 = not counted.  Filled in when
                             gt_filter_wants_seen(); codes alone cannot tell for a multiallelic site */
};

/* The record body of the kept samples in output order.  VCF text: from INFO to the end of the line, terminated by a
 * tab.  BCF: INFO as stored, then the FORMAT fields. */
struct gt_vcf_header;
struct gt_record_columns;
struct gt_record_body {
    const struct gt_vcf_header *bcf;         /* its dictionary, valid while the source exists; NULL: text or columns */
    const struct gt_record_columns *columns; /* with GT_SITE_COLUMNS, valid while the source exists; else NULL */
    size_t from, n;                          /* in block.texts; followed by GT_KERNEL_PAD readable bytes */
    uint32_t n_info, info_bytes, n_format;   /* BCF only */
};

struct gt_stage;
struct gt_block {
    struct gt_stage *owner;  /* the stage to return it to, see gt_stage_release */
    int64_t first;           /* index of the first variant: in the input before gt_filter_block, in the output after gt_source_next */
    bool begun;              /* the first variant is of a record (--split-multiallelic) that blocks before have others of */
    int64_t input;           /* after gt_source_next: number of a variant of the input (all joined) that none delivered before stands at or
                                after, and none of this block before; -1 = not known */
    uint64_t virtual_offset; /* of text and BCF: where the first variant begins, as the reader has it; UINT64_MAX = not known */
    int64_t line;            /* text: line number */
    int64_t n;               /* variants, may be 0 */
    size_t stride;           /* bytes between rows: >= ceil(n_samples / 4) */
    struct gt_buf rows;      /* n * stride + GT_KERNEL_PAD bytes; pad bits 0 */
    struct gt_buf sites;     /* n of struct gt_site, if requested */
    struct gt_strs alleles, ids;
    struct gt_strs contigs, filter_names; /* of the source, as far as this block knows them: its own view of them, to be read on
                                             any thread while the source lives, never released */
    struct gt_buf filters;                /* int32_t */
    struct gt_buf records, texts;         /* with GT_SITE_RECORD, GT_SITE_COLUMNS: struct gt_record_body, and their data */
    struct gt_buf hets;         /* rows of `stride` bytes, two bits a sample: 1 = the call has two different ALTs (its code is 2), else 0 */
    struct gt_buf calls;        /* rows of two bytes a sample (gt_put_alleles in geno/model/dosage.h): the alleles of a call,
                                   GT_ALLELE_BY_CODE where its code says all: alleles 0 and 1 alone, or missing */
    int64_t call_samples;       /* that these rows are of */
    struct gt_buf phases;       /* rows of `stride` bytes, two bits a sample: enum gt_phased (geno/model/dosage.h) of heterozygous calls,
                                   of others without meaning */
    struct gt_buf haplotypes;   /* between work and the end of gt_filter_block, with GT_SITE_HAPLOTYPES: for each row one of
                                   gt_haplotype_stride(n_samples) bytes, with two codes a sample */
    struct gt_strs new_contigs; /* between work and next of a reader: names of contigs that the input's header lacks;
                                   site.contig -1 - k stands for the k-th until next has numbered them */
    struct gt_strs new_filters; /* likewise of FILTERs: filters[] is -1 - k */
    bool marked;                /* the last byte of each row is 1 where it is of one allele (gt_source_reblock), else 0 */
    bool sites_filtered;        /* the sites went through gt_filter_site one by one: gt_filter_block does not ask again */
    bool has_gt;                /* of VCF and BCF: a record of it, kept or not, has a GT field */
    struct gt_buf scratch;      /* of gt_filter_block */
    struct gt_select_stats stats; /* of this block alone: what its selection dropped and met */
};

static inline const uint8_t *gt_block_row(const struct gt_block *b, int64_t v)
{
    return b->rows.data + (size_t)v * b->stride;
}
static inline struct gt_site *gt_block_sites(const struct gt_block *b)
{
    return (struct gt_site *)b->sites.data;
}

static inline void gt_site_no_quality(struct gt_site *site)
{
    const uint32_t bits = GT_VCF_FLOAT_MISSING;
    memcpy(&site->quality, &bits, sizeof bits);
}

static inline const struct gt_record_body *gt_block_record(const struct gt_block *b, const struct gt_site *site)
{
    return (const struct gt_record_body *)(const void *)b->records.data + site->record;
}
/* Adds a record body of n bytes, which the caller writes to *to. */
int gt_block_add_record(struct gt_block *block, struct gt_site *site, const struct gt_record_body *record, uint8_t **to,
                        struct gt_err *err);

/* NULL if the block has no such row. */
static inline const uint8_t *gt_block_hets(const struct gt_block *b, const struct gt_site *site)
{
    return site->hets ? b->hets.data + (size_t)(site->hets - 1) * b->stride : NULL;
}

/* Two bytes for each of block.call_samples; NULL when there are none. */
static inline uint8_t *gt_block_calls(const struct gt_block *b, const struct gt_site *site)
{
    return site->calls ? b->calls.data + (size_t)(site->calls - 1) * 2 * (size_t)b->call_samples : NULL;
}

/* NULL if no call of the site is phased. */
static inline const uint8_t *gt_block_phases(const struct gt_block *b, const struct gt_site *site)
{
    return site->phases ? b->phases.data + (size_t)(site->phases - 1) * b->stride : NULL;
}

/* "?" where it has none. */
static inline const char *gt_site_contig(const struct gt_block *block, const struct gt_site *site)
{
    return site->contig < 0 ? "?" : gt_strs_get(&block->contigs, (size_t)site->contig);
}
/* The first difference of two sites; has: enum gt_has common to both inputs.  Alleles: all strings, in order. */
enum gt_site_differs { GT_SITE_SAME, GT_SITE_OTHER_PLACE, GT_SITE_OTHER_ALLELES };
enum gt_site_differs gt_site_differs(const struct gt_block *a, const struct gt_site *x, const struct gt_block *b, const struct gt_site *y,
                                     unsigned has);

void gt_block_init(struct gt_block *block, struct gt_budget *budget);
static inline size_t gt_haplotype_stride(int64_t n_samples)
{
    return ((size_t)n_samples + 1) / 2;
}

/* Reserves n rows of haplotypes; new rows are missing. */
int gt_block_haplotypes(struct gt_block *block, int64_t n, int64_t n_samples, struct gt_err *err);
/* Adds a zeroed row to block->hets for the site. */
int gt_block_add_hets(struct gt_block *block, struct gt_site *site, uint8_t **row, struct gt_err *err);
/* Likewise to block->phases. */
int gt_block_add_phases(struct gt_block *block, struct gt_site *site, uint8_t **row, struct gt_err *err);
/* A row of block->calls for the site, all GT_ALLELE_BY_CODE. */
int gt_block_add_calls(struct gt_block *block, struct gt_site *site, int64_t n_samples, uint8_t **row, struct gt_err *err);
void gt_block_clear(struct gt_block *block); /* n = 0, keeps the room */
void gt_block_release(struct gt_block *block);
/* Reserves n rows of block->stride bytes, keeping existing rows.  Grows by half if the budget allows, so that appending rows
 * takes linear time. */
int gt_block_rows(struct gt_block *block, int64_t n, struct gt_err *err);
/* Appends variants [from, from + n) of src (rows and sites).  An empty block takes its stride from the first block appended;
 * statistics are not changed. */
int gt_block_append(struct gt_block *to, const struct gt_block *src, int64_t from, int64_t n, struct gt_err *err);

#endif
