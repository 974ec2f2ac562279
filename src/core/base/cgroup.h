/* What control groups allow this process: cpu time and memory, v1 and v2. */
#ifndef GT_BASE_CGROUP_H
#define GT_BASE_CGROUP_H

#include <stdint.h>

struct gt_cgroup {
    double cpus;    /* quota / period, the smallest on the way up; 0 = no quota */
    int64_t memory; /* bytes, the smallest on the way up; 0 = no limit */
};

/* Reads ROOT/proc/self/cgroup and ROOT/proc/self/mountinfo, then each group's
 * files from the process's own group up to the mount.  root is "" but in tests.
 * Files that are missing or unreadable limit nothing. */
void gt_cgroup_get(struct gt_cgroup *out, const char *root);

#endif
