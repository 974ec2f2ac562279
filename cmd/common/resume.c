#include "config.h"

#include "cmd/common/resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/zarr/array.h"
#include "arrays/zarr/group.h"
#include "cmd/common/message.h"
#include "cmd/common/ranks.h"
#include "core/base/alias_check.h"
#include "core/base/json.h"
#include "core/base/size.h"
#include "core/base/str.h"
#include "core/os/os_files.h"
#include "storage/archive/store_create.h"
#include "storage/http/url.h"
#include "storage/http/url_writer.h"
#include "storage/store/dir_store.h"
#include "storage/store/journal.h"

static struct gt_str noted; /* options, a line each */
static const struct gt_opt_table *table;

/* --- what values depend on ------------------------------------------------------------------ */

static void note_option(const struct gt_opt *opt)
{
    gt_str_addf(&noted, "--%s", opt->name);
    switch (opt->kind) {
    case GT_OPT_TEXT:
    case GT_OPT_READS:
        gt_str_add(&noted, " ");
        gt_url_add_public(&noted, *(const char **)opt->value);
        break;
    case GT_OPT_COUNT:
    case GT_OPT_SIZE:
        gt_str_addf(&noted, " %" PRId64, *(int64_t *)opt->value);
        break;
    case GT_OPT_REAL:
    case GT_OPT_RATE:
        gt_str_addf(&noted, " %.17g", *(double *)opt->value);
        break;
    case GT_OPT_CHOICE:
        gt_str_addf(&noted, " (number %d of %s)", *(int *)opt->value + 1, opt->choices);
        break;
    default:
        break;
    }
    gt_str_add(&noted, "\n");
}

/* Does the option change what is written? */
static bool counts(int i)
{
    const enum gt_opt_group group = table->group[i];
    const struct gt_opt *opt = table->opt[i];
    return opt->name && opt->kind != GT_OPT_WRITES &&
           (group == GT_GROUP_OWN || group == GT_GROUP_SELECT || strcmp(opt->name, "no-version") == 0 || strcmp(opt->name, "output") == 0);
}

/* Does the option only say whether a run fails?  What a run without it has written is the same. */
static bool judges(const struct gt_opt *opt)
{
    return strcmp(opt->name, "strict") == 0 || strcmp(opt->name, "skip-absent") == 0;
}

int gt_resume_message(const struct gt_cli *cli, const struct gt_opt_table *options, struct gt_err *err)
{
    table = options;
    gt_str_addf(&noted, "%s %s\n", cli->cmd->name, PACKAGE_VERSION);
    for (int i = 0; i < table->n; i++) {
        if (table->given[i] && counts(i) && !judges(table->opt[i]) && strcmp(table->opt[i]->name, "output") != 0)
            note_option(table->opt[i]);
    }
    return gt_str_check(&noted, err);
}

void gt_resume_release(void)
{
    gt_str_release(&noted);
}

