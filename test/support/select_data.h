/* Made-up calls, as VCF, BCF, a store of calls and a packed store, written here byte by
 * byte: what our own writers do is not taken on trust. */
#ifndef GT_TEST_SELECT_DATA_H
#define GT_TEST_SELECT_DATA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "test/support/bcf_copy.h"
#include "test/support/tap.h"

enum { SAMPLES = 23, SITES = 400, CONTIGS = 3, ALLELES = 4 };

static const char *const contig_names[CONTIGS] = {"chr1", "chr2", "X"};

struct call {
    int a, b; /* -1 missing; b = -2: haploid */
};

struct data {
    struct call call[SITES][SAMPLES];
    int contig[SITES], pos[SITES], length[SITES], n_alleles[SITES];
    bool pass[SITES];
    char allele[SITES][ALLELES][24];
};

static unsigned long state = 88172645463325252UL;
static int rnd(int n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (unsigned long)n);
}

static void make_calls(struct data *d, int v)
{
    int common = 1 + rnd(10), gaps = rnd(3) ? 30 : 4;
    for (int s = 0; s < SAMPLES; s++) {
        struct call *c = &d->call[v][s];
        c->a = rnd(common) == 0 ? rnd(d->n_alleles[v]) : 0;
        c->b = rnd(common) == 0 ? rnd(d->n_alleles[v]) : 0;
        if (d->n_alleles[v] > 2 && v % 5 == 0) /* no REF at all */
            c->a = 1 + rnd(2), c->b = 1 + rnd(2);
        if (rnd(gaps) == 0)
            c->a = c->b = -1;
        if (rnd(40) == 0)
            c->b = -1;
        if (d->contig[v] == 2 && s % 3 == 0)
            c->b = -2;
    }
}

static void make(struct data *d)
{
    static const char bases[] = "ACGT";
    int pos = 1, contig = 0;
    for (int v = 0; v < SITES; v++) {
        if (v == SITES / 2 || v == SITES * 3 / 4)
            contig++, pos = 1;
        pos += rnd(5);
        d->contig[v] = contig;
        d->pos[v] = pos;
        d->n_alleles[v] = rnd(5) == 0 ? 3 + rnd(2) : rnd(12) == 0 ? 1 : 2;
        d->length[v] = rnd(5) ? 1 : 1 + rnd(9);
        d->pass[v] = rnd(4) > 0;
        for (int a = 0; a < d->n_alleles[v]; a++) {
            int long_ref = a == 0 && d->length[v] > 1 && v % 2;
            snprintf(d->allele[v][a], sizeof d->allele[v][a], "%.*s%c%s", long_ref ? d->length[v] - 1 : 0, "ACGTACGTACGT", bases[a],
                     a && rnd(9) == 0 ? "TT" : "");
        }
        make_calls(d, v);
    }
}

/* The dosage that a call has by default, and 3. */
static int plain_code(struct call c)
{
    return c.a < 0 || c.b == -1 ? 3 : c.b == -2 ? 2 * (c.a > 0) : (c.a > 0) + (c.b > 0);
}

/* --- VCF, BCF ---------------------------------------------------------------------- */

static void put_call(FILE *f, struct call c, bool more)
{
    if (c.a < 0)
        fputc('.', f);
    else
        fprintf(f, "%d", c.a);
    if (c.b >= 0)
        fprintf(f, "%c%d", more ? '/' : '|', c.b);
    else if (c.b == -1)
        fprintf(f, "/.");
    if (more)
        fprintf(f, ":%d", c.a + 12);
}

static void put_site(FILE *f, const struct data *d, int v)
{
    fprintf(f, "\n%s\t%d\tid%d\t%s\t", contig_names[d->contig[v]], d->pos[v], v, d->allele[v][0]);
    for (int a = 1; a < d->n_alleles[v]; a++)
        fprintf(f, "%s%s", a > 1 ? "," : "", d->allele[v][a]);
    fprintf(f, "%s\t.\t%s\t", d->n_alleles[v] == 1 ? "." : "", d->pass[v] ? "PASS" : v % 3 ? "q10" : "q10;PASS");
    if (d->length[v] > (int)strlen(d->allele[v][0]))
        fprintf(f, "DP=4;END=%d", d->pos[v] + d->length[v] - 1);
    else
        fputc('.', f);
}

