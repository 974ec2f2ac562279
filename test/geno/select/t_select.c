/* The selection options in random combinations against a plain implementation, over VCF,
 * BCF, stores of calls and a packed store: rows, sites, samples, every count. */
#include <unistd.h>

#include "test/support/geno_test.h"
#include "test/support/scratch.h"
#include "test/support/select_data.h"

enum kind { VCF, BCF, CALLS, WIDE, PACKED, KINDS };
static const char *const files[KINDS] = {"all.vcf", "all.bcf", "calls.zarr", "wide.zarr", "packed.zarr"};

struct interval {
    int contig, from, to;
};

struct want {
    enum kind kind;
    int n_samples, samples[SAMPLES]; /* in order, before --mind */
    int slice[3];                    /* start, stop, step; step 0 = none */
    int n_regions;                   /* -1 = none */
    struct interval region[8];
    const char *contigs;
};

/* What comes out. */
struct row {
    int record, alt; /* alt 0: all ALTs count */
};
struct result {
    int n_samples, samples[SAMPLES], n;
    struct row row[SITES * (ALLELES - 1)];
    struct gt_select_stats stats;
};

/* --- the plain implementation ---------------------------------------------------------- */

static int one_alt(int allele, int alt)
{
    return allele > 0 && alt ? allele == alt : allele;
}

/* Code of a call; *hets: it has two different ALTs. */
static int code(struct call c, int alt, const struct gt_select_opts *o, bool *hets)
{
    *hets = !alt && c.a > 0 && c.b > 0 && c.a != c.b;
    c.a = one_alt(c.a, alt);
    c.b = one_alt(c.b, alt);
    if (c.a < 0 && c.b < 0)
        return 3;
    if (c.b == -2)
        return c.a > 0 ? 2 : 0;
    if (c.a >= 0 && c.b >= 0)
        return (c.a > 0) + (c.b > 0);
    int allele = c.a >= 0 ? c.a : c.b;
    return o->half_call == GT_HALF_HAPLOID ? (allele > 0 ? 2 : 0) : o->half_call == GT_HALF_REFERENCE ? allele > 0 : 3;
}

static bool in_regions(const struct data *d, int v, const struct want *w)
{
    int ref = (int)strlen(d->allele[v][0]), length = d->length[v] > ref ? d->length[v] : ref;
    bool in = w->n_regions < 0;
    for (int i = 0; i < w->n_regions; i++)
        in |= d->contig[v] == w->region[i].contig && d->pos[v] <= w->region[i].to && d->pos[v] + length - 1 >= w->region[i].from;
    return in;
}

static bool is_snp(const struct data *d, int v, int alt)
{
    bool snp = strlen(d->allele[v][0]) == 1;
    for (int a = 1; a < d->n_alleles[v]; a++)
        snp &= (alt && a != alt) || strlen(d->allele[v][a]) == 1;
    return snp;
}

static bool record_passes(const struct data *d, int v, const struct want *w, const struct gt_select_opts *o, struct gt_select_stats *t)
{
    int n = d->n_alleles[v];
    t->sites_in++;
    if (w->slice[2] && (v < w->slice[0] || v >= w->slice[1] || (v - w->slice[0]) % w->slice[2]))
        return t->dropped_slice++, false;
    if (o->thin > 1 && v % o->thin)
        return t->dropped_thin++, false;
    if (w->contigs && ((*w->contigs == 'a' && d->contig[v] == 2) || (*w->contigs == 'X' && d->contig[v] == 1)))
        return t->dropped_contig++, false;
    if (!in_regions(d, v, w))
        return t->dropped_region++, false;
    if (o->pass && !d->pass[v])
        return t->dropped_pass++, false;
    if ((o->min_alleles && n < o->min_alleles) || (o->max_alleles && n > o->max_alleles))
        return t->dropped_alleles++, false;
    if (o->biallelic && n != 2)
        return t->dropped_biallelic++, false;
    if (o->snps && !(o->split && n > 2) && !is_snp(d, v, 0))
        return t->dropped_snps++, false;
    return true;
}

