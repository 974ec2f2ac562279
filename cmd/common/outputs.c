#include "config.h"

#include "cmd/common/outputs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/formats.h"
#include "core/base/alias_check.h"
#include "core/base/expect.h"
#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/base/str.h"
#include "geno/plink/plink.h"
#include "storage/archive/store_create.h"
#include "storage/http/url.h"
#include "storage/http/url_writer.h"
#include "storage/input/input.h"
#include "storage/store/dir_store.h"

enum { MAX_OUTPUTS = 32 };

static struct output {
    const char *option, *kind;
    char *path;
    char real[PATH_MAX]; /* absolute, without links; "" where its directory is missing */
} outputs[MAX_OUTPUTS];
static _Atomic int n_outputs; /* counts whole entries: a report is written by another thread (run_report.c) */
static bool by_input;

/* The path as it will be, though the file need not be there yet. */
static void resolve(const char *path, char real[PATH_MAX])
{
    char dir[PATH_MAX], target[PATH_MAX];
    if (gt_store_is_url(path)) {
        struct gt_str normal = {0};
        gt_url_add_normal(&normal, path);
        snprintf(real, PATH_MAX, "%s", normal.len ? normal.s : path);
        gt_str_release(&normal);
        return;
    }
    if (realpath(path, real))
        return;
    real[0] = '\0';
    if (gt_outfile_target(path, target, NULL))
        return;
    const char *slash = strrchr(target, '/'), *base = slash ? slash + 1 : target;
    size_t n = (size_t)(base - target), len;
    if (n + 1 >= sizeof dir)
        return;
    memcpy(dir, target, n);
    strcpy(dir + n, ".");
    if (!realpath(dir, real) || (len = strlen(real)) + strlen(base) + 2 > PATH_MAX) {
        real[0] = '\0';
        return;
    }
    if (real[1])
        real[len++] = '/';
    memcpy(real + len, base, strlen(base) + 1);
}

/* What stands before the name of an option in a message: "-o" is whole, "trace" is not. */
static const char *dashes(const char *option)
{
    return *option == '-' ? "" : "--";
}

/* A command that is planned again lists its outputs again. */
static bool is_listed(const char *option, const char *path, const char *kind)
{
    for (int i = 0; i < n_outputs; i++)
        if (outputs[i].kind == kind && strcmp(outputs[i].option, option) == 0 && strcmp(outputs[i].path, path) == 0)
            return true;
    return false;
}

int gt_output_add(const char *option, const char *path, const char *kind, struct gt_err *err)
{
    struct output *out = &outputs[n_outputs];
    if (gt_is_stdout(path))
        return GT_OK;
    if (!*path)
        return gt_fail(err, GT_USAGE, "option '%s%s' has an empty name", dashes(option), option);
    if (is_listed(option, path, kind))
        return GT_OK;
    if (n_outputs == MAX_OUTPUTS)
        return gt_fail(err, GT_USAGE, "more than %d output files", MAX_OUTPUTS);
    *out = (struct output){.option = option, .kind = kind, .path = gt_strdup(path, err)};
    if (!out->path)
        return GT_FAIL;
    resolve(path, out->real);
    n_outputs++;
    return GT_OK;
}

int gt_output_add_sidecar(const char *option, const char *path, const char *suffix, const char *kind, struct gt_err *err)
{
    struct gt_str name = {0};
    gt_str_addf(&name, "%s%s", path, suffix);
    int status = gt_str_check(&name, err);
    if (!status)
        status = gt_output_add(option, name.s, kind, err);
    gt_str_release(&name);
    return status;
}

/* The kinds are the suffixes without their dot. */
static int add_fileset(const char *option, const char *path, const char *const suffixes[3], struct gt_err *err)
{
    int status = GT_OK;
    char *prefix = gt_strndup(path, gt_plink_stem(path), err);
    if (!prefix)
        return GT_FAIL;
    for (int i = 0; i < 3 && !status; i++)
        status = gt_output_add_sidecar(option, prefix, suffixes[i], suffixes[i] + 1, err);
    free(prefix);
    return status;
}

int gt_output_add_bed(const char *option, const char *path, struct gt_err *err)
{
    static const char *const suffixes[] = {".bed", ".bim", ".fam"};
    return add_fileset(option, path, suffixes, err);
}

int gt_output_add_pgen(const char *option, const char *path, struct gt_err *err)
{
    static const char *const suffixes[] = {".pgen", ".pvar", ".psam"};
    return add_fileset(option, path, suffixes, err);
}