/* Sites [from, to) as a VCF; header: list the contigs. */
static void write_vcf(const struct data *d, const char *path, int from, int to, bool header)
{
    FILE *f = fopen(path, "w");
    fprintf(f, "##fileformat=VCFv4.2\n##FILTER=<ID=q10,Description=\"x\">\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n"
               "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"x\">\n##INFO=<ID=DP,Number=1,Type=Integer,Description=\"x\">\n"
               "##INFO=<ID=END,Number=1,Type=Integer,Description=\"x\">\n");
    for (int c = 0; header && c < CONTIGS; c++)
        fprintf(f, "##contig=<ID=%s>\n", contig_names[c]);
    fprintf(f, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT");
    for (int s = 0; s < SAMPLES; s++)
        fprintf(f, "\tS%d", s);
    for (int v = from; v < to; v++) {
        bool more = v % 7 == 0;
        put_site(f, d, v);
        fputs(more ? "\tGT:DP" : "\tGT", f);
        for (int s = 0; s < SAMPLES; s++) {
            fputc('\t', f);
            put_call(f, d->call[v][s], more);
        }
    }
    fputc('\n', f);
    fclose(f);
}

/* --- stores: Zarr v2, chunks without a codec --------------------------------------- */

/* An array of up to 3 axes; item(ctx, index, out) gives an item's bytes. */
struct array {
    const char *name, *dtype, *attrs;
    int ndim, shape[3], chunk[3];
    int size; /* of an item; 0 = text */
};

typedef void (*get_item)(const struct data *d, const int at[3], char *out);

static void put_chunk(const char *path, const struct array *a, const int chunk[3], const struct data *d, get_item get)
{
    FILE *f = fopen(path, "w");
    int items = a->chunk[0] * a->chunk[1] * a->chunk[2];
    if (!a->size)
        fwrite(&items, 4, 1, f);
    for (int i = 0; i < items; i++) {
        int at[3] = {chunk[0] * a->chunk[0] + i / (a->chunk[1] * a->chunk[2]), chunk[1] * a->chunk[1] + i / a->chunk[2] % a->chunk[1],
                     chunk[2] * a->chunk[2] + i % a->chunk[2]};
        char item[32] = "";
        if (at[0] < a->shape[0] && at[1] < a->shape[1] && at[2] < a->shape[2])
            get(d, at, item);
        else
            memset(item, a->size ? 0x5a : 0, sizeof item); /* the overhang is nobody's */
        int n = a->size ? a->size : (int)strlen(item);
        if (!a->size)
            fwrite(&n, 4, 1, f);
        fwrite(item, 1, (size_t)n, f);
    }
    fclose(f);
}

static void put_array(const char *store, struct array a, const struct data *d, get_item get)
{
    char path[4400];
    for (int i = a.ndim; i < 3; i++)
        a.shape[i] = a.chunk[i] = 1;
    snprintf(path, sizeof path, "%s/%s", store, a.name);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/.zattrs", store, a.name);
    FILE *f = fopen(path, "w");
    fprintf(f, "{%s}", a.attrs ? a.attrs : "");
    fclose(f);
    snprintf(path, sizeof path, "%s/%s/.zarray", store, a.name);
    f = fopen(path, "w");
    fprintf(f, "{\"zarr_format\": 2, \"dtype\": \"%s\", \"order\": \"C\", \"fill_value\": null, \"compressor\": null, \"filters\": %s",
            a.dtype, a.size ? "null" : "[{\"id\": \"vlen-utf8\"}]");
    for (int part = 0; part < 2; part++) {
        fprintf(f, ", \"%s\": [", part ? "chunks" : "shape");
        for (int i = 0; i < a.ndim; i++)
            fprintf(f, "%s%d", i ? ", " : "", part ? a.chunk[i] : a.shape[i]);
        fputc(']', f);
    }
    fputs("}\n", f);
    fclose(f);
    int grid[3];
    for (int i = 0; i < 3; i++)
        grid[i] = (a.shape[i] + a.chunk[i] - 1) / a.chunk[i];
    for (int i = 0; i < grid[0] * grid[1] * grid[2]; i++) {
        int c[3] = {i / (grid[1] * grid[2]), i / grid[2] % grid[1], i % grid[2]};
        char key[64];
        snprintf(key, sizeof key, a.ndim == 1 ? "%d" : a.ndim == 2 ? "%d.%d" : "%d.%d.%d", c[0], c[1], c[2]);
        snprintf(path, sizeof path, "%s/%s/%s", store, a.name, key);
        put_chunk(path, &a, c, d, get);
    }
}

static void put_int(char *out, int value)
{
    memcpy(out, &value, sizeof value);
}
static void get_call(const struct data *d, const int at[3], char *out)
{
    out[0] = (char)(at[2] ? d->call[at[0]][at[1]].b : d->call[at[0]][at[1]].a);
}
static void get_dosages(const struct data *d, const int at[3], char *out)
{
    for (int s = 4 * at[1]; s < SAMPLES && s < 4 * at[1] + 4; s++)
        out[0] = (char)(out[0] | plain_code(d->call[at[0]][s]) << 2 * (s % 4));
    if (4 * at[1] + 4 > SAMPLES) /* pad bits, which are nobody's either */
        out[0] = (char)(out[0] | 0xff << 2 * (SAMPLES % 4));
}
static void get_contig(const struct data *d, const int at[3], char *out)
{
    out[0] = (char)d->contig[at[0]];
}
static void get_position(const struct data *d, const int at[3], char *out)
{
    put_int(out, d->pos[at[0]]);
}
static void get_length(const struct data *d, const int at[3], char *out)
{
    int ref = (int)strlen(d->allele[at[0]][0]);
    put_int(out, d->length[at[0]] > ref ? d->length[at[0]] : ref);
}
static void get_allele(const struct data *d, const int at[3], char *out)
{
    strcpy(out, at[1] < d->n_alleles[at[0]] ? d->allele[at[0]][at[1]] : "");
}
static void get_id(const struct data *d, const int at[3], char *out)
{
    (void)d;
    sprintf(out, "id%d", at[0]);
}
static void get_filter(const struct data *d, const int at[3], char *out)
{
    bool pass = d->pass[at[0]], both = !pass && at[0] % 3 == 0;
    out[0] = at[1] == 0 ? pass || both : !pass;
}
static void get_multiallelic(const struct data *d, const int at[3], char *out)
{
    out[0] = d->n_alleles[at[0]] > 2;
}
static void get_sample_id(const struct data *d, const int at[3], char *out)
{
    (void)d;
    sprintf(out, "S%d", at[0]);
}
static void get_contig_id(const struct data *d, const int at[3], char *out)
{
    (void)d;
    strcpy(out, contig_names[at[0]]);
}
static void get_filter_id(const struct data *d, const int at[3], char *out)
{
    (void)d;
    strcpy(out, at[0] ? "q10" : "PASS");
}

static void put_sites(const char *store, const struct data *d, int chunk)
{
    put_array(store, (struct array){"variant_contig", "|i1", NULL, 1, {SITES}, {chunk}, 1}, d, get_contig);
    put_array(store, (struct array){"variant_position", "<i4", NULL, 1, {SITES}, {chunk}, 4}, d, get_position);
    put_array(store, (struct array){"variant_length", "<i4", NULL, 1, {SITES}, {2 * chunk}, 4}, d, get_length);
    put_array(store, (struct array){"variant_id", "|O", NULL, 1, {SITES}, {chunk}, 0}, d, get_id);
    put_array(store, (struct array){"variant_allele", "|O", NULL, 2, {SITES, ALLELES}, {chunk, 2}, 0}, d, get_allele);
    put_array(store, (struct array){"variant_filter", "|b1", NULL, 2, {SITES, 2}, {chunk, 2}, 1}, d, get_filter);
    put_array(store, (struct array){"sample_id", "|O", NULL, 1, {SAMPLES}, {SAMPLES}, 0}, d, get_sample_id);
    put_array(store, (struct array){"contig_id", "|O", NULL, 1, {CONTIGS}, {CONTIGS}, 0}, d, get_contig_id);
    put_array(store, (struct array){"filter_id", "|O", NULL, 1, {2}, {2}, 0}, d, get_filter_id);
}

static void start_store(const char *store)
{
    char path[4400];
    mkdir(store, 0777);
    snprintf(path, sizeof path, "%s/.zgroup", store);
    FILE *f = fopen(path, "w");
    fputs("{\"zarr_format\": 2}", f);
    fclose(f);
}

__attribute__((unused)) static void write_calls(const struct data *d, const char *store)
{
    start_store(store);
    put_sites(store, d, 50);
    put_array(store, (struct array){"call_genotype", "|i1", NULL, 3, {SITES, SAMPLES, 2}, {37, 10, 2}, 1}, d, get_call);
}

/* Room for three alleles in a call: the one that is not there is the last, or the second. */
static void get_wide_call(const struct data *d, const int at[3], char *out)
{
    struct call c = d->call[at[0]][at[1]];
    out[0] = (char)(at[2] == 0 ? c.a : at[2] == 1 + at[0] % 2 ? c.b : -2);
}

__attribute__((unused)) static void write_wide_calls(const struct data *d, const char *store)
{
    start_store(store);
    put_sites(store, d, 50);
    put_array(store, (struct array){"call_genotype", "|i1", NULL, 3, {SITES, SAMPLES, 3}, {29, 7, 2}, 1}, d, get_wide_call);
}

__attribute__((unused)) static void write_packed(const struct data *d, const char *store)
{
    start_store(store);
    put_sites(store, d, 64);
    put_array(store, (struct array){"variant_multiallelic", "|b1", NULL, 1, {SITES}, {64}, 1}, d, get_multiallelic);
    put_array(store,
              (struct array){"packed_dosage",
                             "|u1",
                             "\"gt_packed\": {\"bits\": 2, \"samples\": 23, \"missing\": 3}",
                             2,
                             {SITES, (SAMPLES + 3) / 4},
                             {32, 4},
                             1},
              d, get_dosages);
}

#endif
