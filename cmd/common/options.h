/* The option table of one command and the parser that it drives.
 *
 * A table is the command's own options, the shared groups that it takes and the
 * general ones (-h, --help, --version), in the order of --help.  An own option
 * hides a shared one of the same name or letter. */
#ifndef GT_CMD_OPTIONS_H
#define GT_CMD_OPTIONS_H

#include <stdio.h>

#include "cmd/common/cli.h"

enum gt_opt_group {
    GT_GROUP_OWN,
    GT_GROUP_OUTPUT,
    GT_GROUP_SELECT,
    GT_GROUP_RESOURCES,
    GT_GROUP_SEED,
    GT_GROUP_WATCH,
    GT_GROUP_GENERAL,
    GT_N_GROUPS
};

#define GT_OPT_MAX 128

struct gt_opt_table {
    const struct gt_opt *opt[GT_OPT_MAX];
    bool given[GT_OPT_MAX];
    enum gt_opt_group group[GT_OPT_MAX];
    int n;
};

/* What the general options asked for. */
enum gt_opt_action { GT_ACTION_RUN, GT_ACTION_SHORT_HELP, GT_ACTION_HELP, GT_ACTION_VERSION, GT_ACTION_LIST };

void gt_opt_table_make(struct gt_opt_table *table, const struct gt_cmd *cmd);
/* The first option of a group that was given; NULL when none was. */
const struct gt_opt *gt_opt_given(const struct gt_opt_table *table, enum gt_opt_group group);
bool gt_opt_was_given(const struct gt_opt_table *table, const char *name);
const char *gt_opt_group_title(enum gt_opt_group group);
static inline bool gt_opt_takes_value(const struct gt_opt *opt)
{
    return opt->kind >= GT_OPT_TEXT;
}

/* Stores the values of argv[1..] where the table says.  Operands are moved to
 * the front of argv (from argv[1] on), *n_operands of them.  Options and operands
 * may mix; "--" ends the options; a long name is never abbreviated.  Stops at a
 * request for help or version.  GT_USAGE for anything that is not in the table. */
int gt_opt_parse(struct gt_opt_table *table, int argc, char **argv, int *n_operands, enum gt_opt_action *request, struct gt_err *err);

/* shared.c: the shared options that a command takes, in the order of --help, each
 * part ending with a zeroed entry; and the values after them. */
#define GT_SHARED_PARTS 15
struct gt_opt_group_part {
    enum gt_opt_group group;
    const struct gt_opt *opts;
};
size_t gt_shared_groups(const struct gt_cmd *cmd, struct gt_opt_group_part *parts);
struct gt_cli *gt_shared_cli(void);
/* Checks of the shared values that the table cannot express. */
int gt_shared_check(struct gt_err *err);

/* help.c */
int gt_help_short(FILE *to, const struct gt_cmd *cmd, const struct gt_opt_table *table, struct gt_err *err);
int gt_help_long(FILE *to, const struct gt_cmd *cmd, const struct gt_opt_table *table, struct gt_err *err);
/* One option a line: letter or "-", name or "-", kind, argument, help; tabs between. */
void gt_help_list(FILE *to, const struct gt_opt_table *table);

/* version.c */
void gt_version_print(FILE *to, const struct gt_cmd *cmd);

#endif