/* Rows of the record that filters of sites let through: the ALT of each. */
static int rows_of(const struct data *d, int v, const struct gt_select_opts *o, int alts[ALLELES], struct gt_select_stats *t)
{
    int n = 0;
    if (!o->split || d->n_alleles[v] < 3) {
        alts[0] = 0;
        return 1;
    }
    for (int a = 1; a < d->n_alleles[v]; a++) {
        t->split_rows += a > 1;
        if (o->snps && !is_snp(d, v, a))
            t->dropped_snps++;
        else
            alts[n++] = a;
    }
    return n;
}

/* Two different alleles among the calls; not the packed store's business to know which. */
static bool is_polymorphic(const struct data *d, struct row row, const struct want *w, const struct gt_select_opts *o,
                           const struct result *r, struct gt_select_stats *t)
{
    bool seen[ALLELES] = {false}, hets;
    int counts[4] = {0}, n = 0;
    for (int i = 0; i < r->n_samples; i++) {
        struct call c = d->call[row.record][r->samples[i]];
        int g = code(c, row.alt, o, &hets);
        counts[g]++;
        if (g == 3)
            continue;
        if (c.a >= 0)
            seen[one_alt(c.a, row.alt)] = true;
        if (c.b >= 0)
            seen[one_alt(c.b, row.alt)] = true;
        if (o->half_call == GT_HALF_REFERENCE && (c.a == -1 || c.b == -1))
            seen[0] = true;
    }
    for (int a = 0; a < ALLELES; a++)
        n += seen[a];
    if (w->kind != PACKED || d->n_alleles[row.record] < 3)
        return n > 1;
    if (counts[1] || (counts[0] && counts[2]))
        return true;
    t->not_known_polymorphic += counts[2] > 0;
    return false;
}

static bool calls_pass(const struct data *d, struct row row, const struct want *w, const struct gt_select_opts *o, struct result *r)
{
    struct gt_select_stats *t = &r->stats;
    int missing = 0, alt = 0;
    bool hets;
    for (int i = 0; i < r->n_samples; i++) {
        int g = code(d->call[row.record][r->samples[i]], row.alt, o, &hets);
        missing += g == 3;
        alt += g == 3 ? 0 : g;
    }
    int total = 2 * (r->n_samples - missing), minor = alt < total - alt ? alt : total - alt;
    if (o->polymorphic && !is_polymorphic(d, row, w, o, r, t))
        return t->dropped_polymorphic++, false;
    if (o->geno >= 0 && (double)missing / r->n_samples > o->geno)
        return t->dropped_geno++, false;
    if (o->maf > 0 && !(total && (double)minor / total >= o->maf))
        return t->dropped_maf++, false;
    t->missing += missing;
    t->multiallelic += !row.alt && d->n_alleles[row.record] > 2;
    t->pooled += w->kind == PACKED && d->n_alleles[row.record] > 2;
    return true;
}

/* Half calls and haploid calls of the record, whether or not genotype filters keep it. */
static void count_calls(const struct data *d, int v, const struct want *w, struct result *r)
{
    for (int i = 0; i < r->n_samples && w->kind != PACKED; i++) {
        struct call c = d->call[v][r->samples[i]];
        r->stats.half_calls += (c.a >= 0 && c.b == -1) || (c.a == -1 && c.b >= 0);
        r->stats.haploid_calls += c.a >= 0 && c.b == -2;
    }
}

static void apply_mind(const struct data *d, const struct want *w, const struct gt_select_opts *o, struct result *r)
{
    for (int i = 0; i < w->n_samples; i++) {
        int missing = 0, sites = 0;
        for (int v = 0; v < SITES; v++) {
            struct gt_select_stats none = {0};
            int alts[ALLELES], n = record_passes(d, v, w, o, &none) ? rows_of(d, v, o, alts, &none) : 0;
            bool hets;
            sites += n;
            for (int k = 0; k < n; k++)
                missing += code(d->call[v][w->samples[i]], alts[k], o, &hets) == 3;
        }
        if (o->mind < 0 || sites == 0 || (double)missing / sites <= o->mind)
            r->samples[r->n_samples++] = w->samples[i];
    }
}

