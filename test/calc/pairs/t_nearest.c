/* --knn's table: tiles of the same rows come from several threads at once, in any order; ties go to the earlier column. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pair_files/pair_writers.h"
#include "test/support/random.h"
#include "test/support/scratch.h"
#include "test/support/tap.h"

enum { ROWS = 24, COLUMNS = 20000, WIDTH = 5, NEAREST = 150, THREADS = 8 };

static double value[ROWS][COLUMNS], sites[ROWS][COLUMNS];
static struct gt_sink *sink;
static int64_t order[COLUMNS / WIDTH]; /* of tiles */
static _Atomic int64_t next;

static void *write_tiles(void *unused)
{
    (void)unused;
    for (int64_t k; (k = next++) < COLUMNS / WIDTH;) {
        double some[2][ROWS][WIDTH];
        struct gt_err err = {0};
        const int64_t column = order[k] * WIDTH;
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < WIDTH; j++) {
                some[0][i][j] = value[i][column + j];
                some[1][i][j] = sites[i][column + j];
            }
        const double *const planes[] = {some[0][0], some[1][0]};
        const struct gt_tile tile = {0, ROWS, column, WIDTH, planes};
        sink->ops->write(sink, &tile, NULL, &err);
    }
    return NULL;
}

static int row; /* that is sorted */

static int by_value(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    const double v = value[row][x], w = value[row][y];
    return v != w ? (v > w) - (v < w) : x - y;
}

/* The lines of the file are the first of each row, sorted. */
static void check(const char *path)
{
    static int columns[COLUMNS];
    char line[128], want[128];
    int wrong = 0, lines = 0;
    FILE *f = fopen(path, "r");
    const bool head = f && fgets(line, sizeof line, f);
    for (row = 0; row < ROWS && head; row++) {
        for (int c = 0; c < COLUMNS; c++)
            columns[c] = c;
        qsort(columns, COLUMNS, sizeof *columns, by_value);
        for (int k = 0; k < NEAREST && fgets(line, sizeof line, f); k++, lines++) {
            const int c = columns[k];
            snprintf(want, sizeof want, "r%d\tc%d\t%.10g\t%.10g\n", row, c, value[row][c], sites[row][c]);
            if (strcmp(line, want) && !wrong++)
                diag("%.*s, not %.*s", (int)strcspn(line, "\n"), line, (int)strcspn(want, "\n"), want);
        }
    }
    ok(!wrong && lines == ROWS * NEAREST && f && !fgets(line, sizeof line, f), "the nearest of %d rows: %d of %d lines are wrong", ROWS,
       wrong, lines);
    if (f)
        fclose(f);
}

int main(void)
{
    static const char *const planes[] = {"distance", "sites", NULL};
    const struct gt_pairs_opts opts = {.format = GT_PAIRS_LIST, .value = "distance", .neighbours = NEAREST, .rectangle = true};
    struct gt_strs rows = {0}, columns = {0};
    struct gt_err err = {0};
    scratch_open();
    for (int i = 0; i < ROWS; i++)
        gt_strs_addf(&rows, &err, "r%d", i);
    for (int j = 0; j < COLUMNS; j++)
        gt_strs_addf(&columns, &err, "c%d", j);
    const struct gt_sink_subject subject = {.rows = &rows, .columns = &columns, .last = ROWS, .head = true, .planes = planes};
    for (int trial = 0; trial < 12; trial++) {
        pthread_t thread[THREADS];
        /* every other trial: descending along the columns, each nearer than those before it */
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) {
                value[i][j] = trial % 2 ? (double)random_below(trial < 6 ? 3000 : 40) / 8 : COLUMNS - j;
                sites[i][j] = (double)(1 + j % 7);
            }
        for (int64_t k = 0; k < COLUMNS / WIDTH; k++) {
            const int64_t other = trial % 2 ? random_below(k + 1) : k;
            order[k] = order[other];
            order[other] = k;
        }
        next = 0;
        int status = gt_pairs_open(&sink, &opts, "near.tsv", &err);
        if (!status)
            status = sink->ops->begin(sink, &subject, &err);
        for (int t = 0; t < THREADS && !status; t++)
            pthread_create(&thread[t], NULL, write_tiles, NULL);
        for (int t = 0; t < THREADS && !status; t++)
            pthread_join(thread[t], NULL);
        if (!status)
            status = sink->ops->finish(sink, &err);
        ok(!status, "a table of neighbours is written %s", err.msg);
        sink->ops->free(sink);
        check("near.tsv");
    }
    gt_strs_release(&rows);
    gt_strs_release(&columns);
    scratch_close();
    return done_testing();
}
