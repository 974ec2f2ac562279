/* What is made of all distances together, in memory: a tree, a heat map. */
#ifndef GT_OUT_DRAWN_H
#define GT_OUT_DRAWN_H

#include "calc/pairs/pair_sink.h"
#include "geno/samples/groups.h"
#include "storage/picture/picture.h"

enum gt_tree_method { GT_TREE_NJ, GT_TREE_UPGMA };

struct gt_drawn_opts {
    const char *tree; /* Newick goes there; NULL: none */
    enum gt_tree_method method;
    const char *plot; /* the heat map goes there (storage/picture/picture.h); NULL: none */
    const struct gt_picture_opts *picture;
    const char *item;               /* what is compared: "sample" */
    const char *label;              /* what is drawn: the metric's name */
    bool similarity;                /* large values mean similar */
    const struct gt_groups *groups; /* of the samples, next to the map; NULL: none */
};

/* A sink that keeps the square's distances, and puts all that it gets on to `main`, which
 * it takes over on success; NULL: there is none.  Tree and map are written when all came, and stand
 * under their names after main's output does.  A path "-" is standard output.  GT_INPUT, with the
 * samples' names, where a distance is no finite number and a tree is asked for.  The options are borrowed. */
int gt_drawn_open(struct gt_sink **out, const struct gt_drawn_opts *opts, struct gt_sink *main, struct gt_err *err);

/* What the sink will ask for; main: the wants of that, NULL: there is none. */
struct gt_sink_wants gt_drawn_wants(const struct gt_drawn_opts *opts, const struct gt_sink_wants *main);

#endif
