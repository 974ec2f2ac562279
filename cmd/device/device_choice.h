/* --device, --device-memory and GT_DEVICE: where a command computes.
 *
 * GT_DEVICE is the device of commands that have --device, where that is not given; work that has no device path then runs on the cpu,
 * where --device refuses it. */
#ifndef GT_CMD_DEVICE_CHOICE_H
#define GT_CMD_DEVICE_CHOICE_H

#include "cmd/common/cli.h"
#include "core/base/str.h"
#include "core/device/device_work.h"

/* Was a device asked for that may be opened, and by an option? */
bool gt_device_is_asked(const struct gt_cli *cli);

/* Opens what was asked for; device->ops is NULL afterwards if that is the cpu.  no_path: what of this work no device can do,
 * "--ld"; NULL: nothing.  GT_USAGE: that, and --device was given; GT_FAIL: there is no such device; GT_NOFIT: it has less memory than
 * work->minimum.  With auto, a note says what was chosen and why; ranks without :N take the devices of a node in turn. */
int gt_device_choose(struct gt_cli *cli, const struct gt_device_work *work, const char *no_path, struct gt_device *device,
                     struct gt_err *err);

/* Has the plan failed (status, err) because it does not fit the device that auto chose, or the memory that is left beside it?  Then the
 * device is closed, err moves to *why, and the caller plans again without a device, and if that succeeds, says why. */
bool gt_device_fall_back(const struct gt_cli *cli, struct gt_device *device, int status, struct gt_err *err, struct gt_err *why);
void gt_device_say_cpu(struct gt_cli *cli, const struct gt_err *why);

/* "cuda:0 (NVIDIA H100, 1.2 GiB of its memory)", "cpu (avx512)": for plans and summaries. */
#define GT_DEVICE_TEXT_LEN 200
char *gt_device_text(char text[GT_DEVICE_TEXT_LEN], const struct gt_device *device, const struct gt_device_work *work);

/* gt-info --devices: a line for each device, or why there is none; as JSON: {"devices": [...], "cause": why there is none}.
 * Appended to text; GT_FAIL: out of memory for the JSON. */
int gt_device_list(struct gt_str *text, bool json, struct gt_err *err);

#endif
