#include "config.h"

#include "storage/input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alias_check.h"
#include "core/base/mem.h"
#include "core/base/str.h"
#include "storage/http/url.h"
#include "storage/input/path.h"
#include "storage/input/remote_file.h"
#include "storage/input/sniff.h"
#include "storage/input/url_input.h"

/* read, which waits where the descriptor is one that does not. */
static ssize_t read_some(const struct gt_input *input, void *data, size_t n)
{
    const int fd = input->fd;
    if (input->remote)
        return gt_remote_read(input->remote, data, n);
    for (;;) {
        ssize_t got = read(fd, data, n);
        if (got >= 0 || (errno != EINTR && errno != EAGAIN))
            return got;
        if (errno == EAGAIN)
            poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
    }
}

static int fill_peek(struct gt_input *input, struct gt_err *err)
{
    while (input->peek_len < GT_PEEK_LEN) {
        ssize_t got = read_some(input, input->peek + input->peek_len, GT_PEEK_LEN - input->peek_len);
        if (got < 0)
            return gt_fail_errno(err, errno, "cannot read '%s'", input->name);
        if (got == 0)
            break;
        input->peek_len += (size_t)got;
    }
    return 0;
}

static int unknown_kind(const struct gt_input *input, struct gt_err *err)
{
    uint8_t inside[512];
    const uint8_t *p = input->peek;
    size_t n = input->peek_len;
    if (n == 0)
        return gt_fail(err, GT_INPUT, "'%s' is empty", input->name);
    if (gt_ends_with(input->path, ".bed"))
        return gt_fail(err, GT_INPUT, "'%s' is not a PLINK 1 .bed file: wrong first bytes", input->name);
    bool gzip = n > 1 && p[0] == 0x1f && p[1] == 0x8b;
    int rc = gzip ? gt_sniff_inflate(p, n, inside, sizeof inside, &n, err) : 0;
    if (rc)
        return rc;
    rc = gt_fail(err, GT_INPUT,
                 "'%s' is not a VCF, BCF, PLINK .bed or .pgen, EIGENSTRAT .geno, Zarr store (directory, zip, tar) or NumPy .npy",
                 input->name);
    if (gzip) {
        if (gt_sniff_tar(inside, n) || (n >= 262 && memcmp(inside + 257, "ustar", 5) == 0))
            gt_hint(err, "it is a compressed tar: decompress it with gzip -dc and use a pipe");
    } else if (n > 3 && memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0) {
        gt_hint(err, "it is compressed: decompress it with zstd -dc and use a pipe");
    }
    return rc;
}

static int sniff(struct gt_input *input, struct gt_err *err)
{
    int rc = fill_peek(input, err);
    if (rc || (rc = gt_sniff(input->peek, input->peek_len, &input->kind, err)))
        return rc;
    if (input->kind == GT_KIND_UNKNOWN && gt_ends_with(input->path, "geno") && gt_sniff_geno(input->peek, input->peek_len))
        input->kind = GT_KIND_EIGENSTRAT;
    if (input->kind == GT_KIND_UNKNOWN || (input->kind == GT_KIND_PGEN && gt_ends_with(input->path, ".bed")))
        return unknown_kind(input, err);
    bool store = input->kind == GT_KIND_ZIP || input->kind == GT_KIND_TAR;
    if (*input->inner && !store)
        return gt_fail_errno(err, ENOTDIR, "cannot open '%s'", input->name);
    if (input->kind == GT_KIND_ZIP && !input->seekable)
        return gt_fail(err, GT_INPUT, "'%s' is a zip, which cannot be read from a pipe", input->name);
    return 0;
}

static int sniff_open(struct gt_input *input, struct gt_err *err)
{
    struct stat st;
    if (fstat(input->fd, &st) != 0)
        return gt_fail_errno(err, errno, "cannot read '%s'", input->name);
    if (S_ISDIR(st.st_mode)) /* standard input may be one */
        return gt_fail(err, GT_INPUT, "'%s' is a directory but not a Zarr store", input->name);
    input->seekable = S_ISREG(st.st_mode) && lseek(input->fd, 0, SEEK_CUR) == 0;
    input->size = input->seekable ? st.st_size : -1;
    return sniff(input, err);
}

