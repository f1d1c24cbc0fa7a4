/* Requests at an even rate, and what each took: paceload PORT PATH RATE SECONDS CONNECTIONS [HEADER...]
 *
 * A request is sent when it is due, on a connection that waits for nothing; where none does, it is late, and its time
 * counts from when it was due all the same (otherwise a proxy that stalls would be asked less and look the better for it).
 * Answers have a Content-Length and fit a buffer. The result is one line of JSON.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER = 16384, CONNECTIONS = 4096 };

struct connection {
    int socket;
    int64_t due; /* of the request under way, in nanoseconds */
    size_t held;
    char answer[ANSWER];
};

static struct connection *connections[CONNECTIONS], *idle[CONNECTIONS];
static int idle_count;
static char request[65536];
static size_t request_length;
static uint32_t *times; /* in microseconds */
static long done, errors, room;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static struct connection *open_connection(int port) {
    int one = 1;
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct connection *c = calloc(1, sizeof *c);
    if (!c || (c->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0) fail("socket");
    if (connect(c->socket, (struct sockaddr *)&a, sizeof a) < 0) fail("connect");
    setsockopt(c->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return c;
}

/* Whether the whole answer is here. */
static int is_complete(struct connection *c) {
    c->answer[c->held] = 0;
    char *end = strstr(c->answer, "\r\n\r\n"), *length = strcasestr(c->answer, "\r\ncontent-length:");
    return end && length && length < end && c->held >= (size_t)(end + 4 - c->answer) + strtoul(length + 17, 0, 10);
}

static void receive(struct connection *c) {
    ssize_t n = recv(c->socket, c->answer + c->held, ANSWER - 1 - c->held, MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
        fprintf(stderr, "paceload: a connection was closed\n");
        exit(1);
    }
    c->held += n;
    if (!is_complete(c)) return;
    if (strncmp(c->answer, "HTTP/1.1 200", 12) != 0) errors++;
    if (done < room) times[done] = (now() - c->due) / 1000;
    done++;
    c->held = 0;
    idle[idle_count++] = c;
}

static int ascending(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: paceload PORT PATH RATE SECONDS CONNECTIONS [HEADER...]\n");
        return 2;
    }
    int port = atoi(argv[1]), count = atoi(argv[5]);
    double rate = atof(argv[3]), seconds = atof(argv[4]);
    if (count < 1 || count > CONNECTIONS || rate <= 0 || seconds <= 0) return 2;
    int room_for_headers = sizeof request;
    request_length = snprintf(request, room_for_headers, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n", argv[2], port);
    for (int i = 6; i < argc && request_length < sizeof request; i++)
        request_length += snprintf(request + request_length, room_for_headers - request_length, "%s\r\n", argv[i]);
    if (request_length + 2 >= sizeof request) return 2;
    request_length += sprintf(request + request_length, "\r\n");

    int64_t step = 1e9 / rate;
    room = rate * seconds + 1;
    times = malloc(room * sizeof *times);
    int poll = epoll_create1(EPOLL_CLOEXEC);
    if (!times || poll < 0) fail("epoll_create1");
    for (int i = 0; i < count; i++) {
        struct connection *c = connections[i] = idle[idle_count++] = open_connection(port);
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, c->socket, &e) < 0) fail("epoll_ctl");
    }
    prctl(PR_SET_TIMERSLACK, 1);
    int64_t begun = now(), due = begun, end = begun + seconds * 1e9;
    long sent = 0;
    while (due < end || done < sent) {
        int64_t t = now();
        if (t > end + 10000000000LL) {
            fprintf(stderr, "paceload: %ld requests were not answered\n", sent - done);
            return 1;
        }
        while (due <= t && due < end && idle_count > 0) {
            struct connection *c = idle[--idle_count];
            c->due = due;
            if (send(c->socket, request, request_length, MSG_NOSIGNAL) != (ssize_t)request_length) fail("send");
            due += step;
            sent++;
        }
        int64_t wait = due < end && idle_count > 0 ? due - now() : 100000000;
        struct timespec limit = {.tv_nsec = wait < 0 ? 0 : wait > 100000000 ? 100000000 : wait};
        struct epoll_event events[256];
        int n = epoll_pwait2(poll, events, 256, &limit, 0);
        for (int i = 0; i < n; i++) receive(events[i].data.ptr);
    }
    double elapsed = (now() - begun) / 1e9;
    if (done > room) done = room;
    qsort(times, done, sizeof *times, ascending);
    printf("{\"requests\": %ld, \"seconds\": %.6f, \"errors\": %ld, \"p50_us\": %u, \"p99_us\": %u, \"max_us\": %u}\n", done,
           elapsed, errors, times[done / 2], times[(long)(done * 0.99)], times[done - 1]);
}
