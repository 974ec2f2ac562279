/* Faults that a test asks for, and the last error of a thread. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/host_internal.h"

static const char *const names[] = {
#define AS_NAME(name) #name,
    GT_HOST_OPERATIONS(AS_NAME)
#undef AS_NAME
};

static _Atomic long calls[GT_HOST_N_OPERATIONS];
static long fails_at[GT_HOST_N_OPERATIONS]; /* 0: never */
static bool late[GT_HOST_N_OPERATIONS];
static _Thread_local char last[200];

static bool read_fault(const char *item)
{
    for (int o = 0; o < GT_HOST_N_OPERATIONS; o++) {
        const size_t n = strlen(names[o]);
        char *end;
        if (strncmp(item, names[o], n) != 0 || item[n] != ':')
            continue;
        fails_at[o] = strtol(item + n + 1, &end, 10);
        late[o] = !strcmp(end, ":late");
        return fails_at[o] > 0 && (late[o] || !*end);
    }
    return false;
}

bool gt_host_faults_read(void)
{
    const char *text = getenv("GT_DEVICE_FAULT");
    char all[200], *place = NULL;
    for (int o = 0; o < GT_HOST_N_OPERATIONS; o++)
        calls[o] = fails_at[o] = 0;
    snprintf(all, sizeof all, "%s", text ? text : "");
    for (const char *item = strtok_r(all, ",", &place); item; item = strtok_r(NULL, ",", &place))
        if (!read_fault(item)) {
            gt_host_fail(GT_DEVICE_FAILED, "GT_DEVICE_FAULT: '%s' is not OPERATION:N", item);
            return false;
        }
    return true;
}

enum gt_host_fault gt_host_fault(enum gt_host_operation operation)
{
    if (atomic_fetch_add(&calls[operation], 1) + 1 != fails_at[operation])
        return GT_HOST_GOOD;
    gt_host_fail(GT_DEVICE_FAILED, "fault injected in call %ld of %s", fails_at[operation], names[operation]);
    return late[operation] ? GT_HOST_FAILS_LATE : GT_HOST_FAILS;
}

int gt_host_fail(enum gt_device_code code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(last, sizeof last, fmt, ap);
    va_end(ap);
    return code;
}

void gt_host_last_error(char *text, size_t size)
{
    snprintf(text, size, "%s", last);
}
