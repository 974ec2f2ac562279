#include "cmd/device/device_choice.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"
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

static struct json_object *device_json(const char *label, const struct gt_device_info *info)
{
    struct json_object *one = json_object_new_object();
    return gt_json_if_complete(one, gt_json_set_text(one, "device", label) && gt_json_set_text(one, "name", info->name) &&
                                        gt_json_set_text(one, "version", info->version) && gt_json_set_int(one, "memory", info->memory) &&
                                        gt_json_set_int(one, "memory_free", info->memory_free));
}

static void add_device(struct gt_str *text, const char *label, const struct gt_device_info *info)
{
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    gt_str_addf(text, "%s: %s, %s of memory, %s free, %s\n", label, info->name, gt_format_size(a, info->memory),
                gt_format_size(b, info->memory_free), info->version);
}

/* Describes the devices; cause, of that size: why there is none, or no more.  false: out of memory for the list. */
static bool add_devices(struct gt_str *text, struct json_object *list, char *cause, size_t size)
{
    const struct gt_device_ops *ops;
    struct gt_err err = {0};
    struct gt_device_info info;
    int n = 0, code;
    bool listed = true;
    char label[64];
    if (gt_device_ops_find("cuda", &ops, &err)) {
        snprintf(cause, size, "%s", err.msg);
        return true;
    }
    code = ops->count(&n);
    for (int i = 0; i < n && !code; i++) {
        code = ops->describe(i, &info);
        snprintf(label, sizeof label, "%s:%d", ops->name, i);
        if (code)
            break;
        add_device(text, label, &info);
        listed = gt_json_add(list, device_json(label, &info)) && listed;
    }
    if (code)
        ops->last_error(cause, size);
    else if (!n)
        snprintf(cause, size, "no device");
    return listed;
}

int gt_device_list(struct gt_str *text, bool json, struct gt_err *err)
{
    struct json_object *root = json_object_new_object(), *list = json_object_new_array();
    struct gt_str lines = {0};
    char cause[sizeof((struct gt_err *)0)->msg] = "";
    gt_str_addf(&lines, "cpu: %s kernels\n", gt_kernels()->name);
    bool listed = add_devices(&lines, list, cause, sizeof cause);
    if (*cause)
        gt_str_addf(&lines, "cuda: %s\n", cause);
    listed = gt_json_set(root, "devices", list) && (!*cause || gt_json_set_text(root, "cause", cause)) && listed;
    if (json) {
        gt_json_print(text, root, true);
        gt_str_add(text, "\n");
    } else {
        gt_str_addf(text, "%s", lines.s ? lines.s : "");
    }
    gt_str_release(&lines);
    json_object_put(root);
    return listed || !json ? GT_OK : gt_no_memory(err);
}
