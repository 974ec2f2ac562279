/* Out of memory is an error like another: commands run under an allocator whose
 * k-th call fails (test/cmd/common/nomem.c), for many k, and once more with all that follow
 * it failing too.  Each run does its work as if nothing was, or ends with exit 1,
 * one line on standard error, and nothing under the output's name or beside it.
 * GT_TEST_LEVEL says how many k. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "test/support/level.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

static const char *const commands[] = {
    "gt-sim -q --samples 20 --variants 100 --contigs 2 --no-version -O vcf -o out/x.vcf.gz",
    "gt-sim -q --samples 20 --variants 100 --no-version -o out/x.zip",
    "gt-sim -q --samples 9 --variants 100 --uniform 0..2 --no-version -o out/x.tar",
    "gt-pack -q --no-version s.vcf.gz -o out/x.tar",
    "gt-pack -q --no-version s.bed -o out/x.zip",
    ("gt-pack -q --no-version -s S1,S5 -r 1:1-1000000 --maf 0.01 --hwe 0.01 --extract s.bim --exclude-long-range b37 --ld-prune 9,0.1 "
     "s.vcf.gz -o out/x.zip"),
    "gt-pack -q --no-version --rm-dup force-first twins.vcf -o out/x.zip",
    "gt-unpack -q --no-version --sex sexes.txt --mind 0.9 --maf 0.01 s.bed -o out/x.vcf.gz",
    "gt-pack -q --no-version --concat samples twins.vcf other.vcf -o out/x.zip",
    "gt-pack -q --no-version --sites s.zarr --mask c.zarr/variant_id_mask c.zarr --array call_genotype -o out/x.zip",
    "gt-unpack -q --no-version s.zarr -o out/x.vcf.gz",
    "gt-unpack -q --no-version s.tar -o out/x.bcf",
    "gt-unpack -q s.vcf.gz -o out/x.npy",
    "gt-unpack -q s.bed -o out/x.bed",
    "gt-pack -q --no-version e.geno -o out/x.zip",
    "gt-pack -q --no-version p.pgen -o out/x.zip",
    "gt-pack -q --no-version --layout vcz p.pgen -o out/x.zip",
    "gt-pack -q --no-version --layout vcz s.vcf.gz -o out/x.zip",
    "gt-pack -q --no-version --layout vcz --chunks variants=9,samples=7 s.vcf.gz -o out/x.zarr",
    "gt-pack -q --no-version --layout vcz --local-alleles l.vcf -o out/x.zip",
    "gt-unpack -q --no-version c.zarr -o out/x.vcf.gz",
    "gt-unpack -q --no-version -s S3,S1 -r 2 c.zarr -o out/x.bcf",
    "gt-pdist -q s.zarr -o out/x.tsv",
    "gt-svd -q -k 2 s.zarr -o out/x.tsv",
    "gt-svd -q -k 2 --algorithm krylov s.zarr -o out/x.npy",
    "gt-svd -q -k 2 --loadings s.zarr -o out/x",
    "gt-svd -q -k 2 s.zarr --plot - -o out/x",
    "gt-svd -q -k 2 m.zarr -o out/x.zip",
    "gt-svd -q -k 2 --algorithm krylov --fit s.fam s.bed -o out/x.zip",
    "gt-svd -q --project pca.model.zip s.zarr -o out/x.tsv",
    "gt-svd -q --algorithm tsqr m.zarr",
    "gt-svd -q --algorithm compressed -k 2 m.zarr",
    "gt-svd -q --algorithm krylov -k 2 m.zarr",
    "gt-pdist -q s.zip -O npy -o out/x.npy",
    "gt-pdist -q s.tar -o out/x.tsv.gz",
    "gt-pdist -q --between variants -m correlation s.zarr -o out/x.tsv",
    "gt-pdist -q --unrelated 0.1 s.bed -o out/u",
    "gt-pdist -q -m correlation --missing mean s.zarr -o out/x.npy",
    "gt-pdist -q --cols s.bed s.bed -o out/x.tsv",
    "gt-info s.zarr -o out/x.txt",
    "gt-info --json s.zip -o out/x.json",
    "gt-info --check --deep s.zarr -o out/x.txt",
    "gt-info --stats variants s.bed -o out/x.tsv",
    "gt-info --head 5 s.zarr/variant_allele -o out/x.txt",
    "gt-pack -q --no-version s.vcf.gz -o out/x.zarr",
    "gt-rechunk -q --no-version -c variants=7,samples=4 --slice 3:90 s.zarr -o out/x.zip",
    "gt-rechunk -q --no-version --transpose --dtype float32 --zarr-format 3 s.tar -o out/x.tar",
    "gt-rechunk -q --no-version --array packed_dosage -c -1,4 --zarr-format 3 --shard -1,8 s.zip -o out/x.zip",
    "gt-rechunk -q --no-version --pick samples:places.txt,variants:places.txt -c 7,8 s.zarr -o out/x.zip",
    "gt-rechunk -q --no-version -s S5,S1 -r 1 s.zarr -o out/x.zip",
    "gt-rechunk -q --no-version --reduce std:samples -c 9 s.zarr -o out/x.zip",
    "gt-rechunk -q --transpose --dtype float32 s.zarr -o out/x.npy",
    "gt-pdist --help",
    "gt-pdist -q s.zarr --no-version -o out/d.zip",
    "gt-pdist -q s.zarr --tree out/t.nwk --plot -",
};

/* argv[0..] of the command; `text` is cut. */
static void split(char *text, char **argv, int max)
{
    char *save;
    int n = 0;
    for (char *word = strtok_r(text, " ", &save); word && n < max - 1; word = strtok_r(NULL, " ", &save))
        argv[n++] = word;
    argv[n] = NULL;
}