const char *gt_output_of_kind(const char *kind)
{
    for (int k = 0; k < n_outputs; k++)
        if (outputs[k].kind && strcmp(outputs[k].kind, kind) == 0)
            return outputs[k].path;
    return NULL;
}

const char *gt_output_path(int i)
{
    static const char *const others[] = {"trace", "report", "graph", "log"};
    for (int k = 0; k < n_outputs; k++) {
        bool result = true;
        for (size_t o = 0; o < sizeof others / sizeof *others; o++)
            result = result && strcmp(outputs[k].option, others[o]) != 0;
        if (result && i-- == 0)
            return outputs[k].path;
    }
    return NULL;
}

static int register_inputs(const struct gt_cli *cli, const struct gt_opt_table *table, struct gt_err *err)
{
    int status = GT_OK;
    for (int i = 0; i < cli->n_operands && !status; i++)
        status = gt_input_register(cli->operands[i], err);
    for (int i = 0; i < table->n && !status; i++) {
        const struct gt_opt *opt = table->opt[i];
        const char *path = opt->kind == GT_OPT_READS ? *(const char **)opt->value : NULL;
        if (path)
            status = gt_input_register(path + (*path == '^'), err);
    }
    return status;
}

static int add_written(const struct gt_cli *cli, const struct gt_opt_table *table, struct gt_err *err)
{
    int status = GT_OK;
    if (!n_outputs && !by_input && cli->cmd->shared & (GT_SHARED_OUTPUT | GT_SHARED_FILE))
        status = gt_output_add("-o", cli->output, NULL, err);
    for (int i = 0; i < table->n && !status; i++) {
        const struct gt_opt *opt = table->opt[i];
        const char *path = opt->kind == GT_OPT_WRITES ? *(const char **)opt->value : NULL;
        if (path)
            status = gt_output_add(opt->name, path, opt->choices, err);
    }
    return status;
}

/* --- one output ---------------------------------------------------------------- */

static bool is_store_dir(const struct output *out)
{
    return out->kind && strcmp(out->kind, "store") == 0 && gt_store_is_directory(out->path);
}

static const char *file_kind(const struct output *out)
{
    bool store = out->kind && strcmp(out->kind, "store") == 0;
    return store ? gt_ends_with(out->path, ".zip") ? "zip" : "tar" : out->kind ? out->kind : "";
}

/* Files are made under another name next to their own, and renamed. */
static int check_folder(const struct output *out, struct gt_err *err)
{
    char folder[PATH_MAX];
    int status = gt_outfile_target(out->path, folder, err);
    if (status)
        return status;
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/')
        n--;
    while (n && folder[n - 1] != '/')
        n--;
    strcpy(folder + n, n ? "" : ".");
    return access(folder, W_OK | X_OK) == 0 ? GT_OK : gt_fail_errno(err, errno, "cannot create '%s'", out->path);
}

/* The same of a URL. */
static int check_url(const struct output *out, bool force, struct gt_err *err)
{
    if (is_store_dir(out))
        return gt_store_check(out->path, force, err);
    if (strcmp(file_kind(out), "log") == 0 || strcmp(file_kind(out), "report") == 0)
        return gt_fail(err, GT_USAGE, "--%s is written while the command runs, and cannot be at a URL", out->option);
    bool exists = false;
    int status = gt_file_exists_at_url(out->path, &exists, err);
    if (!status && exists && !force) {
        status = gt_fail(err, GT_FAIL, "cannot replace '%s': it already exists", out->path);
        gt_hint(err, "replace it with --force");
    }
    return status;
}

/* May what stands there be replaced? */
static int check_place(const struct output *out, bool force, struct gt_err *err)
{
    struct stat st;
    const char *what = gt_file_what(file_kind(out));
    if (gt_store_is_url(out->path))
        return check_url(out, force, err);
    const bool there = stat(out->path, &st) == 0;
    if (there && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !is_store_dir(out))
        return GT_OK; /* a pipe or device is written in place */
    int status = check_folder(out, err);
    if (status || (!there && !is_store_dir(out)))
        return status;
    if (is_store_dir(out))
        return gt_store_check(out->path, force, err);
    if (S_ISDIR(st.st_mode))
        return gt_fail_errno(err, EISDIR, "cannot write '%s'", out->path);
    if (access(out->path, W_OK) != 0)
        return gt_fail_errno(err, errno, "cannot write '%s'", out->path);
    if (force || gt_file_is(out->path, file_kind(out)))
        return GT_OK;
    if (what)
        gt_fail(err, GT_FAIL, "cannot replace '%s': it does not look like %s", out->path, what);
    else
        gt_fail(err, GT_FAIL, "cannot replace '%s': it already exists", out->path);
    gt_hint(err, "replace it with --force");
    return GT_FAIL;
}

