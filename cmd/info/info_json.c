#include "cmd/info/info.h"
#include "core/base/json.h"
#include "core/base/mem.h"

int info_write_json(struct gt_outfile *out, struct json_object *obj, struct gt_err *err)
{
    struct gt_str text = {0};

    if (!obj)
        return gt_no_memory(err);
    gt_json_print(&text, obj, true);
    gt_str_add(&text, "\n");
    int status = gt_text_put(out, &text, 0, err);
    gt_str_release(&text);
    json_object_put(obj);
    return status;
}
