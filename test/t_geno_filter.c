/* Every selection option against a plain implementation, on made-up calls read from
 * VCF text; several inputs joined; standard input read twice. */
#include <htslib/vcf.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "test/geno_test.h"

enum { SAMPLES = 23, SITES = 400, CONTIGS = 3 };

static const char *const contig_names[CONTIGS] = {"chr1", "chr2", "X"};

struct call {
    int a, b; /* -1 missing; b = -2: haploid */
};

struct data {
    struct call call[SITES][SAMPLES];
    int contig[SITES], pos[SITES], length[SITES], n_alleles[SITES];
    bool pass[SITES], snp[SITES];
};

static char dir[4096];

static unsigned long state = 88172645463325252UL;
static int rnd(int n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)(state % (unsigned long)n);
}

static const char *temp(const char *name)
{
    static char path[8][4200];
    static int at;
    at = (at + 1) % 8;
    snprintf(path[at], sizeof path[at], "%s/%s", dir, name);
    return path[at];
}

static void make(struct data *d)
{
    int pos = 1, contig = 0;
    for (int v = 0; v < SITES; v++) {
        if (v == SITES / 2 || v == SITES * 3 / 4)
            contig++, pos = 1;
        pos += rnd(5);
        d->contig[v] = contig;
        d->pos[v] = pos;
        d->n_alleles[v] = rnd(6) == 0 ? 3 : rnd(12) == 0 ? 1 : 2;
        d->length[v] = rnd(5) ? 1 : 1 + rnd(9);
        d->snp[v] = d->length[v] == 1 && rnd(9);
        d->pass[v] = rnd(4) > 0;
        int common = 1 + rnd(10), gaps = rnd(3) ? 30 : 4;
        for (int s = 0; s < SAMPLES; s++) {
            struct call *c = &d->call[v][s];
            c->a = rnd(common) == 0 ? rnd(d->n_alleles[v]) : 0;
            c->b = rnd(common) == 0 ? rnd(d->n_alleles[v]) : 0;
            if (rnd(gaps) == 0)
                c->a = c->b = -1;
            if (rnd(40) == 0)
                c->b = -1;
            if (contig == 2 && s % 3 == 0)
                c->b = -2;
        }
    }
}

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
        bool more = v % 7 == 0, long_ref = d->length[v] > 1 && v % 2;
        fprintf(f, "\n%s\t%d\tid%d\t%.*s\t%s", contig_names[d->contig[v]], d->pos[v], v, long_ref ? d->length[v] : 1, "ACGTACGTACGT",
                d->n_alleles[v] == 1   ? "."
                : d->n_alleles[v] == 2 ? (d->snp[v] ? "G" : "<DEL>")
                                       : (d->snp[v] ? "G,T" : "GG,T"));
        fprintf(f, "\t.\t%s\t", d->pass[v] ? "PASS" : v % 3 ? "q10" : "q10;PASS");
        if (d->length[v] > 1 && !long_ref)
            fprintf(f, "DP=4;END=%d", d->pos[v] + d->length[v] - 1);
        else
            fputc('.', f);
        fputs(more ? "\tGT:DP" : "\tGT", f);
        for (int s = 0; s < SAMPLES; s++) {
            fputc('\t', f);
            put_call(f, d->call[v][s], more);
        }
    }
    fputc('\n', f);
    fclose(f);
}

static void write_bcf(const char *from, const char *to)
{
    htsFile *in = hts_open(from, "r"), *out = hts_open(to, "wb");
    bcf_hdr_t *hdr = bcf_hdr_read(in);
    bcf1_t *rec = bcf_init();
    int failed = bcf_hdr_write(out, hdr);
    while (!failed && bcf_read(in, hdr, rec) == 0)
        failed = bcf_write(out, hdr, rec);
    if (failed)
        printf("Bail out! cannot write\n");
    bcf_destroy(rec);
    bcf_hdr_destroy(hdr);
    hts_close(in);
    hts_close(out);
}

/* --- the plain implementation ---------------------------------------------------------- */

static int code(struct call c, const struct gt_select_opts *o)
{
    int one = o->haploid == 1 ? 1 : 2;
    if (c.a < 0 && c.b < 0)
        return 3;
    if (c.b == -2)
        return c.a > 0 ? one : 0;
    if (c.a >= 0 && c.b >= 0)
        return (c.a > 0) + (c.b > 0);
    int allele = c.a >= 0 ? c.a : c.b;
    return o->half_call == GT_HALF_HAPLOID ? (allele > 0 ? one : 0) : o->half_call == GT_HALF_REFERENCE ? allele > 0 : 3;
}