static int open_remote(struct gt_input *input, struct gt_err *err)
{
    int rc = gt_store_is_url(input->path) ? gt_url_find_store(input, err) : GT_NOENT;
    if (rc != GT_NOENT)
        return rc;
    rc = gt_remote_open(&input->remote, &input->size, input->path, err);
    if (rc)
        return rc;
    input->seekable = input->size >= 0;
    rc = sniff(input, err);
    if (!rc && input->kind == GT_KIND_ZIP && gt_store_is_url(input->path)) { /* under another name: its store reads it itself */
        gt_remote_close(input->remote);
        input->remote = NULL;
    } else if (!rc && (input->kind == GT_KIND_BED || input->kind == GT_KIND_PGEN || input->kind == GT_KIND_EIGENSTRAT ||
                       input->kind == GT_KIND_ZIP || input->kind == GT_KIND_NPY)) {
        rc = gt_fail(err, GT_INPUT, "'%s' is %s, which cannot be read by URL", input->name, gt_input_kind_name(input->kind));
    }
    return rc;
}

static int open_stdin(struct gt_input *input, struct gt_err *err)
{
    free(input->name);
    input->name = gt_strdup("standard input", err);
    if (!input->name)
        return GT_FAIL;
    if (isatty(STDIN_FILENO))
        return gt_fail(err, GT_USAGE, "standard input is a terminal");
    input->fd = STDIN_FILENO;
    int rc = sniff_open(input, err);
    if (!rc && input->kind == GT_KIND_BED)
        rc = gt_fail(err, GT_INPUT, "a .bed cannot be read from standard input: its .bim and .fam are needed");
    if (!rc && input->kind == GT_KIND_PGEN)
        rc = gt_fail(err, GT_INPUT, "a .pgen cannot be read from standard input: its .pvar and .psam are needed");
    if (!rc && input->kind == GT_KIND_EIGENSTRAT)
        rc = gt_fail(err, GT_INPUT, "a .geno cannot be read from standard input: its .snp and .ind are needed");
    return rc;
}

static int open_path(struct gt_input *input, struct gt_err *err)
{
    int errnum, rc = gt_path_find(input, &errnum, err);
    if (rc == GT_NOENT)
        return errnum ? gt_fail_errno(err, errnum, "cannot open '%s'", input->name)
                      : gt_fail(err, GT_INPUT, "'%s' is a directory but not a Zarr store", input->name);
    if (rc || input->kind == GT_KIND_ZARR_DIR)
        return rc;
    input->fd = open(input->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return input->fd < 0 ? gt_fail_errno(err, errno, "cannot open '%s'", input->name) : sniff_open(input, err);
}

static int init(struct gt_input *input, const char *path, struct gt_err *err)
{
    memset(input, 0, sizeof *input);
    input->fd = -1;
    input->size = -1;
    input->path = gt_strdup(path, err);
    input->name = gt_strdup(path, err);
    input->inner = gt_strdup("", err);
    return input->path && input->name && input->inner ? 0 : GT_FAIL;
}

int gt_input_open(struct gt_input *input, const char *path, struct gt_err *err)
{
    int rc = init(input, path, err);
    if (!rc)
        rc = strcmp(path, "-") == 0                           ? open_stdin(input, err)
             : gt_remote_named(path) || gt_store_is_url(path) ? open_remote(input, err)
                                                              : open_path(input, err);
    if (rc)
        gt_input_release(input);
    return rc;
}

/* PATH and what is read along with it: STEM.bim and STEM.fam of a .bed, .pvar and .psam of a .pgen, the index of a VCF. */
static int register_files(const char *path, const char *name, struct gt_err *err)
{
    enum { CSI = 2, FAM = 4 };
    static const char *const ends[] = {"", ".tbi", ".csi", ".bim", ".fam", ".pvar", ".pvar.zst", ".psam"};
    const bool bed = gt_ends_with(path, ".bed"), pgen = gt_ends_with(path, ".pgen");
    const size_t n = strlen(path), stem = bed ? n - 4 : pgen ? n - 5 : n;
    struct gt_str file = {0};
    int rc = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !rc; i++) {
        if ((bed && i > FAM) || (pgen && i > CSI && i <= FAM)) /* of the other format */
            continue;
        gt_str_clear(&file);
        gt_str_addn(&file, path, i <= CSI ? n : stem);
        gt_str_add(&file, ends[i]);
        if ((rc = gt_str_check(&file, err)) == 0)
            rc = gt_alias_add_input(file.s, i ? file.s : name, err);
    }
    gt_str_release(&file);
    return rc;
}

