/* Inside the writer of fields. */
#ifndef GT_CALC_FIELDS_IMPL_H
#define GT_CALC_FIELDS_IMPL_H

#include <pthread.h>

#include "core/base/spoolfile.h"
#include "geno/vcz_fields/fields.h"

/* What the values of a row are numbered by. */
enum fields_axis {
    AXIS_NONE, /* as many as Number= says, or as are seen; no axis where that is one */
    AXIS_ALLELES,
    AXIS_ALTS,
    AXIS_GENOTYPES,
    AXIS_PLOIDY,
    AXIS_FILTERS,
    AXIS_LOCAL /* fields_array.local of them */
};

/* Arrays that every group has; INFO and FORMAT fields come after them. */
enum {
    FIELD_POSITION,
    FIELD_LENGTH,
    FIELD_QUALITY,
    FIELD_ID,
    FIELD_ID_MASK,
    FIELD_FILTER,
    FIELD_ALLELE,
    FIELD_GENOTYPE,
    FIELD_PHASED,
    FIELD_MASK,
    FIELD_LOCAL, /* alleles that a call has */
    FIELDS_FIXED
};

struct fields_array {
    char *path, *axis_name; /* axis_name: of AXIS_NONE and AXIS_LOCAL */
    const char *description;
    char *own_description; /* where the header's is not all of it */
    const char *codec;
    enum gt_column_kind kind;
    enum gt_vcf_type type;
    enum fields_axis axis;
    int32_t number; /* as in struct gt_vcf_field */
    int32_t local;  /* values of a row, of the alleles that its call has: 2 of one each, 3 of their genotypes; 0: not local */
    bool calls;     /* rows are samples */
    bool left_out;
    int literal;    /* the array that marks the values -1 and -2 of this one; 0: there is none */
    int literal_of; /* it is the one that marks those of this array; 0: it is not */
};

/* INFO fields that gt_fields_opts.recount is of. */
enum { COUNT_AC, COUNT_AN, COUNT_AF, FIELDS_COUNTED };

/* What was seen so far. */
struct fields_seen {
    struct gt_column_shape *form; /* by array */
    int64_t *literals;            /* by array: its values -1 and -2, which VCF Zarr has no number for */
    int64_t alleles, ploidy;
};

/* A chunk in the file.  n is 0 of one that is not there: all its items are 0. */
struct fields_chunk {
    int32_t array;
    int32_t part; /* of the samples */
    int64_t row_group;
    struct gt_column_shape form;
    int64_t offset, absent; /* absent: where the bytes of gt_column.absent are; -1: all are 0 */
    int64_t variants;
    size_t n;
};

struct gt_fields {
    struct gt_engine *engine;
    const struct gt_geno_info *info;
    struct gt_fields_opts opts;
    struct fields_array *arrays;
    struct gt_array **made; /* by gt_fields_make_arrays, n of them, NULL where left out */
    struct gt_array **list; /* those that are */
    int n;
    int counted[FIELDS_COUNTED];                /* arrays; 0: not there, or as the records have it */
    struct gt_names *info_names, *format_names; /* -> number of an array */
    int64_t n_samples, parts;                   /* parts: chunks of samples */
    int64_t height;                             /* of chunks: fewer than chunk_variants where there are fewer variants */
    pthread_mutex_t lock;                       /* of seen, undeclared */
    struct fields_seen seen;
    char *undeclared;      /* the first one's name */
    int64_t undeclared_in; /* its row group */
    int64_t n_undeclared;
    struct gt_spoolfile spool;
    struct gt_buf chunks; /* struct fields_chunk, in order */
    int64_t row_groups;
};

/* A FORMAT field of the record that is parsed. */
struct fields_row {
    int array; /* -1: it is skipped */
    enum gt_column_kind kind;
    int64_t k;
    struct gt_buf values; /* int32_t or float bits, n_samples x k */
};

/* Samples of the record that look alike: see fields_fixed_layout.c. */
#define FIELDS_PERIOD 512
struct fields_fixed_layout {
    int64_t period; /* values, and marks, that each of them has; 0: not known yet, -1: there is none */
    uint8_t pattern[FIELDS_PERIOD], other[FIELDS_PERIOD]; /* the marks; calls have one or the other */
    const char *from, *to;                                /* the text that was cut; NULL: none of this record */
    int64_t n, at;                                        /* marks of it, and the first one that is not read yet; one stands before it */
    struct gt_buf delims, numbers;                        /* int32_t */
};

enum { FIELDS_RAW, FIELDS_STORED, FIELDS_SCRATCH, FIELDS_BUFS = FIELDS_SCRATCH + 2 };

/* A chunk of one byte over and over, as it was encoded last. */
struct fields_same {
    bool known;
    uint8_t byte;
    struct gt_column_shape form;
    struct gt_buf stored;
};

struct gt_fields_row_group {
    struct gt_fields *fields;
    struct gt_column *columns; /* by array */
    struct fields_same *same;  /* by array */
    struct fields_row *rows;
    size_t n_rows, cap_rows;
    struct gt_buf format; /* the FORMAT that rows are for */
    struct fields_fixed_layout alike;
    const struct gt_vcf_header *header;
    struct gt_buf keys[2]; /* of BCF: numbers of its dictionary -> array of INFO, FORMAT */
    struct gt_buf values, filters, delims, counts;
    int64_t *literals;    /* by array, of this row group */
    bool negative;        /* the record may have values -1 and -2 */
    struct gt_buf chunks; /* struct fields_chunk; offset is in `out`, absent likewise */
    struct gt_buf out;
    struct gt_buf bufs[FIELDS_BUFS];
    int64_t alleles, ploidy, n_undeclared, told_undeclared;
    char *undeclared;
    /* the record */
    const struct gt_block *block;
    const struct gt_site *site;
};