static void expect(const struct data *d, const struct want *w, const struct gt_select_opts *o, struct result *r)
{
    memset(r, 0, sizeof *r);
    apply_mind(d, w, o, r);
    r->stats.samples_in = SAMPLES;
    r->stats.samples_kept = r->n_samples;
    r->stats.dropped_mind = w->n_samples - r->n_samples;
    for (int v = 0; v < SITES; v++) {
        int alts[ALLELES], n = record_passes(d, v, w, o, &r->stats) ? rows_of(d, v, o, alts, &r->stats) : 0;
        if (n)
            count_calls(d, v, w, r);
        for (int k = 0; k < n; k++)
            if (calls_pass(d, (struct row){v, alts[k]}, w, o, r))
                r->row[r->n++] = (struct row){v, alts[k]};
    }
    r->stats.sites_kept = r->n;
    r->stats.genotypes = (int64_t)r->n * r->n_samples;
}

/* --- does the source agree? --------------------------------------------------------------- */

static bool same_samples(const struct whole *all, const struct result *r)
{
    if (all->samples.n != (size_t)r->n_samples)
        return diag("%zu samples, not %d", all->samples.n, r->n_samples), false;
    for (int i = 0; i < r->n_samples; i++)
        if (atoi(gt_strs_get(&all->samples, (size_t)i) + 1) != r->samples[i])
            return diag("sample %d is %s, not S%d", i, gt_strs_get(&all->samples, (size_t)i), r->samples[i]), false;
    return true;
}

static bool same_site(const struct data *d, const struct gt_block *block, int64_t at, struct row row)
{
    const struct gt_site *site = &gt_block_sites(block)[at];
    int v = row.record, n = row.alt ? 2 : d->n_alleles[v];
    bool same = atoi(gt_strs_get(&block->ids, site->id) + 2) == v && site->position == d->pos[v] && site->contig == d->contig[v] &&
                site->n_alleles == n && site->multiallelic == (n > 2);
    for (int a = 0; same && a < n; a++)
        same = strcmp(gt_strs_get(&block->alleles, site->first_allele + (size_t)a), d->allele[v][a && row.alt ? row.alt : a]) == 0;
    if (!same)
        diag("row %lld is %s with %d alleles, not id%d with %d", (long long)at, gt_strs_get(&block->ids, site->id), site->n_alleles, v, n);
    return same;
}

static bool same_calls(const struct data *d, const struct whole *all, int64_t at, struct row row, const struct want *w,
                       const struct gt_select_opts *o, const struct result *r)
{
    const struct gt_site *site = &gt_block_sites(&all->block)[at];
    const uint8_t *hets = gt_block_hets(&all->block, site);
    if (w->kind == PACKED ? hets != NULL : site->multiallelic != (hets != NULL))
        return diag("row %lld: heterozygotes are %sknown", (long long)at, hets ? "" : "not "), false;
    for (int i = 0; i < r->n_samples; i++) {
        bool het;
        int g = code(d->call[row.record][r->samples[i]], row.alt, o, &het);
        if (code_at(&all->block, at, i) != g)
            return diag("id%d, sample %d: %d, not %d", row.record, r->samples[i], code_at(&all->block, at, i), g), false;
        if (hets && (hets[i / 4] >> 2 * (i % 4) & 3) != het)
            return diag("id%d, sample %d: heterozygote %d", row.record, r->samples[i], het), false;
    }
    return true;
}

static bool same_stats(const struct gt_select_stats *a, const struct gt_select_stats *b)
{
    const int64_t *x = (const int64_t *)a, *y = (const int64_t *)b;
    bool same = true;
    for (size_t i = 0; i < sizeof *a / sizeof *x; i++)
        if (x[i] != y[i])
            diag("count %zu is %lld, not %lld", i, (long long)x[i], (long long)y[i]), same = false;
    return same;
}

static bool agrees(const struct data *d, const struct want *w, const struct gt_select_opts *o, const struct whole *all,
                   const struct result *r)
{
    if (!same_samples(all, r))
        return false;
    if (all->block.n != r->n)
        return diag("%lld rows, not %d", (long long)all->block.n, r->n), false;
    for (int at = 0; at < r->n; at++)
        if (!same_site(d, &all->block, at, r->row[at]) || !same_calls(d, all, at, r->row[at], w, o, r))
            return false;
    return same_stats(&all->stats, &r->stats);
}

