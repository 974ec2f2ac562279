/* What is known of a genotype input: its samples, tables, counts and memory. */
#ifndef GT_GENO_INFO_H
#define GT_GENO_INFO_H

#include "geno/model/field_decls.h"
#include "geno/model/select_opts.h"

struct gt_geno_info {
    int64_t n_samples;            /* after selection */
    int64_t n_variants;           /* after selection; -1 while unknown */
    int64_t n_variants_max;       /* an upper bound; -1 when there is none */
    int64_t n_variants_guess;     /* where there is none, what the size of the input makes likely; 0 = no idea */
    int64_t read_minimum;         /* memory that reading takes at the least: a chunk of a store, a line of text */
    int64_t read_preferred;       /* and when all threads are kept busy */
    int64_t read_block;           /* variants of a block, at most, about */
    struct gt_strs samples;       /* ids in output order */
    struct gt_strs plink_ids;     /* "FID<tab>IID" of each, as a .fam has them; none of other inputs */
    struct gt_strs pedigree;      /* "father<tab>mother<tab>sex<tab>phenotype" of each, likewise */
    bool open_contigs;            /* VCF text, some streams: contigs that are not listed may still turn up */
    struct gt_strs contigs;       /* may grow while a VCF is read (contigs missing from its header), as filters may:
                                     for the thread that calls gt_source_next; other threads have those of their block */
    struct gt_buf contig_lengths; /* int64_t each, 0 = unknown */
    struct gt_buf mask;           /* --mask: bits of variants of the input, before selection; empty: all stay */
    struct gt_strs filters;       /* PASS first */
    unsigned has;                 /* enum gt_has; of several inputs: see GT_HAS_OF_ONE */
    int ploidy;                   /* geno/model/ploidy.h: of a source 1 or 2; of a reader what its calls show, else 0 */
    bool two_alleles;             /* no site has more than REF and one ALT, whatever is still to come */
    int64_t alleles;              /* most of a site, REF included: of a store the width of its arrays; 0 = not known */
    int64_t mean_alleles;         /* of a site: of a store about, from a few of its chunks; 0 = not known */
    struct gt_vcf_fields fields;  /* of VCF and BCF: INFO and FORMAT as declared */
    struct gt_strs filter_texts;  /* descriptions of filters, as far as they have one: fewer than filters, or as many */
    int64_t record_bytes;         /* of a record: of VCF and BCF the longest of the first ones, of others the mean; 0 = not known */
    int64_t record_text;          /* the same as text: of BCF estimated */
    struct gt_buf head;           /* of VCF and BCF opened with GT_SITE_RECORD: the lines of the header before #CHROM, each with its line
                                     end, without IDX; of several inputs those of the first, and lines that it lacks */
    struct gt_strs header;        /* meta-information "key", "value" pairs in turn; empty for .bed */
    char *kind;                   /* "VCF", "BCF", "PLINK bed", "packed store", ... */
    char *name;                   /* for messages */
    const char *to_utf8;          /* a hint where strings are not UTF-8; NULL: there is none */
};

/* Of a zeroed info: its tables are counted there. */
void gt_geno_info_count_in(struct gt_geno_info *info, struct gt_budget *budget);
void gt_geno_info_release(struct gt_geno_info *info);
#define GT_CALL_TEXT 4      /* bytes of "0/1" and a tab */
#define GT_COMMON_ALLELES 8 /* few sites have more */
/* Bytes for the ids and alleles of one site, in a block and in the buffers of a writer, beyond those of a site with two short alleles.
 * An estimate, from record_bytes and from mean_alleles, else `alleles`; 0 where none is known. */
int64_t gt_geno_info_site_texts(const struct gt_geno_info *info);
/* Sets two_alleles, alleles and mean_alleles of joined inputs, of which `in` is the next; first: there is none before it. */
void gt_geno_info_join_alleles(struct gt_geno_info *all, const struct gt_geno_info *in, bool first);
/* Bytes for the alleles of one site in a block alone, beyond those of GT_COMMON_ALLELES; 0 if mean_alleles is not known. */
int64_t gt_geno_info_block_alleles(const struct gt_geno_info *info);

#endif
