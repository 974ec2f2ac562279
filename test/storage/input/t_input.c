/* Inputs: what kind a path is, and reading on after the first bytes. */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <zlib.h>

#include "core/base/str.h"
#include "storage/input/input.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

static void is_kind(const char *path, enum gt_input_kind kind, const char *at, const char *inner)
{
    struct gt_input input;
    struct gt_err err = {0};
    int rc = gt_input_open(&input, path, &err);
    bool pass = rc == 0 && input.kind == kind && strcmp(input.path, at) == 0 && strcmp(input.inner, inner) == 0;
    ok(pass, "%s is %s", path, gt_input_kind_name(kind));
    if (!pass)
        diag("%s; %s, path %s, inner %s", err.msg, rc ? "failed" : gt_input_kind_name(input.kind), rc ? "" : input.path,
             rc ? "" : input.inner);
    gt_input_release(&input);
    gt_input_release(&input);
}

static void fails(const char *path, int status, const char *with)
{
    struct gt_input input;
    struct gt_err err = {0};
    int rc = gt_input_open(&input, path, &err);
    ok(rc == status && strstr(err.msg, with) && input.fd == -1, "%s: %s%s%s", path, err.msg, *err.hint ? "; " : "", err.hint);
    gt_input_release(&input);
}

static void gzip_of(const char *path, const char *text)
{
    gzFile f = gzopen(path, "wb");
    gzputs(f, text);
    gzclose(f);
}

/* A header block of a tar without "ustar", as old programs write it. */
static void old_tar(const char *path)
{
    char block[1536] = "a";
    memcpy(block + 100, "0000644", 8);
    memcpy(block + 124, "00000000000", 12);
    memset(block + 148, ' ', 8);
    unsigned sum = 0;
    for (int i = 0; i < 512; i++)
        sum += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", sum);
    scratch_write(path, block, sizeof block);
}

static void test_kinds(void)
{
    char text[600] = "##fileformat=VCFv4.2\n";
    mkdir("a.zarr", 0777), mkdir("a.zarr/2R", 0777), mkdir("a.zarr/2R/calldata", 0777), mkdir("a.zarr/2R/calldata/GT", 0777);
    mkdir("plain", 0777);
    scratch_write("a.zarr/.zgroup", "{}", 2), scratch_write("a.zarr/2R/.zgroup", "{}", 2);
    scratch_write("a.zarr/2R/calldata/.zgroup", "{}", 2), scratch_write("a.zarr/2R/calldata/GT/.zarray", "{}", 2);
    is_kind("a.zarr", GT_KIND_ZARR_DIR, "a.zarr", "");
    is_kind("a.zarr//", GT_KIND_ZARR_DIR, "a.zarr", "");
    is_kind("a.zarr/2R//calldata/GT/", GT_KIND_ZARR_DIR, "a.zarr", "2R/calldata/GT");
    is_kind("a.zarr/2R/nothing", GT_KIND_ZARR_DIR, "a.zarr", "2R/nothing");
    scratch_write("a.zarr/2R/.zmetadata", "{}", 2);
    is_kind("a.zarr/2R/calldata/GT", GT_KIND_ZARR_DIR, "a.zarr/2R", "calldata/GT");
    fails("plain", GT_INPUT, "'plain' is a directory but not a Zarr store");
    fails("plain/nothing", GT_FAIL, "cannot open 'plain/nothing': No such file or directory");
    fails("nothing.zarr", GT_FAIL, "cannot open 'nothing.zarr': No such file or directory");
    scratch_write("v.vcf", text, strlen(text));
    is_kind("v.vcf", GT_KIND_VCF, "v.vcf", "");
    fails("v.vcf/inside", GT_FAIL, "cannot open 'v.vcf/inside': Not a directory");
    gzip_of("v.vcf.gz", text);
    is_kind("v.vcf.gz", GT_KIND_VCF_GZIP, "v.vcf.gz", "");
    gzip_of("v.bcf", "BCF\2\2");
    is_kind("v.bcf", GT_KIND_BCF, "v.bcf", "");
    scratch_write("u.bcf", "BCF\2\2", 5);
    is_kind("u.bcf", GT_KIND_BCF, "u.bcf", "");
    scratch_write("p.bed", "\x6c\x1b\1\0", 4);
    is_kind("p.bed", GT_KIND_BED, "p.bed", "");
    is_kind("p", GT_KIND_BED, "p.bed", "");
    scratch_write("q.bed", "chr1\t0\t5\n", 9);
    fails("q.bed", GT_INPUT, "not a PLINK 1 .bed");
    scratch_write("z.zip", "PK\3\4....", 8);
    is_kind("z.zip/call_genotype", GT_KIND_ZIP, "z.zip", "call_genotype");
    scratch_write("n.npy", "\x93NUMPY\1\0", 8);
    is_kind("n.npy", GT_KIND_NPY, "n.npy", "");
    old_tar("t.tar");
    is_kind("t.tar/x/y", GT_KIND_TAR, "t.tar", "x/y");
    scratch_write("empty", "", 0);
    fails("empty", GT_INPUT, "'empty' is empty");
    scratch_write("text", "hello\n", 6);
    fails("text", GT_INPUT, "'text' is not a VCF");
    memset(text, 0, sizeof text);
    scratch_write("zeros", text, sizeof text);
    fails("zeros", GT_INPUT, "'zeros' is not a VCF");
    gzip_of("text.gz", "hello\n");
    fails("text.gz", GT_INPUT, "'text.gz' is not a VCF");
    scratch_write("cut.gz", "\x1f\x8b\x08\0\0\0", 6);
    fails("cut.gz", GT_INPUT, "'cut.gz' is not a VCF");
    fails("", GT_FAIL, "cannot open ''");
}