struct want {
    int n_samples, samples[SAMPLES]; /* in order, before --mind */
    int slice[3];                    /* start, stop, step; step 0 = none */
    int contig, from, to;            /* region; contig -1 = none */
    const char *contigs;             /* --contigs */
};

static bool site_passes(const struct data *d, int v, const struct want *w, const struct gt_select_opts *o)
{
    if (w->slice[2] && (v < w->slice[0] || v >= w->slice[1] || (v - w->slice[0]) % w->slice[2]))
        return false;
    if (o->thin > 1 && v % o->thin)
        return false;
    if (w->contigs && strcmp(w->contigs, "autosomes") == 0 && d->contig[v] == 2)
        return false;
    if (w->contigs && strcmp(w->contigs, "X,chr1") == 0 && d->contig[v] == 1)
        return false;
    if (w->contig >= 0 && (d->contig[v] != w->contig || d->pos[v] > w->to || d->pos[v] + d->length[v] - 1 < w->from))
        return false;
    return (!o->pass || d->pass[v]) && (!o->snps || (d->snp[v] || (d->n_alleles[v] == 1 && !(d->length[v] > 1 && v % 2))));
}

static bool calls_pass(const struct data *d, int v, const int *samples, int n, const struct gt_select_opts *o)
{
    int missing = 0, alt = 0, seen[3] = {0};
    for (int i = 0; i < n; i++) {
        struct call c = d->call[v][samples[i]];
        int g = code(c, o);
        missing += g == 3;
        alt += g == 3 ? 0 : g;
        if (g != 3 && c.a >= 0)
            seen[c.a] = 1;
        if (g != 3 && c.b >= 0)
            seen[c.b] = 1;
        if (g != 3 && (c.a == -1 || c.b == -1) && o->half_call == GT_HALF_REFERENCE)
            seen[0] = 1;
    }
    int total = 2 * (n - missing), minor = alt < total - alt ? alt : total - alt;
    if (o->biallelic && seen[0] + seen[1] + seen[2] != 2)
        return false;
    if (o->geno >= 0 && (double)missing / n > o->geno)
        return false;
    return o->maf < 0 || (total && (double)minor / total >= o->maf) || o->maf == 0;
}

static int apply_mind(const struct data *d, const struct want *w, const struct gt_select_opts *o, int *samples)
{
    int n = 0;
    for (int i = 0; i < w->n_samples; i++) {
        int missing = 0, sites = 0;
        for (int v = 0; v < SITES; v++) {
            if (!site_passes(d, v, w, o))
                continue;
            sites++;
            missing += code(d->call[v][w->samples[i]], o) == 3;
        }
        if (o->mind < 0 || sites == 0 || (double)missing / sites <= o->mind)
            samples[n++] = w->samples[i];
    }
    return n;
}

static bool agrees(const struct data *d, const struct want *w, const struct gt_select_opts *o, const struct whole *all)
{
    int samples[SAMPLES], n = apply_mind(d, w, o, samples);
    int64_t out = 0, sites = 0;
    if (all->samples.n != (size_t)n)
        return diag("%zu samples, not %d", all->samples.n, n), false;
    for (int i = 0; i < n; i++)
        if (atoi(gt_strs_get(&all->samples, (size_t)i) + 1) != samples[i])
            return diag("sample %d is %s, not S%d", i, gt_strs_get(&all->samples, (size_t)i), samples[i]), false;
    for (int v = 0; v < SITES; v++) {
        if (!site_passes(d, v, w, o) || !calls_pass(d, v, samples, n, o))
            continue;
        if (out >= all->block.n)
            return diag("site %d is missing", v), false;
        const struct gt_site *site = &gt_block_sites(&all->block)[out];
        if (atoi(gt_strs_get(&all->block.ids, site->id) + 2) != v)
            return diag("%s where id%d should be", gt_strs_get(&all->block.ids, site->id), v), false;
        for (int i = 0; i < n; i++)
            if (code_at(&all->block, out, i) != code(d->call[v][samples[i]], o))
                return diag("site %d, sample %d: %d", v, samples[i], code_at(&all->block, out, i)), false;
        out++;
    }
    const struct gt_select_stats *t = &all->stats;
    sites = t->sites_kept + t->dropped_region + t->dropped_contig + t->dropped_pass + t->dropped_snps + t->dropped_biallelic +
            t->dropped_geno + t->dropped_maf + t->dropped_thin + t->dropped_slice;
    if (t->sites_in != SITES || sites != SITES || t->sites_kept != out || t->genotypes != out * n)
        return diag("%lld in, %lld counted, %lld kept of %lld", (long long)t->sites_in, (long long)sites, (long long)t->sites_kept,
                    (long long)out),
               false;
    if (t->samples_in != SAMPLES || t->samples_kept != n || t->dropped_mind != w->n_samples - n)
        return diag("sample counts"), false;
    return out == all->block.n;
}

