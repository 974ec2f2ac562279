#include "config.h"

#include "cmd/common/suggest.h"

#include <string.h>

#include "core/base/str.h"

/* Options of plink, vcftools, bcftools and others.  ours: the option that must be in the
 * table for the hint to be of use; NULL = always. */
static const struct foreign {
    const char *theirs, *ours, *hint;
} foreign[] = {
    {"keep", "samples-file", "plink's --keep FILE is -S FILE here"},
    {"remove", "samples-file", "plink's --remove FILE is -S ^FILE here"},
    {"indv", "samples", "vcftools' --indv A is -s A here"},
    {"remove-indv", "samples", "vcftools' --remove-indv A is -s ^A here"},
    {"chr", "contigs", "plink's --chr LIST is --contigs LIST here; -r CHR:FROM-TO takes a part"},
    {"autosome", "contigs", "plink's --autosome is --contigs autosomes here"},
    {"from-bp", "regions", "plink's --from-bp and --to-bp are -r CHR:FROM-TO here"},
    {"to-bp", "regions", "plink's --from-bp and --to-bp are -r CHR:FROM-TO here"},
    {"bed", "regions-file", "regions of a file are -R FILE here, a PLINK .bed is an operand"},
    {"snps-only", "snps", "plink's --snps-only is --snps here"},
    {"biallelic-only", "biallelic", "plink's --biallelic-only is --biallelic here"},
    {"max-missing", "geno", "vcftools' --max-missing F is --geno 1-F here"},
    {"m", "min-alleles", "bcftools' -m N is --min-alleles N here"},
    {"M", "max-alleles", "bcftools' -M N is --max-alleles N here"},
    {"allow-extra-chr", "io", "leave it out: contigs may have any names"},
    {"double-id", "io", "leave it out: sample ids are taken as they are"},
    {"make-bed", "layout", "a store is written; bcftools or plink2 make a .bed of a VCF"},
    {"min-af", "maf", "bcftools' --min-af F:minor is --maf F here"},
    {"targets", "regions", "bcftools' --targets LIST is -r LIST here"},
    {"targets-file", "regions-file", "bcftools' --targets-file FILE is -R FILE here"},
    {"force-samples", "skip-absent", "bcftools' --force-samples is --skip-absent here"},
    {"apply-filters", "pass", "bcftools' --apply-filters PASS is --pass here"},
    {"types", "snps", "bcftools' --types snps is --snps here"},
    {"include", "samples", "use bcftools for expressions: bcftools view -i EXPR IN | gt-..."},
    {"distance", "metric", "leave it out: -m names the metric, -O the format"},
    {"distance-matrix", "metric", "leave it out: -m names the metric, -O the format"},
    {"make-king", "metric", "plink2's --make-king is -O king here"},
    {"make-king-table", "metric", "plink2's --make-king-table is -O kin0 here"},
    {"O", "layout", "the output's name says it: .zip or .tar is a file, any other a directory"},
    {"output-type", "output-format", "the name of the output says it, or -O"},
    {"format", "output-format", "the name of the output says it, or -O"},
    {"out", "output", "the output is -o FILE here"},
    {"output-file", "output", "the output is -o FILE here"},
    {"outfile", "output", "the output is -o FILE here"},
    {"prefix", "output", "the output is -o FILE here"},
    {"overwrite", "force", "did you mean '--force'?"},
    {"bfile", "io", "inputs are operands: give PREFIX or PREFIX.bed alone"},
    {"pfile", "io", "plink2's .pgen is not read: write a .bed or a VCF with plink2"},
    {"file", "io", "inputs are operands: give the file alone"},
    {"input", "io", "inputs are operands: give the file alone"},
    {"vcf", "io", "inputs are operands: give the file alone"},
    {"bcf", "io", "inputs are operands: give the file alone"},
    {"gzvcf", "io", "inputs are operands: give the file alone"},
    {"freq", "stats", "plink's --freq is --stats variants here"},
    {"hardy", "stats", "plink's --hardy is --stats variants here"},
    {"het", "stats", "plink's --het is --stats samples here"},
    {"missing", "stats", "plink's --missing is --stats samples here, or variants"},
    {"jobs", "threads", "did you mean '--threads'?"},
    {"cores", "threads", "did you mean '--threads'?"},
    {"cpus", "threads", "did you mean '--threads'?"},
    {"nthreads", "threads", "did you mean '--threads'?"},
};

static const struct {
    char theirs;
    const char *as; /* in the table above */
} foreign_letters[] = {{'t', "targets"}, {'T', "targets-file"}, {'i', "include"}, {'e', "include"}, {'j', "jobs"}, {'m', "m"}, {'M', "M"},
                       {'O', "O"}};