/* --- random options ---------------------------------------------------------------------- */

/* Listed samples, as -s or -S would have them, one of the forms of a line each. */
static void put_list(const int *list, int n, struct gt_select_opts *o, bool exclude, char *text, size_t room)
{
    char *p = text + snprintf(text, room, "%s", exclude ? "^" : "");
    for (int i = 0; i < n; i++)
        p += sprintf(p, "%sS%d", i ? "," : "", list[i]);
    o->samples = text;
    if (rnd(2))
        return;
    const char *path = "samples.txt";
    FILE *f = fopen(path, "w");
    if (rnd(2))
        fputs("#FID\tIID\n", f);
    for (int i = 0; i < n; i++)
        rnd(2) ? fprintf(f, "S%d\n", list[i]) : fprintf(f, "F%d S%d\n", list[n - 1 - i], list[i]);
    fclose(f);
    snprintf(text, room, "%s%s", exclude ? "^" : "", path);
    o->samples_file = text;
    o->samples = NULL;
}

static void choose_samples(struct want *w, struct gt_select_opts *o, char *text, size_t room)
{
    bool used[SAMPLES] = {false};
    int n = 1 + rnd(SAMPLES - 1), how = rnd(4), list[SAMPLES];
    w->n_samples = SAMPLES;
    for (int s = 0; s < SAMPLES; s++)
        w->samples[s] = s;
    if (how == 0)
        return;
    for (int i = 0; i < n; i++) {
        do
            list[i] = rnd(SAMPLES);
        while (used[list[i]]);
        used[list[i]] = true;
    }
    w->n_samples = 0;
    for (int s = 0; s < SAMPLES && how == 1; s++)
        if (!used[s])
            w->samples[w->n_samples++] = s;
    if (how != 1)
        memcpy(w->samples, list, (size_t)(w->n_samples = n) * sizeof *list);
    put_list(list, n, o, how == 1, text, room);
}

/* Slices number the input, whatever a list has chosen. */
static void choose_slice(struct want *w, struct gt_select_opts *o, char *text, size_t room)
{
    int n = 0, start = rnd(SAMPLES), stop = 1 + rnd(SAMPLES), step = 1 + rnd(3);
    if (rnd(3))
        return;
    w->slice[0] = rnd(SITES);
    w->slice[1] = rnd(SITES);
    w->slice[2] = 1 + rnd(3);
    int used = snprintf(text, room, "%d:%d:%d", w->slice[0] - (rnd(2) ? SITES : 0), w->slice[1], w->slice[2]);
    o->slice = text;
    if (rnd(2))
        return;
    if (rnd(2)) {
        used = snprintf(text, room, ":");
        w->slice[2] = 0;
    }
    snprintf(text + used, room - (size_t)used, ",%d:%d:%d", start - (rnd(2) ? SAMPLES : 0), stop, step);
    for (int i = 0; i < w->n_samples; i++)
        if (w->samples[i] >= start && w->samples[i] < stop && (w->samples[i] - start) % step == 0)
            w->samples[n++] = w->samples[i];
    w->n_samples = n;
}

/* Nested, overlapping, touching, in any order; written as a list, a .bed or a table. */
static void choose_regions(struct want *w, struct gt_select_opts *o, char *text, size_t room)
{
    int form = rnd(3);
    w->n_regions = -1;
    if (rnd(2))
        return;
    w->n_regions = 1 + rnd(8);
    for (int i = 0; i < w->n_regions; i++) {
        struct interval *r = &w->region[i], *before = &w->region[rnd(i + 1)];
        *r = (struct interval){rnd(CONTIGS), 1 + rnd(400), 0};
        r->to = r->from + rnd(120);
        if (i && rnd(2)) /* inside another one, or right behind it */
            *r = rnd(3) ? (struct interval){before->contig, before->from + rnd(before->to - before->from + 1), before->to}
                        : (struct interval){before->contig, before->to + 1, before->to + 1 + rnd(30)};
    }
    const char *path = (form == 1 ? "regions.bed" : "regions.txt");
    FILE *f = fopen(path, "w");
    char *p = text;
    for (int i = 0; i < w->n_regions; i++) {
        const struct interval *r = &w->region[i];
        p += sprintf(p, "%s%s:%d-%d", i ? "," : "", contig_names[r->contig], r->from, r->to);
        fprintf(f, "%s\t%d\t%d\n", contig_names[r->contig], r->from - (form == 1), r->to);
    }
    fclose(f);
    if (form)
        snprintf(text, room, "%s", path);
    *(form ? &o->regions_file : &o->regions) = text;
}