/* Runs it with the variables set; standard output and error go to files. */
static int run(const char *command, const char *const *env)
{
    char text[512], *argv[32];
    int status;
    snprintf(text, sizeof text, "%s", command);
    split(text, argv, 32);
    pid_t child = fork();
    if (child == 0) {
        int out = open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0600), err = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(open("/dev/null", O_RDONLY), 0), dup2(out, 1), dup2(err, 2);
        for (; env && *env; env += 2)
            setenv(env[0], env[1], 1);
        alarm(60);
        execvp(argv[0], argv);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static size_t slurp(const char *path, char *data, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(data, 1, room, file) : 0;
    if (file)
        fclose(file);
    return n;
}

/* The one file in out/, or standard output, appended to data; a directory counts by its name. */
static size_t result(char *data, size_t room)
{
    char path[512];
    size_t n = slurp("stdout", data, room);
    DIR *dir = opendir("out");
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof path, "out/%s", e->d_name);
            n += (size_t)snprintf(data + n, room - n, "%s\n", path);
            n += slurp(path, data + n, room - n);
        }
    closedir(dir);
    return n;
}

static bool is_empty(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;
    while (readdir(dir))
        n++;
    closedir(dir);
    return n == 2;
}

/* One line, and a hint at most. */
static bool one_line(void)
{
    char text[4096];
    size_t n = slurp("stderr", text, sizeof text - 1);
    text[n] = '\0';
    char *end = strchr(text, '\n');
    return end && end > text && (!end[1] || (strncmp(end + 1, "hint: ", 6) == 0 && strchr(end + 1, '\n')[1] == '\0'));
}

static char expected[1 << 20], got[1 << 20];

/* What the run with call k failing did wrong; NULL: nothing. */
static const char *fault(const char *command, const char *const *env, size_t n_expected)
{
    gt_remove_tree("out");
    mkdir("out", 0777);
    int code = run(command, env);
    if (code == 0)
        return result(got, sizeof got) == n_expected && memcmp(got, expected, n_expected) == 0 ? NULL : "another result, and exit 0";
    if (code != 1)
        return code < 0 ? "a signal" : "another exit status than 1";
    if (!one_line())
        return "not one line on standard error";
    return is_empty("out") ? NULL : "something is left behind";
}

static void try_command(const char *command, const char *preload, bool go_on)
{
    char count[32], at[32];
    const char *const counting[] = {"LD_PRELOAD", preload, "NOMEM_COUNT", "count", NULL};
    const char *const failing[] = {"LD_PRELOAD", preload, "NOMEM_AT", at, go_on ? "NOMEM_ON" : NULL, "1", NULL};
    gt_remove_tree("out");
    mkdir("out", 0777);
    int code = run(command, counting);
    size_t n = result(expected, sizeof expected);
    count[slurp("count", count, sizeof count - 1)] = '\0';
    long calls = atol(count), runs = by_level(5, 12, calls), step = calls <= runs ? 1 : calls / runs, faults = 0, tried = 0;
    for (long k = go_on ? step / 2 : 0; k < calls && faults < 5; k += step, tried++) {
        snprintf(at, sizeof at, "%ld", k);
        const char *what = fault(command, failing, n);
        if (!what)
            continue;
        got[slurp("stderr", got, 300)] = '\0';
        diag("call %ld of %ld: %s (%s)", k, calls, what, got);
        faults++;
    }
    ok(code == 0 && tried > 0 && !faults, "%s%s", command, go_on ? ", and no memory from then on" : "");
}

