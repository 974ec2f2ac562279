#include "config.h"

#include "cmd/common/formats.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/outfile.h"
#include "core/base/str.h"
#include "storage/text/text_file.h"

/* suffixes: without the .gz that text may have.  formats: those that -O may name
 * for such a file, the likely one first.  begins: first bytes of what our commands
 * write, "|" between. */
static const struct kind {
    const char *name, *what, *suffixes, *formats, *begins;
    bool text;
    size_t at; /* where `begins` stands */
} kinds[] = {
    {"tsv", "a table", ".tsv", "tsv|triangle|pairs", "id\t|id1\t|sample\t|contig\tposition\t", true, 0},
    {"txt", "a text", ".txt", "txt|tsv|triangle|pairs", NULL, true, 0},
    {"json", "a JSON file", ".json", "json", NULL, true, 0},
    {"npy", "a NumPy array", ".npy", "npy|condensed", "\x93NUMPY", false, 0},
    {"id", "a list of ids", ".id", "", NULL, true, 0},
    {"vcf", "a VCF", ".vcf", "vcf", "##fileformat=VCF", true, 0},
    {"bcf", "a BCF", ".bcf", "bcf", NULL, false, 0},
    {"csi", "an index", ".csi", "", NULL, false, 0},
    {"bed", "a PLINK .bed", ".bed", "bed", "\x6c\x1b\x01", false, 0},
    {"bim", "a PLINK .bim", ".bim", "", NULL, true, 0},
    {"fam", "a PLINK .fam", ".fam", "", NULL, true, 0},
    {"vcz", "a VCF Zarr store", ".vcz|.vcz.zip|.vcz.tar", "vcz", NULL, false, 0},
    {"zip", "a zip store", ".zip", "packed|vcz|zarr", "PK\x03\x04", false, 0},
    {"tar", "a tar store", ".tar", "packed|vcz|zarr", "ustar", false, 257},
    {"zarr", "a Zarr store", ".zarr", "packed|vcz|zarr", NULL, false, 0},
    {"trace", "a trace", ".json", "", "{\"displayTimeUnit\"", true, 0},
    {"report", "a report", ".html|.json", "", "<!DOCTYPE html>|{ \"report\"", true, 0},
    {"log", "a log", ".log", "", "gt-", true, 0},
    {"csv", "a table with commas", ".csv", "", NULL, true, 0},
    {"pgen", "a PLINK .pgen", ".pgen", "pgen", "\x6c\x1b\x10", false, 0},
    {"pvar", "a PLINK .pvar", ".pvar", "", "##contig=|#CHROM\tPOS", true, 0},
    {"psam", "a PLINK .psam", ".psam", "", "#FID\tIID\t|#IID", true, 0},
    {"ped", "a PLINK text file", ".ped|.tped", "", NULL, true, 0},
    {"geno", "an EIGENSTRAT file", ".geno", "", NULL, true, 0},
    {"bgen", "a BGEN", ".bgen", "", NULL, false, 0},
    {"dist", "a PLINK matrix", ".dist|.mdist|.mibs|.dist.bin|.mdist.bin|.mibs.bin", "plink", NULL, true, 0},
    {"king", "a matrix of kinship", ".king|.king.bin", "king", NULL, true, 0},
    {"kin0", "a table of kinship", ".kin0", "kin0", "#FID1\t|#IID1\t", true, 0},
    {"rel", "a PLINK matrix", ".rel|.rel.bin", "plink", NULL, true, 0},
    {"grm", "a GCTA matrix", ".grm|.grm.bin|.grm.N.bin", "grm", NULL, false, 0},
    {"bin", "a matrix of binary numbers", ".bin", "plink|king", NULL, false, 0},
    {"counts", "a file of pair counts", ".counts", "counts", "\x93GTPAIRS", false, 0},
    {"pairs", "a list of pairs", ".pairs", "pairs", NULL, false, 0},
    {"triangle", "a triangle of distances", ".triangle", "triangle|plink|king", NULL, false, 0},
    {"condensed", "a condensed matrix", ".condensed", "condensed|npy", NULL, false, 0},
    {"phylip", "a PHYLIP matrix", ".phy|.phylip", "phylip", NULL, true, 0},
    {"npz", "a NumPy archive", ".npz", "", NULL, false, 0},
    {"hdf5", "an HDF5 file", ".h5|.hdf5", "", NULL, false, 0},
    {"newick", "a tree", ".nwk|.newick|.tree|.tre", "", NULL, true, 0},
    {"plot", "a picture", ".svg|.png|.pdf", "", "<svg|\x89PNG|%PDF", true, 0},
    {"eigenvec", "a table of components", ".eigenvec", "", "#IID\tPC1|#FID\tIID\tPC1|#IID\tFIT|#FID\tIID\tFIT", true, 0},
    {"eigenvec.var", "a table of loadings", ".eigenvec.var", "", "#CHROM\tID\tMAJ", true, 0},
    {"eigenval", "a list of eigenvalues", ".eigenval", "", NULL, true, 0},
    {"prune.in", "a list of variants", ".prune.in", "", NULL, true, 0},
    {"graph", "a picture", ".dot|.gv|.svg|.png|.pdf", "", "digraph|<?xml|\x89PNG|%PDF", true, 0},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* The n-th part of "a|b|c" and its length; NULL after the last. */
static const char *part_of(const char *list, int n, size_t *len)
{
    for (; n > 0 && *list; n--) {
        list += strcspn(list, "|");
        list += *list == '|';
    }
    *len = strcspn(list, "|");
    return *list ? list : NULL;
}

/* Which part of the list is `word` of n bytes; -1 = none. */
static int find_part(const char *list, const char *word, size_t n)
{
    size_t len;
    const char *part;
    for (int i = 0; (part = part_of(list, i, &len)); i++)
        if (len == n && memcmp(part, word, n) == 0)
            return i;
    return -1;
}

static const struct kind *find_kind(const char *name, size_t n)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strlen(kinds[i].name) == n && memcmp(kinds[i].name, name, n) == 0)
            return &kinds[i];
    return NULL;
}

