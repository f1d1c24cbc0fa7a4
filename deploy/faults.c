// Makes system calls fail as the kernel may: preloaded into a gateway by deploy/faults and by FaultTests.
//
//   PORTCULLIS_FAULTS=SEED:benign        what a correct program does not let anybody notice: short reads and writes, EINTR,
//                                        EAGAIN, EMFILE of accept4, few events at a time
//   PORTCULLIS_FAULTS=SEED:destructive   those, and what costs a request: connections that are reset, connects that are
//                                        refused, connections and returning listeners for which epoll has no memory
//   PORTCULLIS_FAULTS_LOG=PATH           where to append what was done, at the end of the process
//   PORTCULLIS_FULL=PATH                 while there is a file of this name, disks are full: writes at a place of a file, as those
//                                        of databases are, fail with ENOSPC
//   PORTCULLIS_FORBIDDEN=NUMBER          a system call without a wrapper in libc that is not permitted, as in a sandbox
//
// The loop is edge-triggered: where the kernel says EAGAIN, or takes less than it was given, it promises another edge.
// What is made up here keeps that promise by registering the socket anew with what it was registered with. Of a ring of
// io_uring, which is asked anew for what comes, it is not needed there; it cannot be kept for what is sent, so that nothing
// is made up then. What the kernel receives by itself is out of reach.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TABLE = 1 << 16 };

// What is known of a descriptor. A connection belongs to one thread from its first call to its last.
static struct {
    int epoll;
    struct epoll_event event;
    bool connection, dead, wakes, returning;
} table[TABLE];

enum fault { SHORT_READ, SHORT_WRITE, AGAIN, INTERRUPTED, ACCEPT, FEW_EVENTS, RESET, CONNECT, REGISTER, FAULTS };
static const char *const names[FAULTS] = {
    "short_read", "short_write", "again", "interrupted", "accept", "few_events", "reset", "connect", "register",
};
static atomic_ulong counts[FAULTS];

static bool active, destructive;
static long forbidden = -1;
static const char *full;
// There are rings: connections are not to be known by their registration with epoll.
static atomic_bool rings;
static uint64_t seed;
static atomic_ulong threads;
static _Thread_local uint64_t state;

#define NEXT(name) ((__typeof__(&name))next_##name)
#define DECLARE(name) static void *next_##name
DECLARE(recv);
DECLARE(send);
DECLARE(sendmsg);
DECLARE(accept4);
DECLARE(connect);
DECLARE(epoll_ctl);
DECLARE(epoll_wait);
DECLARE(eventfd);
DECLARE(socket);
DECLARE(syscall);
DECLARE(write);
DECLARE(pwrite64);
DECLARE(close);

__attribute__((constructor)) static void begin(void) {
    next_recv = dlsym(RTLD_NEXT, "recv");
    next_send = dlsym(RTLD_NEXT, "send");
    next_sendmsg = dlsym(RTLD_NEXT, "sendmsg");
    next_accept4 = dlsym(RTLD_NEXT, "accept4");
    next_connect = dlsym(RTLD_NEXT, "connect");
    next_epoll_ctl = dlsym(RTLD_NEXT, "epoll_ctl");
    next_epoll_wait = dlsym(RTLD_NEXT, "epoll_wait");
    next_eventfd = dlsym(RTLD_NEXT, "eventfd");
    next_socket = dlsym(RTLD_NEXT, "socket");
    next_write = dlsym(RTLD_NEXT, "write");
    next_pwrite64 = dlsym(RTLD_NEXT, "pwrite64");
    full = getenv("PORTCULLIS_FULL");
    next_close = dlsym(RTLD_NEXT, "close");
    const char *number = getenv("PORTCULLIS_FORBIDDEN");
    if (number) forbidden = atol(number);
    const char *text = getenv("PORTCULLIS_FAULTS");
    if (!text) return;
    char *kind;
    seed = strtoull(text, &kind, 10);
    destructive = strcmp(kind, ":destructive") == 0;
    active = destructive || strcmp(kind, ":benign") == 0;
    if (active) return;
    fprintf(stderr, "faults: PORTCULLIS_FAULTS is SEED:benign or SEED:destructive, not %s\n", text);
    abort();
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("PORTCULLIS_FAULTS_LOG");
    int fd = active && path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd < 0) return;
    char line[512];
    int length = 0;
    for (int i = 0; i < FAULTS; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, "%s=%lu%c", names[i], atomic_load(&counts[i]),
                           i + 1 < FAULTS ? ' ' : '\n');
    if (NEXT(write)(fd, line, (size_t)length) < 0) perror("faults");
    NEXT(close)(fd);
}