static const struct {
    const char *theirs, *ours;
} foreign_choices[] = {
    {"manhattan", "cityblock"},
    {"taxicab", "cityblock"},
    {"l1", "cityblock"},
    {"l2", "euclidean"},
    {"squared", "sqeuclidean"},
    {"allele-ct", "allele-count"},
    {"kinship", "king"},
    {"pearson", "correlation"},
    {"flat-missing", "ignore"},
    {"csv", "tsv"},
    {"txt", "tsv"},
    {"text", "tsv"},
    {"table", "tsv"},
    {"numpy", "npy"},
    {"bin", "npy"},
    {"square", "tsv"},
    {"array", "npy"},
    {"plink", "bed"},
    {"bfile", "bed"},
    {"store", "packed"},
    {"sites", "variants"},
    {"snps", "variants"},
    {"individuals", "samples"},
    {"rows", "variants"},
    {"v2", "2"},
    {"v3", "3"},
};

static bool has_option(const struct gt_opt_table *table, const char *name)
{
    for (int i = 0; i < table->n; i++)
        if (table->opt[i]->name && strcmp(table->opt[i]->name, name) == 0)
            return true;
    return false;
}

static bool same(const char *text, const char *word, size_t n)
{
    return strlen(text) == n && memcmp(text, word, n) == 0;
}

/* --- slips ---------------------------------------------------------------------- */

enum { LONGEST = 32 };

static int minimum(int a, int b)
{
    return a < b ? a : b;
}

/* Letters to add, drop, change or swap with the next one: the distance of optimal
 * string alignment, by rows of its table. */
static int edits(const char *a, size_t n, const char *b, size_t m)
{
    int row[3][LONGEST + 1];
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = minimum(minimum(now[j - 1], before[j]) + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = minimum(now[j], row[(i + 1) % 3][j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

/* How far the word is from what was written; LONGEST: it is something else.  A
 * beginning is nearer than any slip. */
static int distance(const char *written, size_t n, const char *word, size_t m)
{
    if (n >= 2 && n < m && memcmp(written, word, n) == 0)
        return 0;
    if (n < 3 || n > LONGEST || m > LONGEST)
        return LONGEST;
    int d = edits(written, n, word, m);
    return d <= (n < 6 ? 1 : 2) ? d : LONGEST;
}

/* --- hints ------------------------------------------------------------------------ */

static bool hint_foreign(const struct gt_opt_table *table, const char *name, size_t n, struct gt_err *err)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (same(foreign[i].theirs, name, n) && has_option(table, foreign[i].ours)) {
            gt_hint(err, "%s", foreign[i].hint);
            return true;
        }
    return false;
}

void gt_suggest_option(const struct gt_opt_table *table, const char *name, size_t n, struct gt_err *err)
{
    const char *best = NULL;
    int nearest = LONGEST;
    if (hint_foreign(table, name, n, err))
        return;
    for (int i = 0; i < table->n; i++) {
        const char *known = table->opt[i]->name;
        int d = known ? distance(name, n, known, strlen(known)) : LONGEST;
        if (d < nearest) {
            nearest = d;
            best = known;
        }
    }
    if (best)
        gt_hint(err, "did you mean '--%s'?", best);
}

void gt_suggest_letter(const struct gt_opt_table *table, char letter, struct gt_err *err)
{
    for (size_t i = 0; i < sizeof foreign_letters / sizeof *foreign_letters; i++)
        if (foreign_letters[i].theirs == letter)
            hint_foreign(table, foreign_letters[i].as, strlen(foreign_letters[i].as), err);
}

/* "a|b|c" as "choose a, b or c". */
static void hint_choices(const char *choices, struct gt_err *err)
{
    struct gt_str list = {0};
    for (const char *p = choices; *p;) {
        const size_t n = strcspn(p, "|");
        gt_str_addf(&list, "%s%.*s", p == choices ? "" : p[n] ? ", " : " or ", (int)n, p);
        p += n + (p[n] != '\0');
    }
    if (list.s)
        gt_hint(err, "choose %s", list.s);
    gt_str_release(&list);
}

void gt_suggest_choice(const char *choices, const char *text, struct gt_err *err)
{
    size_t len = strlen(text), n, best_n = 0;
    const char *best = NULL, *meant = text;
    int nearest = LONGEST;
    for (size_t i = 0; i < sizeof foreign_choices / sizeof *foreign_choices; i++)
        if (same(foreign_choices[i].theirs, text, len))
            meant = foreign_choices[i].ours;
    for (const char *p = choices;; p += n + 1) {
        n = strcspn(p, "|");
        int d = meant != text ? (same(meant, p, n) ? 0 : LONGEST) : distance(text, len, p, n);
        if (d < nearest) {
            nearest = d;
            best = p;
            best_n = n;
        }
        if (!p[n])
            break;
    }
    if (best)
        gt_hint(err, "did you mean '%.*s'?", (int)best_n, best);
    hint_choices(choices, err);
}
