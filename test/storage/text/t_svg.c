/* out/svg: numbers, texts and ticks. */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "storage/text/svg_groups.h"
#include "test/support/random.h"
#include "test/support/tap.h"

/* Round steps, all within, as many as fit, and never fewer than two. */
static void test_ticks(void)
{
    enum { MOST = 8 };
    double ticks[MOST];
    bool within = true, even = true, some = true, round = true;
    for (int trial = 0; trial < 20000; trial++) {
        double size = pow(10, (double)random_below(30) - 15), low = size * ((double)random_below(2000) - 1000) / 100,
               high = low + size * (double)(1 + random_below(3000)) / 100;
        int n = gt_svg_ticks(low, high, ticks, MOST);
        double step = ticks[1] - ticks[0], digit = step / pow(10, floor(log10(step * 1.001)));
        some &= n >= 2 && n <= MOST;
        round &= fabs(digit - 1) < 1e-3 || fabs(digit - 2) < 1e-3 || fabs(digit - 5) < 1e-3;
        for (int k = 0; k < n; k++) {
            within &= ticks[k] >= low - 1e-6 * step && ticks[k] <= high + 1e-6 * step;
            even &= !k || fabs(ticks[k] - ticks[k - 1] - step) < 1e-3 * step;
        }
    }
    ok(some && within && even && round, "ticks are round numbers within the range, two to eight of them");
    bool ends = true;
    static const double range[][2] = {{0, 1},   {0, 100}, {-0.4, 0.4}, {-1, 0},    {0.2, 0.3},   {-2e6, 4e6},
                                      {10, 20}, {0, 0.7}, {-7, -1},    {0.1, 0.6}, {1e-9, 4e-9}, {1900, 2000}};
    for (size_t k = 0; k < sizeof range / sizeof *range; k++) {
        const double low = range[k][0], high = range[k][1];
        const int n = gt_svg_ticks(low, high, ticks, MOST);
        const bool both = n >= 2 && fabs(ticks[0] - low) < 1e-9 * (high - low) && fabs(ticks[n - 1] - high) < 1e-9 * (high - low);
        if (!both)
            diag("%g to %g: %d ticks from %g to %g", low, high, n, n ? ticks[0] : NAN, n ? ticks[n - 1] : NAN);
        ends &= both;
    }
    ok(ends, "a range that begins and ends at multiples of the step has ticks there");
    ok(gt_svg_ticks(1, 1, ticks, MOST) == 0 && gt_svg_ticks(0, INFINITY, ticks, MOST) == 0 && gt_svg_ticks(NAN, 1, ticks, MOST) == 0,
       "none of an empty range, and of one without end");
}

static void test_drawing(void)
{
    char path[] = "t_svg.XXXXXX", text[4096] = "";
    struct gt_outfile file = {0};
    struct gt_err err = {0};
    struct gt_svg svg;
    int fd = mkstemp(path);
    gt_outfile_open(&file, path, false, &err);
    gt_svg_begin(&svg, &file, 100, 50.4, "a < b", &err);
    gt_svg_rect(&svg, 1, 2.5, 3.14159, 1000000, "#112233");
    gt_svg_rect(&svg, -0.25, 0, 2, 2, "red");
    gt_svg_text(&svg, 10, 20, &(struct gt_svg_font){.anchor = GT_SVG_TAIL}, "x & \"y\" \x02 \xc3\xa9 \xff \xef\xbf\xbf");
    int status = gt_svg_end(&svg);
    status = status ? status : gt_outfile_commit(&file, &err);
    close(fd);
    fd = open(path, O_RDONLY);
    ok(!status && fd >= 0 && read(fd, text, sizeof text - 1) > 0, "a drawing is written");
    close(fd);
    unlink(path);
    ok(strstr(text, "width=\"100\" height=\"50\"") && strstr(text, "<title>a &lt; b</title>"), "with its size and title");
    ok(strstr(text, "<rect x=\"1\" y=\"2.5\" width=\"3.14\" height=\"1000000\" fill=\"#112233\"/>"), "numbers are short");
    ok(strstr(text, "x=\"-0.25\" y=\"0\" width=\"2\""), "and have their sign");
    ok(strstr(text, "text-anchor=\"end\">x &amp; &quot;y&quot; ? \xc3\xa9 ? ?"
                    "??"
                    "</text>"),
       "texts are escaped: %s", text);
}

static void test_colours(void)
{
    char colour[GT_SVG_COLOUR_LEN], seen[64][GT_SVG_COLOUR_LEN];
    bool apart = true;
    gt_svg_shade(0, colour);
    ok(strcmp(colour, "#440154") == 0, "shades begin with dark blue");
    gt_svg_shade(7, colour);
    ok(strcmp(colour, "#fde725") == 0, "and end with yellow");
    for (int k = 0; k < 64; k++) {
        gt_svg_group_colour(k, seen[k]);
        for (int other = 0; other < k; other++)
            apart &= strcmp(seen[k], seen[other]) != 0;
    }
    ok(apart, "64 groups have as many colours");
}

int main(void)
{
    test_ticks();
    test_drawing();
    test_colours();
    return done_testing();
}
