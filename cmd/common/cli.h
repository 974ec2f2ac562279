/* What all commands share: the option table, help, version, limits, signals,
 * progress, messages and exit codes.  A command is a struct gt_cmd and a run
 * function; main() is one line. */
#ifndef GT_CMD_CLI_H
#define GT_CMD_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/engine/engine.h"
#include "core/engine/shared_cpus.h"
#include "geno/model/select_opts.h"
#include "storage/picture/picture.h"

enum gt_opt_kind {
    GT_OPT_FLAG,   /* bool: becomes true */
    GT_OPT_NEGATE, /* bool: becomes false (--no-version) */
    GT_OPT_YES,    /* int: becomes 1 (--progress), or with choices "a|b" 1 or 2 by --progress=b; alone 1 */
    GT_OPT_NO,     /* int: becomes -1 (--no-progress) */
    GT_OPT_TEXT,   /* const char * */
    GT_OPT_READS,  /* const char *: a file that is read, "^" before it or not */
    GT_OPT_WRITES, /* const char *: a file that is written; `choices` is its kind, see cmd/common/formats.c */
    GT_OPT_COUNT,  /* int64_t >= 0, "1e9" allowed */
    GT_OPT_SIZE,   /* int64_t bytes, "256M" */
    GT_OPT_REAL,   /* double */
    GT_OPT_RATE,   /* double in [0, 1] */
    GT_OPT_CHOICE, /* int: index into `choices` ("a|b|c") */
};

/* One option.  Name, default and help stand here only; help, completion and the
 * man-page check are made from it.  value points at a static of the command. */
struct gt_opt {
    char letter;      /* 0 = none */
    const char *name; /* without the dashes */
    enum gt_opt_kind kind;
    void *value;
    const char *arg;     /* shown in help: "FILE"; NULL for flags and choices */
    const char *choices; /* GT_OPT_CHOICE: "rescale|ignore|error" */
    const char *help;    /* one line, no full stop; names the default */
};

/* Groups of shared options that a command takes.  -f comes with all that name a file to write. */
enum gt_shared {
    GT_SHARED_RESOURCES = 1, /* -@ --memory; --io --timeout --missing-403 --tmpdir with takes_input */
    GT_SHARED_WATCH = 2,     /* -n/--dry-run --progress --no-progress --trace --report --json -q -v --log */
    GT_SHARED_SELECT = 4,    /* all of struct gt_select_opts, and --array */
    GT_SHARED_PLACES = 128,  /* of those -s -S -r -R, --regions-overlap and --skip-absent */
    GT_SHARED_OUTPUT = 8,    /* -o --no-version */
    GT_SHARED_SEED = 16,     /* --seed */
    GT_SHARED_RESUME = 64,   /* --resume --verify, see cmd/common/resume.h */
    GT_SHARED_FILE = 32,     /* -o alone: the output is never a store */
    GT_SHARED_PLOT = 256,    /* --plot-width --plot-dpi, of the command's --plot: see gt_plot_check */
    GT_SHARED_DEVICE = 512,  /* --device --device-memory, see cmd/device/device_choice.h */
    GT_SHARED_RANKS = 1024,  /* --ranks, of a plan that has an estimate: see gt_print_estimate */
};

struct gt_cli;
struct gt_opt_table;

struct gt_cmd {
    const char *name;             /* "gt-pack" */
    const char *summary;          /* "VCF, BCF or PLINK to a chunked store" */
    const char *synopsis;         /* "[-o OUT] [IN...]" */
    const char *examples;         /* a few lines for --help */
    const struct gt_opt *options; /* own ones, ends with a zeroed entry */
    unsigned shared;              /* enum gt_shared */
    /* Looks at the options before the engine starts, lists the outputs (cmd/common/outputs.h), and may set
     * cli->threads; NULL = nothing to look at. */
    int (*check)(struct gt_cli *cli, struct gt_err *err);
    /* The same once cli->operands are known; NULL = nothing to look at. */
    int (*check_operands)(struct gt_cli *cli, struct gt_err *err);
    bool ranks;       /* runs with several ranks (cmd/common/ranks.h); takes --mpi */
    bool takes_input; /* operands are inputs; none means "-" (exit 2 with the short help on a terminal) */
    /* Does the work.  Returns a status; err says what went wrong. */
    int (*run)(struct gt_cli *cli, struct gt_err *err);
};

struct gt_cli {
    const struct gt_cmd *cmd;
    struct gt_comm comm;         /* open when check is called; the engine has a copy */
    struct gt_engine engine;     /* started before run is called */
    struct gt_shared_cpus cpus;  /* with other ranks of the node; set by gt_ranks_limits */
    const char *const *operands; /* inputs; {"-"} when none were given and takes_input */
    int n_operands;
    const char *command_line; /* one line, quoted as a shell would need it */
    const char *history;      /* provenance: version and command line; NULL with --no-version */
    double started;           /* of the run, see gt_elapsed */
    /* values of the shared options */
    const char *output; /* -o, "-" = standard output */
    bool resume, verify;
    bool force, version; /* version: write provenance (default true) */
    bool dry_run, json, quiet, verbose;
    const char *array, *trace, *report, *graph, *log, *tmpdir;
    int64_t seed; /* default 0 */
    int64_t threads, io_threads, memory;
    double timeout;                 /* of stores by URL, seconds */
    bool waits;                     /* --timeout was given */
    bool missing_403;               /* of those */
    bool all_chunks;                /* a chunk that a store lacks is an error */
    int progress;                   /* 0 by terminal, 1 a line, 2 several, -1 no */
    bool report_of_ranks;           /* rank 0 writes --report, and takes figures of this rank into it */
    int mpi;                        /* --mpi: index of auto, off, node, openmpi, mpich */
    int64_t ranks;                  /* --ranks: that the plan is for; 0 = as many as run */
    struct gt_picture_opts picture; /* of --plot */
    const char *device;             /* --device: NULL = GT_DEVICE, else the cpu */
    int64_t device_memory;          /* bytes, 0 = not given */
    struct gt_select_opts select;
    const struct gt_opt_table *options; /* in cmd->check: which options were given, see gt_given */
    bool no_input;                      /* set by cmd->check: nothing is read, operands are refused */
    const char *idle;                   /* the name of an option about stores by URL that was given without any, or NULL */
    const char *selected_by;            /* the name of the first selection option that was given, NULL = none was */
};

int gt_cli_main(int argc, char **argv, const struct gt_cmd *cmd);

/* In cmd->check: was the option of that long name given? */
bool gt_given(const struct gt_cli *cli, const char *name);

/* In cmd->check: does --no-version apply?  recorded: the output records its history; `needs` says which outputs do ("-O zarr").
 * GT_USAGE. */
int gt_check_version(const struct gt_cli *cli, bool recorded, const char *needs, struct gt_err *err);

/* In cmd->check: can --plot, NULL = not given, be written to that file with these sizes?  GT_USAGE. */
int gt_plot_check(const struct gt_cli *cli, const char *plot, struct gt_err *err);

/* Seconds since run was called. */
double gt_elapsed(const struct gt_cli *cli);

/* Standard error, one line, "gt-pack: ...": silent under -q.  note also goes to --log. */
void gt_note(struct gt_cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gt_warn(struct gt_cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