int fields_bad(const struct gt_fields_row_group *s, struct gt_err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A text of the record into the array.  GT_INPUT: it is not UTF-8, or larger than 2 GiB. */
int fields_text(struct gt_fields_row_group *s, int array, const char *text, size_t n, struct gt_err *err);
/* The array of a field of this name, -1 = left out; counts those that the header does not declare. */
int fields_find(struct gt_fields_row_group *s, bool format, const char *name, size_t n, int *array, struct gt_err *err);
/* True once the array has its value of the variant. */
static inline bool fields_done(const struct gt_fields_row_group *s, int array, int64_t v)
{
    return s->columns[array].variants > v;
}

/* fields_encode.c: of what was seen; under the lock, where several threads are there. */
void fields_see(struct gt_fields *fields, int array, struct gt_column_shape form);
void fields_see_calls(struct gt_fields *fields, int64_t alleles, int64_t ploidy);

/* Whole numbers of the record's array, rows x n, into its column: gt_column_ints, and fields_literal.c marks -1 and -2. */
int fields_ints(struct gt_fields_row_group *s, int array, int32_t *values, int64_t n, struct gt_err *err);
/* Is it a value that VCF Zarr reads as missing or as fill? */
static inline bool fields_is_literal(uint32_t x)
{
    return x >= UINT32_MAX - 1;
}
/* fields_counted.c */
void fields_find_counted(struct gt_fields *fields);
static inline bool fields_is_counted(const struct gt_fields *fields, int64_t array)
{
    return array == fields->counted[COUNT_AC] || array == fields->counted[COUNT_AN] || array == fields->counted[COUNT_AF];
}
/* From the record's calls, which are in their column. */
int fields_put_counted(struct gt_fields_row_group *s, int64_t v, struct gt_err *err);
/* fields_literal.c: arrays of marks for the arrays of whole numbers that there are so far. */
int fields_make_literals(struct gt_fields *fields, struct gt_err *err);
/* The marks of records after the last one that has any. */
int fields_end_literals(struct gt_fields_row_group *s, struct gt_err *err);
/* Chunks without marks, for row groups that have none in an array that others have. */
int fields_add_unmarked(struct gt_fields *fields, int array, struct gt_err *err);

/* Is the array made of the column of calls, without one of its own? */
static inline bool fields_of_calls(int array)
{
    return array == FIELD_MASK || array == FIELD_LOCAL;
}
/* Or of another's, that no record has a value for. */
static inline bool fields_is_derived(const struct gt_fields *fields, int array)
{
    return fields_of_calls(array) || fields->arrays[array].literal_of;
}

/* fields_local.c: which fields have local forms, for which their arrays are made ready. */
int fields_make_local(struct gt_fields *fields, struct gt_err *err);
/* Samples [from, from + width) of such an array as a chunk that is to be encoded. */
int fields_local_chunk(const struct gt_fields_row_group *s, int array, int size, int64_t from, int64_t width, struct gt_buf *raw,
                       struct gt_err *err);

/* fields_row_group.c: all records of the block into the columns, which are emptied before. */
int fields_take(struct gt_fields_row_group *s, const struct gt_block *block, struct gt_err *err);
/* fields_encode.c: chunks of 2 GiB and more are refused. */
int fields_check_chunk(const struct fields_array *array, const struct gt_buf *chunk, struct gt_err *err);

/* fields_text.c, fields_bcf.c: INFO, FORMAT and calls of a record into the columns; those that it has not are left to the caller. */
int fields_parse_text(struct gt_fields_row_group *s, int64_t v, const char *text, size_t n, struct gt_err *err);
int fields_parse_bcf(struct gt_fields_row_group *s, int64_t v, const struct gt_record_body *raw, const uint8_t *data, struct gt_err *err);

/* fields_fixed_layout.c: sample columns from *sample on, at *at, into the rows, as long as they have as many values as the rows are wide;
 * both move on.  Samples that differ, and what is wrong with them, are left to the caller. */
int fields_fixed_layout(struct gt_fields_row_group *s, int64_t *sample, const char **at, const char *end, uint8_t *phased,
                        struct gt_err *err);

/* fields_info.c: a list of numbers lacks one between its commas.  text: the list; n: of its bytes that are shown. */
int fields_lacks_value(struct gt_fields_row_group *s, const char *whose, const char *name, const char *text, size_t n, struct gt_err *err);
/* INFO [p, end) likewise. */
int fields_parse_info(struct gt_fields_row_group *s, int64_t v, const char *p, const char *end, struct gt_err *err);
/* A row of texts between commas, [p, end). */
int fields_texts(struct gt_fields_row_group *s, int array, const char *p, const char *end, struct gt_err *err);
/* Room for n numbers of 4 bytes; once for many, where they come one by one. */
int fields_grow(struct gt_buf *buf, size_t n, struct gt_err *err);

/* fields_arrays.c */
int fields_make(struct gt_fields *fields, struct gt_err *err);
/* The form that an array has when this is all that is to be seen, and its own axis or not. */
struct gt_column_shape fields_shape(const struct gt_fields *fields, const struct fields_seen *seen, int array, int64_t filters, bool *axis);
/* The height of chunks, or shards, that have all of n variants. */
int64_t fields_height(const struct gt_fields *fields, int64_t n);
bool fields_has_axis(const struct fields_array *array, int64_t k);
/* An array of that form; store: NULL = for its codecs alone. */
int fields_array_new(const struct gt_fields *fields, struct gt_store *store, int array, struct gt_column_shape form, bool axis,
                     int64_t variants, struct gt_array **out, struct gt_err *err);

#endif