/* An input that comes through a pipe or the like, and cannot be read again, "-" for standard input; NULL: there is none. */
static const char *read_once(const struct gt_cli *cli)
{
    struct stat st;
    if (cli->n_operands == 0)
        return "-";
    for (int i = 0; i < cli->n_operands; i++) {
        const char *name = cli->operands[i];
        if (strcmp(name, "-") == 0 || (!gt_store_is_url(name) && stat(name, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
            return name;
    }
    return NULL;
}

int gt_resume_check(const struct gt_cli *cli, struct gt_err *err)
{
    const char *option = cli->resume ? "--resume" : cli->verify ? "--verify" : NULL;
    if (!option)
        return GT_OK;
    if (!gt_store_is_directory(cli->output))
        return gt_fail(err, GT_USAGE, "%s needs an output that is a directory store, and '%s' is not one", option, cli->output);
    const char *pipe = cli->resume ? read_once(cli) : NULL;
    if (pipe && strcmp(pipe, "-") == 0)
        return gt_fail(err, GT_USAGE, "--resume: standard input cannot be read again");
    return pipe ? gt_fail(err, GT_USAGE, "--resume: '%s' cannot be read again", pipe) : GT_OK;
}

/* The lines of the journal.  *newest: when inputs last changed. */
static int make_plan(const struct gt_cli *cli, struct gt_str *plan, struct timespec *newest, struct gt_err *err)
{
    const char *pipe = cli->resume ? gt_alias_read_once() : NULL;
    if (pipe) {
        gt_fail(err, GT_USAGE, "--resume: '%s' is a pipe, which cannot be compared with that of the earlier run", pipe);
        gt_hint(err, "write its contents to a file, and give that file");
        return GT_USAGE;
    }
    gt_str_add(plan, noted.s);
    int status = gt_alias_print_inputs(plan, newest, err);
    for (int i = 0; i < cli->n_operands; i++)
        if (gt_store_is_url(cli->operands[i])) {
            gt_str_add(plan, "input ");
            gt_url_add_public(plan, cli->operands[i]);
            gt_str_add(plan, "\n");
        }
    return status ? status : gt_str_check(plan, err);
}

/* --- a store that already exists --- */

/* The last line of its history, into `line`; "": it has none. */
static int read_history(const char *path, struct gt_str *line, struct gt_err *err)
{
    struct gt_store *store = NULL;
    struct gt_group *group = NULL;
    struct gt_array *array = NULL;
    struct json_object *attrs = NULL;
    gt_str_add(line, "");
    int status = (gt_store_is_url(path) ? gt_store_open_url : gt_store_open_dir)(&store, path, err);
    if (!status && !(status = gt_group_open(&group, store, "", err)))
        attrs = group->attrs;
    else if (status == GT_NOENT && !(status = gt_array_open(&array, store, "", err)))
        attrs = array->attrs;
    struct json_object *list = attrs ? gt_json_get(attrs, "gt:history") : NULL;
    const size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
    if (n > 0)
        gt_str_add(line, json_object_get_string(json_object_array_get_idx(list, n - 1)));
    gt_group_free(group);
    gt_array_free(array);
    gt_store_free(store);
    return status && status != GT_NOENT ? status : gt_str_check(line, err);
}

/* A word of a command line: 0, or, where it is an option that changes nothing, 1 and 2 with a value after it. */
static int words_to_drop(const char *word, size_t n)
{
    for (int i = 0; i < table->n; i++) {
        const struct gt_opt *opt = table->opt[i];
        const size_t len = opt->name ? strlen(opt->name) : 0;
        if (counts(i))
            continue;
        if (len && n >= len + 2 && strncmp(word, "--", 2) == 0 && strncmp(word + 2, opt->name, len) == 0 &&
            (n == len + 2 || word[len + 2] == '='))
            return n == len + 2 && gt_opt_takes_value(opt) ? 2 : 1;
        if (opt->letter && n >= 2 && word[0] == '-' && word[1] == opt->letter && (n == 2 || gt_opt_takes_value(opt)))
            return n == 2 && gt_opt_takes_value(opt) ? 2 : 1;
    }
    return 0;
}

/* A line of a history without options that change nothing. */
static int shorten(const char *line, struct gt_str *to, struct gt_err *err)
{
    int drop = 0;
    for (const char *p = line; *p;) {
        const size_t n = strcspn(p, " ");
        drop = drop > 0 ? drop - 1 : 0;
        if (!drop)
            drop = words_to_drop(p, n);
        if (!drop)
            gt_str_addf(to, "%s%.*s", to->len ? " " : "", (int)n, p);
        p += n + (p[n] == ' ');
    }
    gt_str_add(to, "");
    return gt_str_check(to, err);
}

/* Is there one, and when was it last modified?  A server that does not say the time is taken to have made it just now. */
static int find_finished(const char *path, bool *exists, struct timespec *modified, struct gt_err *err)
{
    struct stat st;
    int64_t seconds;
    if (!gt_store_is_url(path)) {
        *exists = stat(path, &st) == 0;
        *modified = *exists ? gt_modified(&st) : (struct timespec){0};
        return GT_OK;
    }
    int status = gt_store_exists_at_url(path, exists, &seconds, err);
    *modified = (struct timespec){.tv_sec = seconds >= 0 ? seconds : time(NULL), .tv_nsec = 999999999};
    return status;
}

/* GT_END: it is what this command would make. */
static int look_at_finished(const struct gt_cli *cli, struct timespec newest, struct gt_err *err)
{
    struct gt_str line = {0}, was = {0}, is = {0};
    struct timespec made;
    bool exists = false;
    int status = cli->force ? GT_OK : find_finished(cli->output, &exists, &made, err);
    if (status || !exists)
        return status;
    status = read_history(cli->output, &line, err);
    status = status ? status : shorten(line.s, &was, err);
    status = status || !cli->history ? status : shorten(cli->history, &is, err);
    if (!status && !cli->history)
        status = gt_fail(err, GT_INPUT, "'%s' already exists, and with --no-version there is no record of what made it", cli->output);
    else if (!status && strcmp(was.s, is.s) != 0)
        status = gt_fail(err, GT_INPUT, "'%s' already exists, made by '%s'; this is '%s'", cli->output, *was.s ? was.s : "another program",
                         is.s);
    else if (!status && (newest.tv_sec > made.tv_sec || (newest.tv_sec == made.tv_sec && newest.tv_nsec > made.tv_nsec)))
        status = gt_fail(err, GT_INPUT, "'%s' already exists and is older than its input", cli->output);
    if (status)
        gt_hint(err, "replace it with --force");
    gt_str_release(&line);
    gt_str_release(&was);
    gt_str_release(&is);
    return status ? status : GT_END;
}

/* --- the store ------------------------------------------------------------------------------------- */

/* With --force, what was begun differently is started again. */
static int create_resumed(struct gt_cli *cli, struct gt_store **out, const char *plan, struct gt_err *err)
{
    int status = gt_store_create_resumed(out, cli->output, cli->force, plan, err);
    if (status != GT_INPUT || !cli->force)
        return status;
    gt_note(cli, "%s; starting again (--force)", err->msg);
    gt_err_clear(err);
    return gt_store_create(out, cli->output, true, plan, err);
}

/* GT_END: it is complete already. */
static int create(struct gt_cli *cli, struct gt_store **out, struct gt_err *err)
{
    struct gt_str plan = {0};
    struct timespec newest;
    if (!gt_store_is_directory(cli->output))
        return gt_store_create(out, cli->output, cli->force, "", err);
    int status = make_plan(cli, &plan, &newest, err);
    if (!status && cli->resume) {
        status = gt_store_is_url(cli->output) ? GT_OK : gt_store_recover(cli->output, err);
        status = status ? status : look_at_finished(cli, newest, err);
        status = status ? status : create_resumed(cli, out, plan.s, err);
    } else if (!status) {
        status = gt_store_create(out, cli->output, cli->force, plan.s, err);
    }
    gt_str_release(&plan);
    return status || read_once(cli) ? status : gt_store_keep(*out, true, err);
}

int gt_resume_create(struct gt_cli *cli, struct gt_store **out, struct gt_err *err)
{
    int status = GT_OK, complete;
    *out = NULL;
    if (cli->comm.rank == 0)
        status = create(cli, out, err);
    if (!status && cli->comm.rank == 0 && cli->comm.size > 1)
        status = gt_store_share(*out, cli->comm.size, err);
    complete = status == GT_END;
    status = complete ? GT_OK : status;
    if (!status && cli->comm.size > 1)
        status = gt_comm_broadcast(&cli->comm, &complete, sizeof complete, 0, err);
    if (!status && !complete && cli->comm.rank > 0)
        status = gt_store_join(out, cli->output, cli->comm.rank, err);
    if (!status && !complete && cli->comm.size > 1)
        status = gt_comm_barrier(&cli->comm, err); /* rank 0, when it fails, waits for those that have joined */
    if (!status && complete)
        gt_note(cli, "'%s' is already complete", cli->output);
    if (status && *out) { /* another rank may have failed already */
        status = gt_resume_finish(cli, *out, status, err);
        *out = NULL;
    }
    return status;
}

/* Chunks that a journal lists, and their bytes, as it says; metadata aside. */
static int count_journal(const char *path, int64_t *chunks, int64_t *bytes, struct gt_err *err)
{
    char *line = NULL;
    size_t cap = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return gt_fail_errno(err, errno, "cannot open '%s'", path);
    while (getline(&line, &cap, file) > 0) {
        long long size;
        unsigned long long hash;
        int n = 0;
        if (sscanf(line, "%lld %16llx %n", &size, &hash, &n) < 2 || n == 0 || size < 0)
            continue;
        const char *slash = strrchr(line + n, '/'), *name = slash ? slash + 1 : line + n;
        if (*name == '.' || strncmp(name, "zarr.json", 9) == 0)
            continue;
        ++*chunks;
        *bytes += size;
    }
    fclose(file);
    free(line);
    return 0;
}

/* What a run before left is locked, and compared with what this one is, as if it went on. */
static int look_at_begun(const struct gt_cli *cli, const char *plan, const char *journal, int64_t *chunks, int64_t *bytes,
                         struct gt_err *err)
{
    struct gt_store *out;
    int status = gt_store_create_resumed(&out, cli->output, cli->force, plan, err);
    if (status == GT_INPUT && cli->force) {
        gt_err_clear(err);
        return GT_OK;
    }
    if (status)
        return status;
    status = gt_store_keep(out, true, err);
    if (!status && gt_store_is_url(cli->output))
        gt_url_writer_count(out, chunks, bytes);
    else if (!status)
        status = count_journal(journal, chunks, bytes, err);
    gt_store_free(out);
    return status;
}

int gt_resume_print(const struct gt_cli *cli, int64_t chunks, struct gt_err *err)
{
    struct gt_str plan = {0}, journal = {0};
    struct timespec newest;
    int64_t there = 0, bytes = 0;
    char a[GT_NUM_LEN], b[GT_NUM_LEN], c[GT_NUM_LEN];
    if (cli->comm.rank > 0) /* rank 0 locks the journal, and prints */
        return GT_OK;
    gt_str_addf(&journal, "%s.partial/%s", cli->output, GT_JOURNAL);
    int status = gt_str_check(&journal, err);
    status = status ? status : make_plan(cli, &plan, &newest, err);
    status = status ? status : look_at_finished(cli, newest, err);
    if (!status && (gt_store_is_url(cli->output) || access(journal.s, F_OK) == 0))
        status = look_at_begun(cli, plan.s, journal.s, &there, &bytes, err);
    if (status == GT_END)
        printf("resume         already complete\n");
    else if (!status && chunks < 0)
        printf("resume         %s chunks are there, %s\n", gt_format_count(a, there), gt_format_size(b, bytes));
    else if (!status)
        printf("resume         %s chunks are there, %s; %s of %s are left\n", gt_format_count(a, there), gt_format_size(b, bytes),
               gt_format_count(c, gt_max_i64(0, chunks - there)), gt_format_count((char[GT_NUM_LEN]){0}, chunks));
    gt_str_release(&plan);
    gt_str_release(&journal);
    return status == GT_END ? GT_OK : status;
}

static int verify(struct gt_cli *cli, struct gt_store *out, struct gt_err *err)
{
    int64_t values, bytes;
    char a[GT_THINGS_LEN], b[GT_NUM_LEN];
    int status = gt_store_verify(out, &values, &bytes, err);
    if (!status)
        gt_note(cli, "%s read back (%s): all match what was written", gt_format_things(a, values, "file"), gt_format_size(b, bytes));
    return status;
}

/* The ranks other than 0 finish first. */
static int gather(struct gt_cli *cli, struct gt_store *out, struct gt_err *err)
{
    int status = cli->comm.rank > 0 ? gt_store_finish(out, err) : GT_OK;
    status = status ? status : gt_comm_barrier(&cli->comm, err);
    return status || cli->comm.rank > 0 ? status : gt_store_gather(out, err);
}

int gt_resume_finish(struct gt_cli *cli, struct gt_store *out, int status, struct gt_err *err)
{
    const bool can = out->ops->keep && !read_once(cli) && !gt_store_is_url(cli->output);
    if (!status && cli->comm.size > 1)
        status = gather(cli, out, err);
    if (status)
        gt_comm_fail(&cli->comm, err); /* rank 0 removes the store only when the others have stopped */
    if (cli->comm.rank > 0) {
        gt_store_free(out);
        return status;
    }
    if (!status && cli->verify)
        status = verify(cli, out, err);
    status = status ? status : gt_store_finish(out, err);
    if (status && gt_ranks_status(cli, status, NULL) != GT_CANCEL && !cli->resume)
        gt_store_keep(out, false, NULL);
    else if (status && can)
        gt_note(cli, "finished chunks are kept in '%s.partial'; continue with --resume", cli->output);
    gt_store_free(out);
    return status;
}
