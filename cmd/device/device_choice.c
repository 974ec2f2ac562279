#include "cmd/device/device_choice.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/size.h"
#include "kernels/kernels.h"

/* What was asked for, and how. */
static const char *asked(const struct gt_cli *cli, const char **by)
{
    const char *name = cli->device ? cli->device : getenv("GT_DEVICE");
    *by = cli->device ? "--device" : "GT_DEVICE";
    return name && *name ? name : "cpu";
}

static bool is_cpu(const char *name)
{
    return strcmp(name, "cpu") == 0;
}

static bool is_auto(const char *name)
{
    return strcmp(name, "auto") == 0;
}

bool gt_device_is_asked(const struct gt_cli *cli)
{
    const char *by, *name = asked(cli, &by);
    return !is_cpu(name) && !is_auto(name);
}

static int check_options(const struct gt_cli *cli, struct gt_err *err)
{
    const char *by, *name = asked(cli, &by);
    const size_t n = strcspn(name, ":");
    const bool known = is_cpu(name) || is_auto(name) || (n == 4 && (!memcmp(name, "cuda", n) || !memcmp(name, "host", n)));
    if (!known || (cli->device && !strncmp(name, "host", 4))) {
        gt_fail(err, GT_USAGE, "%s: unknown device '%s'", by, name);
        gt_hint(err, "choose cpu, cuda, cuda:N or auto; gt-info --devices lists what there is");
        return GT_USAGE;
    }
    if (is_cpu(name) && cli->device_memory)
        return gt_fail(err, GT_USAGE, "--device-memory needs --device cuda or --device auto");
    return GT_OK;
}

/* A rank without :N takes the devices of its node in turn. */
static int with_index(const struct gt_cli *cli, const char *name, char *full, size_t size, struct gt_err *err)
{
    const struct gt_device_ops *ops;
    int n = 1, status;
    snprintf(full, size, "%s", name);
    if (strchr(name, ':') || cli->comm.size == 1 || !strcmp(name, "host"))
        return GT_OK;
    if ((status = gt_device_ops_find(name, &ops, err)) != GT_OK)
        return status;
    if (!ops->count(&n) && n > 0)
        snprintf(full, size, "%s:%d", name, cli->comm.rank % n);
    return GT_OK;
}

static int open_device(struct gt_cli *cli, const char *name, const struct gt_device_work *work, struct gt_device *device,
                       struct gt_err *err)
{
    char full[32];
    int status = with_index(cli, name, full, sizeof full, err);
    if (!status)
        status = gt_device_open(device, full, cli->device_memory, err);
    if (!status)
        status = gt_device_check_room(device, work->minimum, err);
    if (status)
        gt_device_close(device);
    else if (cli->trace || cli->report || cli->report_of_ranks)
        device->trace = &cli->engine.trace;
    return status;
}

/* cuda where it is there, has room and is predicted to be faster. */
static int choose_auto(struct gt_cli *cli, const struct gt_device_work *work, struct gt_device *device)
{
    struct gt_err why_not = {0};
    char why[200];
    if (open_device(cli, "cuda", work, device, &why_not)) {
        gt_device_say_cpu(cli, &why_not);
        return GT_OK;
    }
    const bool pays = gt_device_pays(&device->info, work, why, sizeof why);
    gt_note(cli, "device: %s (%s)", pays ? device->label : "cpu", why);
    if (!pays)
        gt_device_close(device);
    return GT_OK;
}

int gt_device_choose(struct gt_cli *cli, const struct gt_device_work *work, const char *no_path, struct gt_device *device,
                     struct gt_err *err)
{
    const char *by, *name = asked(cli, &by);
    *device = (struct gt_device){0};
    int status = check_options(cli, err);
    if (status)
        return status;
    if (is_cpu(name))
        return GT_OK;
    if (no_path && cli->device && !is_auto(name)) {
        gt_fail(err, GT_USAGE, "--device %s: %s runs on the CPU only", name, no_path);
        gt_hint(err, "use --device cpu");
        return GT_USAGE;
    }
    if (no_path) {
        if (cli->device || cli->verbose)
            gt_note(cli, "device: cpu (%s runs on the CPU only)", no_path);
        return GT_OK;
    }
    return is_auto(name) ? choose_auto(cli, work, device) : open_device(cli, name, work, device, err);
}

bool gt_device_fall_back(const struct gt_cli *cli, struct gt_device *device, int status, struct gt_err *err, struct gt_err *why)
{
    const char *by;
    if (status != GT_NOFIT || !device->ops || !is_auto(asked(cli, &by)))
        return false;
    *why = *err;
    *err = (struct gt_err){0};
    gt_device_close(device);
    return true;
}

void gt_device_say_cpu(struct gt_cli *cli, const struct gt_err *why)
{
    gt_note(cli, "device: cpu (%s)", why->msg);
}

char *gt_device_text(char text[GT_DEVICE_TEXT_LEN], const struct gt_device *device, const struct gt_device_work *work)
{
    char a[GT_NUM_LEN];
    if (!device->ops)
        snprintf(text, GT_DEVICE_TEXT_LEN, "cpu (%s)", gt_kernels()->name);
    else if (!work)
        snprintf(text, GT_DEVICE_TEXT_LEN, "%s (%s)", device->label, device->info.name);
    else
        snprintf(text, GT_DEVICE_TEXT_LEN, "%s (%s), %s of its memory", device->label, device->info.name,
                 gt_format_size(a, gt_device_share(device, work)));
    return text;
}

/* --- what there is ------------------------------------------------------------------- */

static void add_device(struct gt_str *text, bool json, const char *name, int index, const struct gt_device_info *info)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    if (json)
        gt_str_addf(text, "{\"device\": \"%s:%d\", \"name\": \"%s\", \"version\": \"%s\", \"memory\": %lld, \"memory_free\": %lld}\n", name,
                    index, info->name, info->version, (long long)info->memory, (long long)info->memory_free);
    else
        gt_str_addf(text, "%s:%d: %s, %s of memory, %s free, %s\n", name, index, info->name, gt_format_size(a, info->memory),
                    gt_format_size(b, info->memory_free), info->version);
}

void gt_device_list(struct gt_str *text, bool json)
{
    const struct gt_device_ops *ops;
    struct gt_err err = {0};
    struct gt_device_info info;
    int n = 0, code = GT_DEVICE_OK;
    if (!json)
        gt_str_addf(text, "cpu: %s kernels\n", gt_kernels()->name);
    if (gt_device_ops_find("cuda", &ops, &err)) {
        if (!json)
            gt_str_addf(text, "cuda: %s\n", err.msg);
        return;
    }
    code = ops->count(&n);
    for (int i = 0; i < n && !code; i++) {
        code = ops->describe(i, &info);
        if (!code)
            add_device(text, json, ops->name, i, &info);
    }
    if ((code || !n) && !json) {
        char cause[200] = "no device";
        if (code)
            ops->last_error(cause, sizeof cause);
        gt_str_addf(text, "cuda: %s\n", cause);
    }
}