/* Does the name, n bytes of it, end as those of this kind do? */
static bool is_named(const char *path, size_t n, const struct kind *kind)
{
    size_t len;
    const char *end;
    for (int i = 0; (end = part_of(kind->suffixes, i, &len)); i++)
        if (n > len && memcmp(path + n - len, end, len) == 0)
            return true;
    return false;
}

/* A folder's name may end in slashes. */
static const struct kind *kind_of_name(const char *path)
{
    size_t n = gt_text_stem(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    for (size_t i = 0; i < KINDS; i++)
        if (is_named(path, n, &kinds[i]))
            return &kinds[i];
    return NULL;
}

/* The first of the kind's formats that is among the choices. */
static int first_choice(const struct kind *kind, const char *choices)
{
    size_t len;
    const char *format;
    int found = -1;
    for (int i = 0; found < 0 && (format = part_of(kind->formats, i, &len)); i++)
        found = find_part(choices, format, len);
    return found;
}

static int not_written(const char *cmd, const char *path, const struct kind *kind, const char *choices, struct gt_err *err)
{
    gt_fail(err, GT_USAGE, "'%s' has the suffix of %s, which %s does not write", path, kind->what, cmd);
    if (strchr(choices, '|') && strncmp(choices, "packed", 6) != 0)
        gt_hint(err, "it writes %s", choices);
    else if (strncmp(cmd, "gt-sim", 6) != 0 && first_choice(kind, "vcf|bcf|bed|pgen") >= 0)
        gt_hint(err, "gt-unpack IN -o OUT%s", kind->suffixes);
    else if (strncmp(choices, "packed", 6) == 0)
        gt_hint(err, "a name ending in .zip or .tar makes one file; any other name a directory, such as x.zarr");
    return GT_USAGE;
}

int gt_format_choose(const char *cmd, const char *path, const char *choices, int given, int *format, struct gt_err *err)
{
    const struct kind *named = gt_is_stdout(path) ? NULL : kind_of_name(path), *kind;
    size_t len;
    const char *word = part_of(choices, given < 0 ? 0 : given, &len);
    int by_name = named ? first_choice(named, choices) : -1;
    if (named && by_name < 0)
        return not_written(cmd, path, named, choices, err);
    if (named && given >= 0 && find_part(named->formats, word, len) < 0) {
        gt_fail(err, GT_USAGE, "format %.*s contradicts '%s', which has the suffix of %s", (int)len, word, path, named->what);
        gt_hint(err, "omit the format, or choose another output name");
        return GT_USAGE;
    }
    *format = given >= 0 ? given : by_name >= 0 ? by_name : 0;
    word = part_of(choices, *format, &len);
    kind = named ? named : find_kind(word, len);
    if (gt_text_stem(path) == strlen(path) || (kind && kind->text))
        return GT_OK;
    gt_fail(err, GT_USAGE, "'%s' has the suffix of a compressed file, but %.*s is not compressed", path, (int)len, word);
    gt_hint(err, kind && strstr(kind->formats, "packed") ? "omit .gz: the chunks of a store are compressed" : "leave out the .gz");
    return GT_USAGE;
}

const char *gt_file_what(const char *name)
{
    const struct kind *kind = find_kind(name, strlen(name));
    return kind ? kind->what : NULL;
}

static size_t read_head(const char *path, char *head, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, head, room) : -1;
    if (fd >= 0)
        close(fd);
    return n > 0 ? (size_t)n : 0;
}

static bool begins_so(const char *path, const struct kind *kind)
{
    char head[512];
    size_t n = read_head(path, head, sizeof head), len;
    const char *begin;
    for (int i = 0; kind->begins && (begin = part_of(kind->begins, i, &len)); i++)
        if (kind->at + len <= n && memcmp(head + kind->at, begin, len) == 0)
            return true;
    return false;
}

bool gt_file_is(const char *path, const char *name)
{
    const struct kind *kind = find_kind(name, strlen(name));
    struct stat st;
    return (stat(path, &st) == 0 && st.st_size == 0) ||
           (kind && (is_named(path, kind->text ? gt_text_stem(path) : strlen(path), kind) || begins_so(path, kind)));
}
