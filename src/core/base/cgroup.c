#include "config.h"

#include "core/base/cgroup.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/str.h"

/* The first line of a file, without its newline; false when there is none. */
__attribute__((format(printf, 3, 4))) static bool read_line(char *line, size_t size, const char *fmt, ...)
{
    char path[4096];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    FILE *file = n < (int)sizeof path ? fopen(path, "re") : NULL;
    bool found = file && fgets(line, (int)size, file);
    if (file)
        fclose(file);
    if (found)
        line[strcspn(line, "\n")] = '\0';
    return found;
}

static void lower_memory(struct gt_cgroup *out, const char *text)
{
    char *end;
    long long v = strtoll(text, &end, 10); /* "max" has no digits */
    if (end != text && v > 0 && v < INT64_C(1) << 60 && (!out->memory || v < out->memory))
        out->memory = v;
}

static void lower_cpus(struct gt_cgroup *out, double quota, double period)
{
    if (quota > 0 && period > 0 && (!out->cpus || quota / period < out->cpus))
        out->cpus = quota / period;
}

/* The limits that the group at `dir` itself sets. */
static void read_group(struct gt_cgroup *out, const char *dir)
{
    char line[128], line2[128];
    double quota, period;
    if (read_line(line, sizeof line, "%s/memory.max", dir))
        lower_memory(out, line);
    if (read_line(line, sizeof line, "%s/memory.high", dir))
        lower_memory(out, line);
    if (read_line(line, sizeof line, "%s/memory.limit_in_bytes", dir))
        lower_memory(out, line);
    if (read_line(line, sizeof line, "%s/cpu.max", dir) && sscanf(line, "%lf %lf", &quota, &period) == 2)
        lower_cpus(out, quota, period);
    if (read_line(line, sizeof line, "%s/cpu.cfs_quota_us", dir) && read_line(line2, sizeof line2, "%s/cpu.cfs_period_us", dir))
        lower_cpus(out, strtod(line, NULL), strtod(line2, NULL));
}

/* Is `word` an entry of the comma-separated list? */
static bool in_list(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at++)
        if ((at == list || at[-1] == ',') && (at[n] == ',' || at[n] == '\0'))
            return true;
    return false;
}

/* Where the hierarchy of `controller` ("" for v2) is mounted, and which group its mount shows. */
static bool find_mount(const char *root, const char *controller, char shown[1024], char point[1024])
{
    char path[4096], line[8192], type[64], options[1024];
    bool found = false;
    if (snprintf(path, sizeof path, "%s/proc/self/mountinfo", root) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *rest = strstr(line, " - ");
        if (!rest || sscanf(line, "%*s %*s %*s %1023s %1023s", shown, point) != 2 || sscanf(rest, " - %63s %*s %1023s", type, options) != 2)
            continue;
        found = *controller ? !strcmp(type, "cgroup") && in_list(options, controller) : !strcmp(type, "cgroup2");
    }
    if (file)
        fclose(file);
    return found;
}

/* Every group from `group` up to the mount. */
static void walk_up(struct gt_cgroup *out, const char *root, const char *controller, const char *group)
{
    char shown[1024], point[1024];
    size_t n;
    if (!find_mount(root, controller, shown, point))
        return;
    /* a container sees its own group as the mount's root, or a path that is not below it at all */
    n = strcmp(shown, "/") ? strlen(shown) : 0;
    bool below = !strncmp(group, shown, n) && (group[n] == '/' || group[n] == '\0') && !strstr(group, "/..");
    struct gt_str dir = {0};
    gt_str_addf(&dir, "%s%s", root, point);
    size_t top = dir.len;
    if (below)
        gt_str_add(&dir, group + n);
    while (dir.len > top) {
        read_group(out, dir.s);
        while (dir.len > top && dir.s[dir.len - 1] != '/')
            dir.len--;
        while (dir.len > top && dir.s[dir.len - 1] == '/')
            dir.len--;
        dir.s[dir.len] = '\0';
    }
    read_group(out, dir.s);
    gt_str_release(&dir);
}

void gt_cgroup_get(struct gt_cgroup *out, const char *root)
{
    char path[4096], line[8192];
    *out = (struct gt_cgroup){0};
    if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path)
        return;
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        line[strcspn(line, "\n")] = '\0';
        controllers++;
        *group++ = '\0';
        if (!*controllers)
            walk_up(out, root, "", group);
        if (in_list(controllers, "memory"))
            walk_up(out, root, "memory", group);
        if (in_list(controllers, "cpu"))
            walk_up(out, root, "cpu", group);
    }
    if (file)
        fclose(file);
}