/* --- random options ---------------------------------------------------------------------- */

static void choose_samples(struct want *w, struct gt_select_opts *o, char *text, size_t room)
{
    bool used[SAMPLES] = {false};
    int n = 1 + rnd(SAMPLES - 1), how = rnd(4);
    w->n_samples = SAMPLES;
    for (int s = 0; s < SAMPLES; s++)
        w->samples[s] = s;
    if (how == 0)
        return;
    char *p = text + snprintf(text, room, "%s", how == 1 ? "^" : "");
    int listed[SAMPLES];
    for (int i = 0; i < n; i++) {
        do
            listed[i] = rnd(SAMPLES);
        while (used[listed[i]]);
        used[listed[i]] = true;
        p += sprintf(p, "%sS%d", i ? "," : "", listed[i]);
    }
    if (how == 1) {
        w->n_samples = 0;
        for (int s = 0; s < SAMPLES; s++)
            if (!used[s])
                w->samples[w->n_samples++] = s;
    } else {
        w->n_samples = n;
        memcpy(w->samples, listed, sizeof listed);
    }
    o->samples = text;
    if (rnd(2)) { /* the same from a file */
        const char *path = temp("samples.txt");
        FILE *f = fopen(path, "w");
        for (p = text + (how == 1); *p; p++)
            fputc(*p == ',' ? '\n' : *p, f);
        fclose(f);
        snprintf(text, room, "%s%s", how == 1 ? "^" : "", path);
        o->samples_file = text;
        o->samples = NULL;
    }
}

static void choose_sites(struct want *w, struct gt_select_opts *o, char *text, size_t room)
{
    static char regions[256];
    w->contig = -1;
    if (rnd(3) == 0) {
        w->contig = rnd(CONTIGS);
        w->from = 1 + rnd(200);
        w->to = w->from + rnd(200);
        snprintf(regions, sizeof regions, "%s:%d-%d,%s:%d-%d", contig_names[w->contig], w->from, (w->from + w->to) / 2,
                 contig_names[w->contig], (w->from + w->to) / 2 + 1, w->to);
        o->regions = regions;
        if (rnd(2)) {
            const char *path = temp("regions.bed");
            FILE *f = fopen(path, "w");
            fprintf(f, "%s\t%d\t%d\n", contig_names[w->contig], w->from - 1, w->to);
            fclose(f);
            snprintf(regions, sizeof regions, "%s", path);
            o->regions_file = regions;
            o->regions = NULL;
        }
    }
    if (rnd(4) == 0) {
        w->slice[0] = rnd(SITES);
        w->slice[1] = rnd(SITES);
        w->slice[2] = 1 + rnd(3);
        snprintf(text, room, "%d:%d:%d", w->slice[0] - (rnd(2) ? SITES : 0), w->slice[1], w->slice[2]);
        o->slice = text;
    }
    if (rnd(3) == 0)
        o->contigs = w->contigs = rnd(2) ? "autosomes" : "X,chr1";
    o->thin = rnd(4) ? 0 : 1 + rnd(4);
    o->pass = rnd(4) == 0;
    o->snps = rnd(4) == 0;
}

