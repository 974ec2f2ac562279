/* The data of a run for --report and --graph: files and stores that it reads and writes, with the arrays of stores. */
#ifndef GT_CMD_RUN_DATA_H
#define GT_CMD_RUN_DATA_H

#include "cmd/common/cli.h"
#include "core/base/json.h"

/* From now on arrays that are opened and written are noted, up to 256 of them.  While no other thread runs. */
void gt_run_data_begin(void);
void gt_run_data_release(void);
/* What the inputs are together, before selection.  variants: -1 = not known. */
void gt_run_data_genotypes(const char *kind, int64_t samples, int64_t variants);

/* {genotypes: {kind, samples, variants} or null, inputs: [file], outputs: [file]}.  A file is {name, bytes, arrays: [{path, shape, chunks,
 * type, codec}]}, its largest arrays first; bytes, of a regular file, and of a directory that was written with up to 10,000 entries, else
 * null; chunks and codec are null where there are none.  Names show no credentials.  done: the outputs are complete, and their sizes known.
 * NULL: out of memory. */
struct json_object *gt_run_data(const struct gt_cli *cli, bool done);

#endif