static void choose_filters(struct want *w, struct gt_select_opts *o)
{
    if (rnd(3) == 0)
        o->contigs = w->contigs = rnd(2) ? "autosomes" : "X,chr1";
    o->thin = rnd(4) ? 0 : 2 + rnd(3);
    o->pass = rnd(4) == 0;
    o->snps = rnd(4) == 0;
    o->split = w->kind != PACKED && rnd(3) == 0;
    o->biallelic = !o->split && rnd(5) == 0;
    o->min_alleles = rnd(4) ? 0 : 1 + rnd(3);
    o->max_alleles = rnd(4) ? 0 : (o->min_alleles > 1 ? o->min_alleles : 2) + rnd(2);
    o->polymorphic = rnd(3) == 0;
    o->geno = rnd(3) ? -1 : rnd(40) / 100.;
    o->maf = rnd(3) ? -1 : rnd(30) / 100.;
    o->mind = rnd(4) ? -1 : 0.05 + rnd(20) / 100.;
    o->ploidy = 2; /* haploid data: test/cmd/common/ploidy.bats */
    o->half_call = w->kind == PACKED ? GT_HALF_UNSAID : (enum gt_half_call)rnd(GT_HALF_ERROR);
}

static void show(const struct want *w, const struct gt_select_opts *o)
{
    diag("-s %s -S %s --slice %s -r %s -R %s --contigs %s --thin %d%s%s%s%s%s --min-alleles %d --max-alleles %d", o->samples,
         o->samples_file, o->slice, o->regions, o->regions_file, o->contigs, (int)o->thin, o->pass ? " --pass" : "",
         o->snps ? " --snps" : "", o->biallelic ? " --biallelic" : "", o->polymorphic ? " --polymorphic" : "", o->split ? " --split" : "",
         (int)o->min_alleles, (int)o->max_alleles);
    diag("--geno %g --maf %g --mind %g --half-call %d, %d samples", o->geno, o->maf, o->mind, o->half_call, w->n_samples);
}

static void trial(const struct data *d, struct gt_engine *engine, int number)
{
    static struct result r;
    struct gt_select_opts o = GT_SELECT_ALL;
    struct want w = {.kind = (enum kind)(number % KINDS)};
    char samples[1024], slice[96], regions[1024];
    struct whole all;
    struct gt_err err;
    choose_samples(&w, &o, samples, sizeof samples);
    choose_slice(&w, &o, slice, sizeof slice);
    choose_regions(&w, &o, regions, sizeof regions);
    choose_filters(&w, &o);
    int status = read_path(engine, files[w.kind], &o, GT_SITE_ALL | GT_SITE_HETS, &all, &err);
    expect(d, &w, &o, &r);
    bool agreed = status == 0 && agrees(d, &w, &o, &all, &r);
    if (!agreed && r.n_samples)
        show(&w, &o);
    if (r.n_samples == 0)
        ok(status == GT_INPUT && strstr(err.msg, "sample"), "trial %d: no samples left: %s", number, err.msg);
    else
        ok(agreed, "trial %d: %s %s%s", number, files[w.kind], err.msg, o.split ? " (split)" : "");
    whole_release(&all);
}

int main(void)
{
    static struct data d;
    scratch_open();
    struct gt_engine *engine = new_engine(3, 0);
    make(&d);
    write_vcf(&d, "all.vcf", 0, SITES, true);
    write_bcf("all.vcf", "all.bcf", "wb", NULL);
    write_calls(&d, "calls.zarr");
    write_wide_calls(&d, "wide.zarr");
    write_packed(&d, "packed.zarr");
    for (int i = 0; i < 800; i++)
        trial(&d, engine, i);
    free_engine(engine);
    scratch_close();
    return done_testing();
}
