#include "config.h"

#include "cmd/common/ranks_signature.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/kernels.h"
#include "storage/http/url.h"

static const char input_start[] = "input ";

/* The files of a directory store that say what is in it. */
static void add_store(struct gt_str *text, const char *path)
{
    static const char *const names[] = {".zmetadata", ".zattrs", ".zgroup", ".zarray", "zarr.json"};
    gt_str_add(text, "a directory");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct gt_str file = {0};
        struct stat its;
        gt_str_addf(&file, "%s/%s", path, names[i]);
        if (!file.failed && stat(file.s, &its) == 0)
            gt_str_addf(text, " with %s of %lld bytes", names[i], (long long)its.st_size);
        gt_str_release(&file);
    }
}

static void add_input(struct gt_str *text, const char *path)
{
    struct stat its;
    if (gt_store_is_url(path))
        return;
    gt_str_addf(text, "%s'%s': ", input_start, path);
    if (stat(path, &its))
        gt_str_add(text, strerror(errno));
    else if (S_ISDIR(its.st_mode))
        add_store(text, path);
    else
        gt_str_addf(text, "%lld bytes", (long long)its.st_size);
    gt_str_add(text, "\n");
}

/* The i-th input: operands, then the values of options; NULL: that option has none.  False after the last. */
static bool input_at(const struct gt_cli *cli, const struct gt_opt_table *table, int i, const char **path)
{
    const int n_operands = cli->cmd->takes_input ? cli->n_operands : 0;
    *path = NULL;
    if (i < n_operands) {
        *path = cli->operands[i];
        return true;
    }
    if (i - n_operands >= table->n)
        return false;
    const struct gt_opt *opt = table->opt[i - n_operands];
    if (opt->kind == GT_OPT_READS && *(const char **)opt->value) {
        *path = *(const char **)opt->value;
        *path += **path == '^';
    }
    return true;
}

int gt_signature_check_inputs(const struct gt_cli *cli, const struct gt_opt_table *table, struct gt_err *err)
{
    const char *path;
    for (int i = 0; input_at(cli, table, i, &path); i++) {
        struct stat its;
        const bool standard = path && strcmp(path, "-") == 0;
        if (!path || (!standard && (gt_store_is_url(path) || stat(path, &its) || S_ISREG(its.st_mode) || S_ISDIR(its.st_mode))))
            continue;
        if (standard)
            gt_fail(err, GT_USAGE, "standard input cannot be read with several ranks");
        else
            gt_fail(err, GT_USAGE, "'%s' is a pipe or a device, which cannot be read with several ranks", path);
        gt_hint(err, "name a file or a store that all ranks can read");
        return GT_USAGE;
    }
    return GT_OK;
}

void gt_signature_make(struct gt_str *text, const struct gt_cli *cli, const struct gt_opt_table *table)
{
    gt_str_addf(text, "version %s\ninstruction set %s\ncommand line \"%s\"\n", PACKAGE_VERSION, gt_kernels()->name, cli->command_line);
    const char *path;
    for (int i = 0; input_at(cli, table, i, &path); i++)
        if (path && strcmp(path, "-") != 0)
            add_input(text, path);
}

int gt_signature_compare(const char *ours, const char *theirs, int rank, const char *host, struct gt_err *err)
{
    while (*ours || *theirs) {
        size_t a = strcspn(ours, "\n"), b = strcspn(theirs, "\n");
        if (a != b || memcmp(ours, theirs, a) != 0) {
            const bool input = strncmp(ours, input_start, strlen(input_start)) == 0;
            const int status = gt_fail(err, input ? GT_INPUT : GT_USAGE, "rank %d on %s has %.*s, and rank 0 has %.*s", rank, host, (int)b,
                                       theirs, (int)a, ours);
            if (strncmp(ours, "instruction", 11) == 0)
                gt_hint(err, "set GT_CPU to the smaller of the two on all nodes");
            return status;
        }
        ours += a + (ours[a] == '\n');
        theirs += b + (theirs[b] == '\n');
    }
    return GT_OK;
}