/* The last calls of a run that makes a store: once it has its name the run must not fail. */
static void try_last_calls(const char *command, const char *preload)
{
    char count[32], at[32];
    const char *const counting[] = {"LD_PRELOAD", preload, "NOMEM_COUNT", "count", NULL};
    const char *const failing[] = {"LD_PRELOAD", preload, "NOMEM_AT", at, NULL};
    gt_remove_tree("out");
    mkdir("out", 0777);
    int code = run(command, counting), faults = 0;
    size_t n = result(expected, sizeof expected);
    count[slurp("count", count, sizeof count - 1)] = '\0';
    for (long calls = atol(count), k = calls - 40; k < calls; k++) {
        snprintf(at, sizeof at, "%ld", k);
        const char *what = fault(command, failing, n);
        if (what)
            diag("call %ld of %ld: %s", k, calls, what), faults++;
    }
    ok(code == 0 && faults == 0, "%s, the last calls", command);
}

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file))
        abort();
}

/* Two samples, three variants of .pgen, whose records are all of one size. */
static void write_pgen(void)
{
    static const char pvar[] = "#CHROM\tPOS\tID\tREF\tALT\n1\t5\tx\tA\tC\n1\t6\ty\tG\tT\n2\t1\tz\tC\tA\n",
                      psam[] = "#IID\tSEX\na\t1\nb\t2\n";
    static const uint8_t pgen[] = {0x6c, 0x1b, 2, 3, 0, 0, 0, 2, 0, 0, 0, 0x40, 4, 9, 3};
    write_file("p.pgen", pgen, sizeof pgen);
    write_file("p.pvar", pvar, sizeof pvar - 1);
    write_file("p.psam", psam, sizeof psam - 1);
}

/* Fields that have local forms. */
static void write_local(void)
{
    static const char vcf[] = "##fileformat=VCFv4.3\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"\">\n"
                              "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"\">\n"
                              "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"\">\n"
                              "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n"
                              "1\t5\t.\tA\tC\t.\t.\t.\tGT:AD:PL\t0/1:3,4:9,0,9\t1/1:0,300:99,9,0\n";
    write_file("l.vcf", vcf, sizeof vcf - 1);
}

/* Two samples, three variants of EIGENSTRAT. */
static void write_eigenstrat(void)
{
    static const char *const files[][2] = {
        {"e.geno", "01\n29\n10\n"}, {"e.ind", "a M p\nb F q\n"}, {"e.snp", "x 1 0 5 A C\ny 1 0 6 G T\nz 2 0 1 C A\n"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_file(files[i][0], files[i][1], strlen(files[i][1]));
}

/* Three records at one position, two of them alike; and another sample at the same sites. */
static void write_twins(void)
{
    static const char vcf[] = "##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n"
                              "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n1\t5\tx\tA\tC\t.\t.\t.\tGT\t0/1\n"
                              "1\t5\tx\tA\tG\t.\t.\t.\tGT\t0/1\n1\t5\tx\tA\tC\t.\t.\t.\tGT\t1/1\n";
    write_file("twins.vcf", vcf, sizeof vcf - 1);
    char other[sizeof vcf];
    memcpy(other, vcf, sizeof vcf);
    *(strstr(other, "FORMAT\ta") + 7) = 'b';
    write_file("other.vcf", other, sizeof vcf - 1);
    write_file("sexes.txt", "#IID\tSEX\nS1\t1\nS2\t2\n", 20);
}

int main(void)
{
    static const char *const inputs[] = {
        "gt-sim -q --samples 20 --variants 100 --contigs 2 --missing 0.05 -O vcf -o s.vcf.gz",
        "gt-sim -q --samples 20 --variants 100 -O bed -o s",
        "gt-pack -q s.vcf.gz -o s.zarr",
        "gt-pack -q --layout vcz s.vcf.gz -o c.zarr",
        "gt-sim -q --samples 9 --variants 40 --uniform 0..2 --dtype f4 -o m.zarr",
        "gt-svd -q -k 2 --loadings s.zarr -o pca",
        "gt-pack -q s.vcf.gz -o s.zip",
        "gt-pack -q s.vcf.gz -o s.tar",
    };
    char preload[1024];
    const char *build = getenv("GT_BUILD");
    snprintf(preload, sizeof preload, "%s/test/cmd/common/nomem.so", build ? build : ".");
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    preload[0] = '\0';
#endif
    if (access(preload, R_OK)) {
        skip("no test/cmd/common/nomem.so, or a sanitizer's allocator");
        return done_testing();
    }
    scratch_open();
    setenv("GT_THREADS", "2", 1);
    FILE *places = fopen("places.txt", "w");
    ok(places && fputs("9\n1\n1\n17\n4\n", places) >= 0 && fclose(places) == 0, "a list of items");
    write_pgen();
    write_eigenstrat();
    write_twins();
    write_local();
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        ok(run(inputs[i], NULL) == 0, "%s", inputs[i]);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        try_command(commands[i], preload, false);
        try_command(commands[i], preload, true);
    }
    try_last_calls("gt-pack -q --no-version s.vcf.gz -o out/x.zarr", preload);
    scratch_close();
    return done_testing();
}
