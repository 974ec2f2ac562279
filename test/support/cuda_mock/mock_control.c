#include "mock.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static FILE *log_file;
static int n_faults;

struct count {
    const char *function;
    int64_t calls;
};
static struct count counts[100];
static char failing[200]; /* GT_MOCK_FAIL that the counts below belong to */
static int64_t calls_of_failing;
static bool late;

struct object {
    struct object *next;
    const char *kind;
    void *data;
    bool live;
};
static struct object *objects;

static void begin(void)
{
    pthread_mutexattr_t recursive;
    const char *name = getenv("GT_MOCK_LOG");
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &recursive);
    log_file = name ? fopen(name, "ae") : NULL;
}

void mock_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(log_file ? log_file : stderr, format, args);
    va_end(args);
    fputc('\n', log_file ? log_file : stderr);
}

void mock_fault(const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mock_note("fault %s", text);
    if (log_file)
        fflush(log_file);
    n_faults++;
}

int mock_n_faults(void)
{
    return n_faults;
}

int64_t mock_number(const char *variable, int64_t otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoll(text, NULL, 10) : otherwise;
}

int64_t mock_n_failing_calls(void)
{
    return calls_of_failing;
}

static void count(const char *function)
{
    struct count *at = counts;
    while (at->function && strcmp(at->function, function) != 0)
        at++;
    at->function = function;
    at->calls++;
}

/* GT_MOCK_FAIL=FUNCTION:N[:late]; a new value begins to count anew. */
static bool is_to_fail(const char *function)
{
    const char *spec = getenv("GT_MOCK_FAIL");
    const size_t n = strlen(function);
    char *end;
    late = false;
    if (!spec)
        spec = "";
    if (strcmp(spec, failing) != 0) {
        snprintf(failing, sizeof failing, "%s", spec);
        calls_of_failing = 0;
    }
    if (strncmp(spec, function, n) != 0 || spec[n] != ':' || ++calls_of_failing != strtoll(spec + n + 1, &end, 10))
        return false;
    late = strcmp(end, ":late") == 0;
    return !late;
}

bool mock_enter(const char *function, const char *format, ...)
{
    char text[300];
    va_list args;
    pthread_once(&once, begin);
    pthread_mutex_lock(&lock);
    count(function);
    if (log_file && mock_number("GT_MOCK_CALLS", 0)) {
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        mock_note("call %s %s", function, text);
    }
    return is_to_fail(function);
}

void mock_leave(void)
{
    pthread_mutex_unlock(&lock);
}

bool mock_fails_late(void)
{
    return late;
}

/* --- objects ------------------------------------------------------------------------------------------ */

void *mock_object_new(const char *kind, size_t bytes)
{
    struct object *object = calloc(1, sizeof *object);
    object->kind = kind;
    object->data = calloc(1, bytes);
    object->live = true;
    object->next = objects;
    objects = object;
    return object->data;
}

static struct object *find(const char *kind, const void *data)
{
    for (struct object *o = objects; o; o = o->next)
        if (o->data == data && !strcmp(o->kind, kind))
            return o;
    return NULL;
}

bool mock_object_check(const char *kind, const void *data)
{
    const struct object *object = find(kind, data);
    if (object && object->live)
        return true;
    mock_fault("%s %s", object ? "use after its end of a" : "use of what is no", kind);
    return false;
}

void mock_object_free(const char *kind, void *data)
{
    if (mock_object_check(kind, data))
        find(kind, data)->live = false;
}

int mock_n_live(void)
{
    int n = mock_memory_n_live();
    for (const struct object *o = objects; o; o = o->next)
        n += o->live;
    return n;
}

__attribute__((destructor)) static void end(void)
{
    if (!log_file && !n_faults && !mock_n_live())
        return;
    for (const struct object *o = objects; o; o = o->next)
        if (o->live)
            mock_note("leak %s", o->kind);
    mock_memory_report();
    for (const struct count *at = counts; log_file && at->function; at++)
        mock_note("count %s %lld", at->function, (long long)at->calls);
    if (log_file) {
        mock_note("end");
        fclose(log_file);
        log_file = NULL;
    }
}
