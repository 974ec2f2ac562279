#include "config.h"

#include "core/base/limits.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/cgroup.h"
#include "core/base/size.h"

void gt_cpu_set_get(struct gt_cpu_set *set)
{
    memset(set, 0, sizeof *set);
#if HAVE_SCHED_GETAFFINITY
    /* the kernel refuses a set smaller than its own */
    if (sched_getaffinity(0, sizeof *set, (cpu_set_t *)(void *)set))
        memset(set, 0, sizeof *set);
#endif
}

bool gt_cpu_set_use(const struct gt_cpu_set *set)
{
#if HAVE_SCHED_GETAFFINITY
    return sched_setaffinity(0, sizeof *set, (const cpu_set_t *)(const void *)set) == 0;
#else
    (void)set;
    return false;
#endif
}

int gt_cpu_set_count(const struct gt_cpu_set *set)
{
    int n = 0;
    for (size_t i = 0; i < sizeof set->bits / sizeof *set->bits; i++)
        n += __builtin_popcountll(set->bits[i]);
    return n;
}

static int available_cpus(void)
{
    struct gt_cpu_set set;
    gt_cpu_set_get(&set);
    int n = gt_cpu_set_count(&set);
    if (n < 1)
        n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n;
}

int gt_limits_cpus(int cpus, double quota)
{
    return quota > 0 && ceil(quota) < cpus ? (int)ceil(quota) : cpus;
}

/* A count in an environment variable; *value stays when it is unset or empty. */
static int env_threads(const char *name, int64_t *value, struct gt_err *err)
{
    const char *text = getenv(name);
    char first[32];
    int64_t n;
    if (!text || !*text)
        return GT_OK;
    /* OMP_NUM_THREADS may be a list, one entry per nesting level */
    size_t len = strcspn(text, ",");
    if (len >= sizeof first)
        len = sizeof first - 1;
    memcpy(first, text, len);
    first[len] = '\0';
    struct gt_err inner = {0};
    if (gt_parse_count(first, &n, &inner) || n < 1 || n > GT_MAX_THREADS)
        return gt_fail(err, GT_USAGE, "environment variable %s: '%s' is not a number of threads from 1 to %d", name, text, GT_MAX_THREADS);
    *value = n;
    return GT_OK;
}

static int get_threads(struct gt_limits *limits, int flag, double cpus, struct gt_err *err)
{
    int64_t env = 0;
    int status;
    if (flag < 0 || flag > GT_MAX_THREADS)
        return gt_fail(err, GT_USAGE, "--threads %d: give a number from 1 to %d", flag, GT_MAX_THREADS);
    if (flag) {
        limits->threads = flag;
        limits->threads_from = "--threads";
        return GT_OK;
    }
    limits->threads_from = "GT_THREADS";
    if ((status = env_threads("GT_THREADS", &env, err)) != GT_OK)
        return status;
    if (!env) {
        limits->threads_from = "OMP_NUM_THREADS";
        if ((status = env_threads("OMP_NUM_THREADS", &env, err)) != GT_OK)
            return status;
    }
    if (!env) {
        int all = available_cpus();
        env = gt_limits_cpus(all, cpus);
        limits->threads_from = env < all ? "cgroup" : "affinity";
    }
    limits->threads = env > GT_MAX_THREADS ? GT_MAX_THREADS : (int)env;
    return GT_OK;
}

/* 60 % of what the machine, the cgroup and the limit on address space leave; returns which of them it was. */
static const char *machine_memory(int64_t cgroup, int64_t *memory)
{
    const char *from = "60 % of RAM";
    int64_t smallest = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    struct rlimit as;
    if (cgroup && cgroup < smallest) {
        smallest = cgroup;
        from = "60 % of the cgroup limit";
    }
    if (getrlimit(RLIMIT_AS, &as) == 0 && as.rlim_cur != RLIM_INFINITY && as.rlim_cur < (rlim_t)smallest) {
        smallest = (int64_t)as.rlim_cur;
        from = "60 % of RLIMIT_AS";
    }
    *memory = smallest / 10 * 6;
    return from;
}

static int get_memory(struct gt_limits *limits, int64_t flag, int64_t cgroup, struct gt_err *err)
{
    const char *text = getenv("GT_MEMORY"), *from = machine_memory(cgroup, &limits->machine);
    if (flag < 0)
        return gt_fail(err, GT_USAGE, "--memory: a negative size");
    if (flag) {
        limits->memory = flag;
        limits->memory_from = "--memory";
        return GT_OK;
    }
    if (text && *text) {
        struct gt_err inner = {0};
        limits->memory_from = "GT_MEMORY";
        if (gt_parse_size(text, &limits->memory, &inner) || limits->memory == 0)
            return gt_fail(err, GT_USAGE, "environment variable GT_MEMORY: '%s' is not a size", text);
        return GT_OK;
    }
    limits->memory = limits->machine;
    limits->memory_from = from;
    return GT_OK;
}

int gt_limits_get(struct gt_limits *limits, int threads, int io_threads, int64_t memory, struct gt_err *err)
{
    struct gt_cgroup cgroup;
    int status;
    *limits = (struct gt_limits){0};
    if (io_threads < 0 || io_threads > GT_MAX_THREADS)
        return gt_fail(err, GT_USAGE, "--io %d: give a number from 1 to %d", io_threads, GT_MAX_THREADS);
    limits->io_threads = io_threads ? io_threads : 2;
    gt_cgroup_get(&cgroup, "");
    limits->cpus = cgroup.cpus > 0 ? fmin(cgroup.cpus, available_cpus()) : available_cpus();
    if ((status = get_threads(limits, threads, cgroup.cpus, err)) != GT_OK)
        return status;
    return get_memory(limits, memory, cgroup.memory, err);
}

void gt_limits_open_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}