// The next number of this thread (splitmix64).
static uint64_t draw(void) {
    if (state == 0) state = (seed + 1) * 0x9e3779b97f4a7c15u + atomic_fetch_add(&threads, 1) * 0xd1b54a32d192ed03u;
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// Whether to do it now, in so many of 10,000 cases; counts it.
static bool happens(enum fault fault, unsigned of10000) {
    if (draw() % 10000 >= of10000) return false;
    atomic_fetch_add_explicit(&counts[fault], 1, memory_order_relaxed);
    return true;
}

static int fails(int error) {
    errno = error;
    return -1;
}

static bool known(int fd) { return fd >= 0 && fd < TABLE; }
static bool afflicted(int fd) { return active && known(fd) && table[fd].connection; }

static void promise_edge(int fd) {
    if (!table[fd].epoll) return;
    int kept = errno;
    NEXT(epoll_ctl)(table[fd].epoll, EPOLL_CTL_MOD, fd, &table[fd].event);
    errno = kept;
}

// What stands in the way of sending or receiving at all: 0 for nothing, or the error.
static int obstacle(int fd, bool sends) {
    if (destructive && happens(RESET, 30)) {
        table[fd].dead = true;
        shutdown(fd, SHUT_RDWR);
        return ECONNRESET;
    }
    if (happens(INTERRUPTED, 500)) return EINTR;
    if ((sends && rings) || !happens(AGAIN, 800)) return 0;
    promise_edge(fd);
    return EAGAIN;
}

// A part of so many bytes, often one.
static size_t part(size_t count) {
    uint64_t n = draw();
    return n % 4 == 0 ? 1 : 1 + (n >> 8) % count;
}

ssize_t recv(int fd, void *bytes, size_t count, int flags) {
    if (!afflicted(fd) || count == 0) return NEXT(recv)(fd, bytes, count, flags);
    if (table[fd].dead) return 0;
    int error = obstacle(fd, false);
    if (error) return fails(error);
    if (count < 2 || !happens(SHORT_READ, 3000)) return NEXT(recv)(fd, bytes, count, flags);
    ssize_t got = NEXT(recv)(fd, bytes, part(count < 512 ? count - 1 : 512), flags);
    if (got > 0) promise_edge(fd);
    return got;
}

ssize_t send(int fd, const void *bytes, size_t count, int flags) {
    if (!afflicted(fd) || count == 0) return NEXT(send)(fd, bytes, count, flags);
    if (table[fd].dead) return fails(EPIPE);
    int error = obstacle(fd, true);
    if (error) return fails(error);
    if (rings || count < 2 || !happens(SHORT_WRITE, 3000)) return NEXT(send)(fd, bytes, count, flags);
    ssize_t sent = NEXT(send)(fd, bytes, part(count - 1), flags);
    if (sent > 0) promise_edge(fd);
    return sent;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    if (!afflicted(fd)) return NEXT(sendmsg)(fd, message, flags);
    if (table[fd].dead) return fails(EPIPE);
    int error = obstacle(fd, true);
    if (error) return fails(error);
    size_t total = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++) total += message->msg_iov[i].iov_len;
    if (rings || total < 2 || message->msg_iovlen > 16 || !happens(SHORT_WRITE, 3000))
        return NEXT(sendmsg)(fd, message, flags);
    struct iovec vector[16];
    struct msghdr less = *message;
    size_t left = part(total - 1);
    less.msg_iov = vector;
    less.msg_iovlen = 0;
    for (size_t i = 0; i < message->msg_iovlen && left > 0; i++) {
        struct iovec piece = message->msg_iov[i];
        if (piece.iov_len > left) piece.iov_len = left;
        left -= piece.iov_len;
        vector[less.msg_iovlen++] = piece;
    }
    ssize_t sent = NEXT(sendmsg)(fd, &less, flags);
    if (sent > 0) promise_edge(fd);
    return sent;
}