static void trial(const struct data *d, struct gt_engine *engine, int number)
{
    struct gt_select_opts o = GT_SELECT_ALL;
    struct want w = {.n_samples = 0};
    char samples[1024], slice[64];
    struct whole all;
    struct gt_err err;
    choose_samples(&w, &o, samples, sizeof samples);
    choose_sites(&w, &o, slice, sizeof slice);
    o.biallelic = rnd(4) == 0;
    o.geno = rnd(3) ? -1 : rnd(40) / 100.;
    o.maf = rnd(3) ? -1 : rnd(30) / 100.;
    o.mind = rnd(4) ? -1 : 0.05 + rnd(20) / 100.;
    o.haploid = rnd(3);
    o.half_call = (enum gt_half_call)rnd(3);
    int status = read_path(engine, temp(number % 3 ? "all.vcf" : "all.bcf"), &o, GT_SITE_ID | GT_SITE_POS, &all, &err);
    int left[SAMPLES];
    if (status && apply_mind(d, &w, &o, left) == 0)
        ok(status == GT_INPUT, "trial %d: no samples left: %s", number, err.msg);
    else
        ok(status == 0 && agrees(d, &w, &o, &all), "trial %d: %s %s", number, status ? err.msg : "as the plain implementation",
           o.biallelic ? "(biallelic)" : "");
    whole_release(&all);
}

/* --- joined inputs ------------------------------------------------------------------------ */

static void test_joined(const struct data *d, struct gt_engine *engine)
{
    struct whole one, many;
    struct gt_err err;
    struct gt_select_opts o = GT_SELECT_ALL;
    o.slice = "-350:-20:3";
    write_vcf(d, temp("c.vcf"), 0, 100, true);
    write_vcf(d, temp("b.vcf"), 100, 250, true);
    write_vcf(d, temp("a.vcf"), 250, SITES, true);
    const char *paths[] = {strdup(temp("a.vcf")), strdup(temp("b.vcf")), strdup(temp("c.vcf")), NULL};
    /* pieces must not share a position where they meet */
    bool clean = d->pos[99] < d->pos[100] && d->pos[249] < d->pos[250];
    int status = read_path(engine, temp("all.vcf"), &o, GT_SITE_ALL, &one, &err);
    ok(status == 0, "one input%s", err.msg);
    status = read_paths(engine, paths, 3, &o, GT_SITE_ALL, &many, &err);
    ok(clean && status == 0 && same_rows(&one.block, &many.block, SAMPLES), "three inputs in any order are one: %s", err.msg);
    ok(many.block.n == one.block.n && one.block.n == 110, "a slice counts the joined variants: %lld", (long long)many.block.n);
    whole_release(&one);
    whole_release(&many);

    free((void *)paths[2]);
    paths[2] = paths[0];
    status = read_paths(engine, paths, 3, NULL, GT_SITE_ALL, &many, &err);
    ok(status == GT_INPUT && strstr(err.msg, "overlaps"), "overlapping inputs: %s", err.msg);
    whole_release(&many);

    o = (struct gt_select_opts)GT_SELECT_ALL;
    o.regions = "chr9";
    status = read_paths(engine, paths, 2, &o, GT_SITE_ALL, &many, &err);
    ok(status == GT_INPUT && strstr(err.msg, "chr9"), "a contig that none has: %s", err.msg);
    whole_release(&many);
    o.skip_absent = true;
    status = read_paths(engine, paths, 2, &o, GT_SITE_ALL, &many, &err);
    ok(status == 0 && many.block.n == 0, "--skip-absent goes on: %s", err.msg);
    whole_release(&many);
    free((void *)paths[0]);
    free((void *)paths[1]);
}

static void test_open_contigs(const struct data *d, struct gt_engine *engine)
{
    struct whole all;
    struct gt_err err;
    struct gt_select_opts o = GT_SELECT_ALL;
    write_vcf(d, temp("bare.vcf"), 0, SITES, false);
    int status = read_path(engine, temp("bare.vcf"), NULL, GT_SITE_ALL, &all, &err);
    bool same = status == 0 && all.contigs.n == CONTIGS && all.warnings.n == CONTIGS && all.block.n == SITES;
    for (int v = 0; same && v < SITES; v++)
        same = gt_block_sites(&all.block)[v].contig == d->contig[v];
    ok(same, "contigs missing from the header: in order of appearance, one warning each");
    whole_release(&all);
    o.regions = "X:1-50";
    status = read_path(engine, temp("bare.vcf"), &o, GT_SITE_ALL, &all, &err);
    ok(status == 0 && all.block.n > 0 && all.stats.dropped_region + all.block.n == SITES, "a region on one of them: %lld sites",
       (long long)all.block.n);
    whole_release(&all);
    o.regions = "chr7:1-50";
    status = read_path(engine, temp("bare.vcf"), &o, GT_SITE_ALL, &all, &err);
    ok(status == GT_INPUT && strstr(err.msg, "chr7"), "a contig that never comes: %s", err.msg);
    whole_release(&all);
}