static bool lies_in(const char *real, const char *dir)
{
    size_t n = strlen(dir);
    return n && strncmp(real, dir, n) == 0 && (real[n] == '/' || !real[n]);
}

/* No output may be an input by the same URL, or be inside one, or contain one. */
static int check_inputs(const struct output *out, const struct gt_cli *cli, struct gt_err *err)
{
    char in[PATH_MAX];
    for (int i = 0; gt_store_is_url(out->path) && i < cli->n_operands; i++) {
        if (!gt_store_is_url(cli->operands[i]))
            continue;
        resolve(cli->operands[i], in);
        if (lies_in(out->real, in) || lies_in(in, out->real)) {
            gt_fail(err, GT_USAGE, "cannot write '%s': it is the input '%s', or one lies in the other", out->path, cli->operands[i]);
            gt_hint(err, "no output may be an input: give it another name");
            return GT_USAGE;
        }
    }
    return GT_OK;
}

static bool is_device(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Two outputs at one place: the second would take the first one's. */
static int check_pair(const struct output *a, const struct output *b, struct gt_err *err)
{
    struct stat x, y;
    bool same = lies_in(a->real, b->real) || lies_in(b->real, a->real) ||
                (stat(a->path, &x) == 0 && stat(b->path, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
    if (!same || is_device(a->path))
        return GT_OK;
    return gt_fail(err, GT_USAGE, "'%s' (%s%s) and '%s' (%s%s) are the same file; two outputs need two names", a->path, dashes(a->option),
                   a->option, b->path, dashes(b->option), b->option);
}

/* A store that --resume finds finished is looked at later. */
static bool may_replace(const struct gt_cli *cli, const struct output *out)
{
    return cli->force || (cli->resume && is_store_dir(out));
}

int gt_outputs_check(const struct gt_cli *cli, const struct gt_opt_table *table, struct gt_err *err)
{
    int status = register_inputs(cli, table, err);
    status = status ? status : add_written(cli, table, err);
    if (status || cli->comm.rank > 0) /* rank 0 writes, and looks at what stands there */
        return status;
    status = gt_alias_check_output_fd(STDOUT_FILENO, "standard output", err);
    status = status ? status : gt_alias_check_output_fd(STDERR_FILENO, "standard error", err);
    for (int i = 0; i < n_outputs && !status; i++) {
        status = gt_alias_check_output(outputs[i].path, err);
        status = status ? status : check_inputs(&outputs[i], cli, err);
    }
    for (int i = 0; i < n_outputs && !status; i++)
        for (int k = 0; k < i && !status; k++)
            status = check_pair(&outputs[k], &outputs[i], err);
    for (int i = 0; i < n_outputs && !status; i++)
        status = check_place(&outputs[i], may_replace(cli, &outputs[i]), err);
    for (int i = 0; i < n_outputs && !status; i++)
        status = is_store_dir(&outputs[i]) ? GT_OK : gt_expect_output(outputs[i].path, err);
    return status;
}

void gt_outputs_by_input(void)
{
    by_input = true;
}

int gt_output_add_late(const struct gt_cli *cli, const char *option, const char *path, const char *kind, struct gt_err *err)
{
    const int n = n_outputs;
    int status = gt_output_add(option, path, kind, err);
    if (status || n_outputs == n)
        return status;
    status = gt_alias_check_output(path, err);
    status = status ? status : check_inputs(&outputs[n], cli, err);
    for (int k = 0; k < n && !status; k++)
        status = check_pair(&outputs[k], &outputs[n], err);
    status = status ? status : check_place(&outputs[n], may_replace(cli, &outputs[n]), err);
    return status || is_store_dir(&outputs[n]) ? status : gt_expect_output(outputs[n].path, err);
}

void gt_outputs_release(void)
{
    while (n_outputs)
        free(outputs[--n_outputs].path);
    gt_expect_forget(NULL);
    gt_alias_release();
}
