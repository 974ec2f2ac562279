/* A small TAP producer.  ok() counts and prints; done_testing() prints the plan
 * and gives main's exit status. */
#ifndef GT_TEST_TAP_H
#define GT_TEST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_n, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static bool ok(bool pass, const char *fmt, ...)
{
    va_list ap;
    printf("%sok %d - ", pass ? "" : "not ", ++tap_n);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
    fflush(stdout);
    tap_failed += !pass;
    return pass;
}

__attribute__((format(printf, 1, 2), unused)) static void diag(const char *fmt, ...)
{
    va_list ap;
    fputs("# ", stdout);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

__attribute__((unused)) static void skip(const char *why)
{
    printf("ok %d # SKIP %s\n", ++tap_n, why);
}

/* Folder of real test data, or NULL. */
__attribute__((unused)) static const char *test_data(void)
{
    const char *dir = getenv("GT_TEST_DATA");
    FILE *f = NULL;
    char path[4096];
    if (dir && snprintf(path, sizeof path, "%s/README.md", dir) < (int)sizeof path)
        f = fopen(path, "r");
    if (f)
        fclose(f);
    return f ? dir : NULL;
}

__attribute__((unused)) static int done_testing(void)
{
    printf("1..%d\n", tap_n);
    return tap_failed != 0;
}

#endif
