/* Private to url_writer.c and url_resume.c. */
#ifndef GT_STORE_URL_WRITER_INTERNAL_H
#define GT_STORE_URL_WRITER_INTERNAL_H

#include <pthread.h>

#include "core/base/str.h"
#include "storage/http/http.h"
#include "storage/http/url_writer.h"

#define URL_JOURNAL ".gt-journal/"
#define URL_RANKS URL_JOURNAL "ranks"
enum { URL_KEY = 64 };

struct url_writer {
    struct gt_store base;
    struct gt_http_endpoint site;
    struct gt_http *http;
    struct gt_http_queue *queue;
    struct gt_store *meta; /* in memory until finish */
    char *plan;
    bool replace;          /* remove what is there */
    pthread_mutex_t begin; /* held while the first value's thread prepares the place */
    bool begun;            /* the journal is there */
    bool finished;
    int rank;                  /* above 0: it has joined */
    int ranks;                 /* that the journal may have objects of; 0 = one */
    pthread_mutex_t lock;      /* protects what follows up to n_segments */
    struct gt_str lines;       /* of the journal, of values that are confirmed, not yet stored */
    struct gt_strs notes;      /* checkpoints that may wait for values put before them */
    int64_t *after;            /* number of values put before each */
    size_t n_noted, cap_after; /* notes before this one are in lines */
    int64_t stored_at;         /* ms: when lines were last stored */
    int64_t n_segments;        /* journal objects with lines */
    struct gt_str had_notes;   /* of an interrupted run, a line each */
    struct gt_names *had;      /* values of an interrupted run: key -> size; NULL: none */
    int64_t n_had, had_bytes;
};

/* The key of an object of a rank's journal; it is valid as long as `key`. */
const char *url_segment_key(char key[URL_KEY], int rank, int64_t number);
/* Reads the journal of an interrupted run, or, of a rank that joins, of the run, and asks for the sizes of its values.  GT_NOENT: there is
 * none. */
int url_resume_read(struct url_writer *self, struct gt_err *err);
/* Reads all values back that the journal lists. */
int url_verify(struct url_writer *self, int64_t *values, int64_t *bytes, struct gt_err *err);
/* "cannot write '%s'": runs one request. */
int url_send(struct url_writer *self, struct gt_http_send *send, struct gt_err *err);

#endif
