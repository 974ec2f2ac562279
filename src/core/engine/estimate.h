/* How long a run takes, predicted from its plan: the sum of its terms, each an amount of work over a rate.
 *
 *     time = start + max(read, decode + compute) + send + latency + finish + write
 *
 * All amounts are those of the rank that has most to do: the first.  Reading goes on while blocks are computed.  Rates are constants
 * here or of the command, or those that the environment variable GT_RATES has, which are measured with runs of one process. */
#ifndef GT_ENGINE_ESTIMATE_H
#define GT_ENGINE_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

struct gt_work {
    bool at_most;      /* only an upper bound of the number of variants is known */
    double reads;      /* bytes of input, in all passes */
    double decodes;    /* of those bytes, as they are in memory */
    double operations; /* of this rank; negative: the number of variants is not known */
    int64_t passes;    /* of an iteration that may end before or after so many; 0: their number is known */
    const char *unit;  /* of operations: "pair-sites" */
    double rate;       /* operations per second of one core */
    double moved;      /* bytes through the link of the first rank */
    double messages;   /* that wait for each other */
    double last;       /* operations of the first rank alone, after the others have ended */
    const char *last_unit;
    double last_rate; /* of one core */
    int last_threads; /* of them, at most */
    double writes;    /* bytes of output */
};

/* Each 0: not given. */
struct gt_rates {
    double start;         /* seconds from the launcher to the first task, and at the end */
    double read, write;   /* bytes per second */
    double decode;        /* bytes per second of one core */
    double compute, last; /* operations per second of one core */
    double link;          /* bytes per second */
    double latency;       /* seconds of a message */
};

/* Seconds, and the rates that they come from: all are given. */
struct gt_estimate {
    double start, read, decode, compute, send, latency, finish, write, total;
    struct gt_rates rates;
};

/* NAME=NUMBER, separated by commas: text; NULL or "": none.  GT_USAGE. */
int gt_rates_parse(struct gt_rates *rates, const char *text, struct gt_err *err);
/* Of GT_RATES. */
int gt_rates_get(struct gt_rates *rates, struct gt_err *err);

/* cores: of one rank, those that its threads keep busy. */
void gt_estimate_make(struct gt_estimate *estimate, const struct gt_work *work, const struct gt_rates *given, int ranks, double cores);

/* Bytes that pass the link of the first rank when `bytes` of each are added up there, or sent from there to all: one chain of up to four
 * ranks, otherwise a tree. */
double gt_estimate_collective(double bytes, int ranks);
/* Messages of that, in parts of GT_COMM_BLOCK. */
double gt_estimate_messages(double bytes, int ranks);

#endif