int gt_input_register(const char *path, struct gt_err *err)
{
    struct gt_input input;
    int errnum;
    if (strcmp(path, "-") == 0)
        return gt_alias_add_input_fd(STDIN_FILENO, "standard input", err);
    int rc = init(&input, path, err);
    if (!rc)
        rc = gt_path_find(&input, &errnum, err);
    if (!rc)
        rc = register_files(input.path, input.name, err);
    gt_input_release(&input);
    return rc == GT_NOENT ? 0 : rc;
}

int gt_input_read(struct gt_input *input, void *data, size_t n, size_t *got, struct gt_err *err)
{
    size_t ahead = input->peek_len - input->peek_pos;
    *got = 0;
    if (ahead > 0) {
        *got = n < ahead ? n : ahead;
        memcpy(data, input->peek + input->peek_pos, *got);
        input->peek_pos += *got;
        return 0;
    }
    ssize_t done = read_some(input, data, n);
    if (done < 0)
        return gt_fail_errno(err, errno, "cannot read '%s'", input->name);
    *got = (size_t)done;
    return 0;
}

int gt_input_pread(struct gt_input *input, void *data, size_t n, int64_t offset, struct gt_err *err)
{
    uint8_t *at = data;
    while (n > 0) {
        ssize_t done = input->remote ? gt_remote_pread(input->remote, at, n, offset) : pread(input->fd, at, n, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return gt_fail_errno(err, errno, "cannot read '%s'", input->name);
        if (done == 0)
            return gt_fail(err, GT_INPUT, "'%s' is truncated", input->name);
        at += done, offset += done, n -= (size_t)done;
    }
    return 0;
}

static void close_it(struct gt_input *input)
{
    if (input->fd > STDIN_FILENO || (input->fd == STDIN_FILENO && strcmp(input->path, "-") != 0))
        close(input->fd);
    if (input->remote)
        gt_remote_close(input->remote);
    input->remote = NULL;
}

void gt_input_replace(struct gt_input *input, int fd, int64_t size)
{
    close_it(input);
    input->fd = fd;
    input->seekable = true;
    input->size = size;
    input->peek_pos = input->peek_len = 0;
}

void gt_input_release(struct gt_input *input)
{
    if (!input->path && !input->name && !input->inner) /* zeroed, or released */
        return;
    close_it(input);
    free(input->path);
    free(input->name);
    free(input->inner);
    memset(input, 0, sizeof *input);
    input->fd = -1;
}

const char *gt_input_kind_name(enum gt_input_kind kind)
{
    static const char *const names[] = {
        [GT_KIND_UNKNOWN] = "of an unknown kind",
        [GT_KIND_ZARR_DIR] = "a Zarr directory",
        [GT_KIND_ZIP] = "a zip store",
        [GT_KIND_TAR] = "a tar stream",
        [GT_KIND_VCF] = "a VCF",
        [GT_KIND_VCF_BGZF] = "a VCF (BGZF)",
        [GT_KIND_VCF_GZIP] = "a VCF (gzip)",
        [GT_KIND_BCF] = "a BCF",
        [GT_KIND_BED] = "a PLINK .bed",
        [GT_KIND_PGEN] = "a PLINK 2 .pgen",
        [GT_KIND_EIGENSTRAT] = "an EIGENSTRAT .geno",
        [GT_KIND_NPY] = "a NumPy .npy",
    };
    return names[kind];
}