static void test_pipe(struct gt_engine *engine)
{
    struct whole all, file;
    struct gt_err err;
    struct gt_select_opts o = GT_SELECT_ALL;
    char command[8192];
    o.mind = 0.17;
    o.slice = "-300:";
    int saved = dup(STDIN_FILENO);
    read_path(engine, temp("all.vcf"), &o, GT_SITE_ALL, &file, &err);
    snprintf(command, sizeof command, "cat '%s'", temp("all.vcf"));
    FILE *pipe_in = popen(command, "r");
    dup2(fileno(pipe_in), STDIN_FILENO);
    int status = read_path(engine, "-", &o, GT_SITE_ALL, &all, &err);
    ok(status == 0 && all.block.n == 300 && all.stats.dropped_mind > 0 && same_rows(&all.block, &file.block, (int64_t)file.samples.n),
       "--mind on standard input: %s", err.msg);
    dup2(saved, STDIN_FILENO);
    close(saved);
    pclose(pipe_in);
    whole_release(&all);
    whole_release(&file);
}

static void expect(struct gt_engine *engine, const struct gt_select_opts *o, int want, const char *text)
{
    struct whole all;
    struct gt_err err;
    int status = read_path(engine, temp("all.vcf"), o, GT_SITE_ALL, &all, &err);
    ok(status == want && (!want || strstr(err.msg, text)), "%d: %s", want, err.msg);
    whole_release(&all);
}

#define OPTS(...) (&(struct gt_select_opts){.geno = -1, .mind = -1, .maf = -1, __VA_ARGS__})

static void test_refused(struct gt_engine *engine)
{
    expect(engine, OPTS(.samples = "S1,nobody"), GT_INPUT, "nobody");
    expect(engine, OPTS(.samples = "S1,nobody", .skip_absent = true), 0, "");
    expect(engine, OPTS(.samples = "S1,S2,S1"), GT_INPUT, "twice");
    expect(engine, OPTS(.samples = "S1,,S2"), GT_USAGE, "empty");
    expect(engine, OPTS(.samples_file = "/nonexistent/list"), GT_FAIL, "/nonexistent/list");
    expect(engine, OPTS(.regions = "chr1:9-3"), GT_USAGE, "chr1:9-3");
    expect(engine, OPTS(.regions = "chr1:x"), GT_USAGE, "chr1:x");
    expect(engine, OPTS(.regions = "chr8"), GT_INPUT, "chr8");
    expect(engine, OPTS(.contigs = "chr1,chrQ"), GT_INPUT, "chrQ");
    expect(engine, OPTS(.slice = "::-1"), GT_USAGE, "negative step");
    expect(engine, OPTS(.slice = "1:2:0"), GT_USAGE, "step is 0");
    expect(engine, OPTS(.slice = "a"), GT_USAGE, "bad slice");
    expect(engine, OPTS(.slice = ":,:,:,:"), GT_USAGE, "three axes");
    expect(engine, OPTS(.slice = ":,:,1"), GT_USAGE, "no ploidy axis");
    expect(engine, OPTS(.slice = "400"), GT_USAGE, "index 400");
    expect(engine, OPTS(.slice = "-1"), 0, "");
    expect(engine, OPTS(.slice = ":,23"), GT_USAGE, "index 23");
    expect(engine, OPTS(.slice = ":,5:5"), GT_INPUT, "no samples");
    expect(engine, OPTS(.half_call = GT_HALF_ERROR), GT_INPUT, "half call");
    expect(engine, &(struct gt_select_opts){.geno = -1, .maf = -1}, GT_INPUT, "no sample");
}

int main(void)
{
    static struct data d;
    const char *base = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/gt-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(dir))
        return 1;
    struct gt_engine *engine = new_engine(3, 0);
    make(&d);
    write_vcf(&d, temp("all.vcf"), 0, SITES, true);
    write_bcf(temp("all.vcf"), temp("all.bcf"));
    for (int i = 0; i < 300; i++)
        trial(&d, engine, i);
    test_joined(&d, engine);
    test_open_contigs(&d, engine);
    test_pipe(engine);
    test_refused(engine);
    free_engine(engine);
    gt_remove_tree(dir);
    return done_testing();
}