/* A pipe on standard input with n bytes in it. */
static void on_stdin(const void *data, size_t n)
{
    int fds[2];
    if (pipe(fds) != 0 || write(fds[1], data, n) != (ssize_t)n || dup2(fds[0], 0) < 0)
        printf("Bail out! no pipe\n");
    close(fds[0]), close(fds[1]);
}

static void test_reading(void)
{
    enum { N = 5000 };
    static unsigned char data[N], back[N + 1];
    struct gt_input input;
    struct gt_err err = {0};
    size_t n = 0, got;
    memcpy(data, "##fileformat=VCFv4.2\n", 21);
    for (int i = 21; i < N; i++)
        data[i] = (unsigned char)(i * 7);
    on_stdin(data, N);
    ok(gt_input_open(&input, "-", &err) == 0 && !input.seekable && input.size == -1, "a pipe on standard input %s", err.msg);
    while (gt_input_read(&input, back + n, 700, &got, &err) == 0 && got > 0)
        n += got;
    ok(n == N && memcmp(back, data, N) == 0, "all bytes come, those looked at first");
    gt_input_release(&input);
    ok(fcntl(0, F_GETFD) >= 0, "standard input stays open");
    on_stdin("PK\3\4", 4);
    fails("-", GT_INPUT, "'standard input' is a zip");
    on_stdin("\x6c\x1b\1", 3);
    fails("-", GT_INPUT, ".bim and .fam are needed");
    on_stdin("", 0);
    fails("-", GT_INPUT, "'standard input' is empty");
    scratch_write("f", data, N);
    ok(gt_input_open(&input, "f", &err) == 0 && input.seekable && input.size == N, "a file has its size");
    ok(gt_input_pread(&input, back, 100, 4000, &err) == 0 && memcmp(back, data + 4000, 100) == 0, "bytes at an offset");
    ok(gt_input_pread(&input, back, 100, N - 50, &err) == GT_INPUT && strstr(err.msg, "truncated"), "%s", err.msg);
    gt_input_release(&input);
    if (geteuid() != 0) {
        chmod("f", 0);
        fails("f", GT_FAIL, "cannot open 'f': Permission denied");
    }
}

static void test_data_files(const char *data)
{
    static const struct {
        const char *path;
        enum gt_input_kind kind;
    } files[] = {{"vcf/1kg_phase3_chr22_16-16.5mb.vcf.gz", GT_KIND_VCF_BGZF},
                 {"vcf/pinf_sc50.vcf.gz", GT_KIND_VCF_GZIP},
                 {"vcf/edge/sample.bcf", GT_KIND_BCF},
                 {"vcf/edge/empty.vcf", GT_KIND_VCF},
                 {"vcf/edge/empty.vcf.gz", GT_KIND_VCF_BGZF},
                 {"plink/HM3_thinned.bed", GT_KIND_BED},
                 {"vcz/sample.vcz.zip", GT_KIND_ZIP},
                 {"zarr/snapshots/int32__zstd", GT_KIND_ZARR_DIR},
                 {"zarr/zp301_v2/array_none_C.zarr", GT_KIND_ZARR_DIR}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct gt_str path = {0};
        struct gt_input input;
        struct gt_err err = {0};
        gt_str_addf(&path, "%s/%s", data, files[i].path);
        int rc = gt_input_open(&input, path.s, &err);
        ok(rc == 0 && input.kind == files[i].kind, "%s is %s %s", files[i].path, rc ? "?" : gt_input_kind_name(input.kind), err.msg);
        gt_input_release(&input);
        gt_str_release(&path);
    }
}

int main(void)
{
    scratch_open();
    test_kinds();
    test_reading();
    if (test_data())
        test_data_files(test_data());
    else
        skip("no test data");
    scratch_close();
    return done_testing();
}