// Whoever waits in the queue of the listener stays there: it is level-triggered.
int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
    // Out of descriptors rarely: the loop then takes nobody for a moment.
    static const int errors[] = {EINTR, ECONNABORTED, EAGAIN}, exhausted[] = {EMFILE, ENFILE, ENOMEM};
    if (active && happens(ACCEPT, 1000)) return fails(draw() % 16 ? errors[draw() % 3] : exhausted[draw() % 3]);
    int accepted = NEXT(accept4)(fd, address, length, flags);
    if (known(accepted)) {
        memset(&table[accepted], 0, sizeof table[accepted]);
        table[accepted].connection = rings;
    }
    return accepted;
}

// A ring closes descriptors without our hearing of it.
int socket(int family, int type, int protocol) {
    int fd = NEXT(socket)(family, type, protocol);
    if (known(fd)) memset(&table[fd], 0, sizeof table[fd]);
    return fd;
}

// Libraries call it before `begin` runs.
long syscall(long number, ...) {
    if (!next_syscall) next_syscall = dlsym(RTLD_NEXT, "syscall");
    va_list list;
    va_start(list, number);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    if (number == forbidden) return fails(EPERM);
    if (number == SYS_io_uring_enter && active && happens(INTERRUPTED, 300)) return fails(EINTR);
    if (number == SYS_io_uring_enter && active && happens(AGAIN, 300)) return fails(draw() % 2 ? EAGAIN : EBUSY);
    long result = NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (number == SYS_io_uring_setup && result >= 0) rings = true;
    return result;
}

int connect(int fd, const struct sockaddr *address, socklen_t length) {
    static const int errors[] = {ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, ETIMEDOUT};
    if (active && destructive && happens(CONNECT, 200)) return fails(errors[draw() % 4]);
    if (rings && known(fd) && fcntl(fd, F_GETFL) & O_NONBLOCK) table[fd].connection = true;
    int result = NEXT(connect)(fd, address, length);
    // Interrupted, it goes on by itself (POSIX).
    if (active && result < 0 && errno == EINPROGRESS && happens(INTERRUPTED, 500)) return fails(EINTR);
    return result;
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event) {
    // Not at the start of the program, which may well give up then.
    bool spared = !known(fd) || (!(event && event->events & EPOLLET) && !table[fd].returning);
    if (active && destructive && operation == EPOLL_CTL_ADD && !spared && happens(REGISTER, table[fd].returning ? 5000 : 100))
        return fails(draw() % 2 ? ENOMEM : ENOSPC);
    int result = NEXT(epoll_ctl)(epoll, operation, fd, event);
    if (result == 0 && known(fd) && operation == EPOLL_CTL_DEL) table[fd].returning = true;
    if (result == 0 && known(fd) && operation != EPOLL_CTL_DEL) {
        table[fd].epoll = epoll;
        table[fd].event = *event;
        table[fd].connection = event->events & EPOLLET;
    }
    return result;
}

int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout) {
    if (active && happens(INTERRUPTED, 300)) return fails(EINTR);
    // The rest of the ready ones is reported by the next call.
    if (active && count > 1 && happens(FEW_EVENTS, 1000)) count = 1;
    return NEXT(epoll_wait)(epoll, events, count, timeout);
}

int eventfd(unsigned initial, int flags) {
    int fd = NEXT(eventfd)(initial, flags);
    if (known(fd)) table[fd].wakes = true;
    return fd;
}

// Of wakers and logs; files are not touched.
ssize_t write(int fd, const void *bytes, size_t count) {
    if (!active || !known(fd)) return NEXT(write)(fd, bytes, count);
    bool logs = fd == STDOUT_FILENO || fd == STDERR_FILENO;
    if ((logs || table[fd].wakes) && happens(INTERRUPTED, 1000)) return fails(EINTR);
    if (logs && count > 1 && happens(SHORT_WRITE, 1000)) count = part(count - 1);
    return NEXT(write)(fd, bytes, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t place) {
    if (full && access(full, F_OK) == 0) return fails(ENOSPC);
    return NEXT(pwrite64)(fd, bytes, count, place);
}

// The same on a machine whose offsets have 64 bits anyway.
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t place) { return pwrite64(fd, bytes, count, place); }

int close(int fd) {
    if (known(fd)) memset(&table[fd], 0, sizeof table[fd]);
    return NEXT(close)(fd);
}
