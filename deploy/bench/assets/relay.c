/* The least that a proxy can do: relay epoll|uring PORT BACKEND_PORT
 *
 * Each client connection has a backend connection of its own, and what comes from one side goes to the other, byte for
 * byte: no HTTP, no parsing, no headers, no limits, no timers. What a request costs here is the kernel's share of any
 * proxy's; what a proxy costs beyond it is its own. epoll: one read, one write for each piece. uring: multishot receive
 * into provided buffers, one wait for all of a turn, one write for each piece. (Writes handed in with the wait cost as much.)
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PIECE = 16384, SOCKETS = 65536 };

static int other[SOCKETS]; /* the other side of each socket */
static int backend_port;

static void check(long result, const char *what) {
    if (result >= 0) return;
    perror(what);
    exit(1);
}

static int listener(int port) {
    int one = 1, s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    check(s, "socket");
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    check(bind(s, (struct sockaddr *)&a, sizeof a), "bind");
    check(listen(s, 4096), "listen");
    return s;
}

/* Connects a client's backend side. Blocking: it happens once for a connection. */
static int pair(int client) {
    int one = 1, s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons(backend_port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    check(s, "socket");
    check(connect(s, (struct sockaddr *)&a, sizeof a), "connect");
    if (client >= SOCKETS || s >= SOCKETS) exit(1);
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    other[client] = s;
    other[s] = client;
    return s;
}

static void part(int s) {
    int o = other[s];
    close(s);
    if (o) close(o);
    other[s] = other[o] = 0;
}

static void run_epoll(int port) {
    static char piece[PIECE];
    struct epoll_event events[256], e = {.events = EPOLLIN};
    int l = listener(port), p = epoll_create1(0);
    e.data.fd = l;
    check(epoll_ctl(p, EPOLL_CTL_ADD, l, &e), "epoll_ctl");
    for (;;) {
        int n = epoll_wait(p, events, 256, -1);
        for (int i = 0; i < n; i++) {
            int s = events[i].data.fd;
            if (s == l) {
                int c = accept4(l, 0, 0, 0);
                if (c < 0) continue;
                int b = pair(c);
                e.data.fd = c;
                check(epoll_ctl(p, EPOLL_CTL_ADD, c, &e), "epoll_ctl");
                e.data.fd = b;
                check(epoll_ctl(p, EPOLL_CTL_ADD, b, &e), "epoll_ctl");
                continue;
            }
            if (!other[s]) continue;
            ssize_t count = read(s, piece, PIECE);
            if (count <= 0 || write(other[s], piece, count) != count) part(s);
        }
    }
}

/* io_uring by hand: the library is not everywhere. */
static struct {
    int fd;
    unsigned *sq_tail, sq_mask, *cq_head, *cq_tail, cq_mask, tail, pending;
    struct io_uring_sqe *sqes;
    struct io_uring_cqe *cqes;
    struct io_uring_buf_ring *buffers;
    unsigned short buffers_tail;
    char *memory;
} ring;

enum { ENTRIES = 1024, BUFFERS = 1024, BUFFER = 4096, ACCEPT = 1, RECEIVE = 2 };

static void give_back(unsigned short id) {
    struct io_uring_buf *b = &ring.buffers->bufs[ring.buffers_tail++ & (BUFFERS - 1)];
    b->addr = (unsigned long)(ring.memory + (size_t)id * BUFFER);
    b->len = BUFFER;
    b->bid = id;
    __atomic_store_n(&ring.buffers->tail, ring.buffers_tail, __ATOMIC_RELEASE);
}

static void enter(unsigned wait) {
    __atomic_store_n(ring.sq_tail, ring.tail, __ATOMIC_RELEASE);
    long n = syscall(SYS_io_uring_enter, ring.fd, ring.pending, wait, IORING_ENTER_GETEVENTS | IORING_ENTER_REGISTERED_RING,
                     0, 0);
    if (n < 0 && errno != EINTR) check(n, "io_uring_enter");
    if (n > 0) ring.pending -= n;
}

static struct io_uring_sqe *entry(int op, int fd, unsigned long data) {
    if (ring.pending == ENTRIES) enter(0);
    struct io_uring_sqe *e = &ring.sqes[ring.tail++ & ring.sq_mask];
    memset(e, 0, sizeof *e);
    e->opcode = op;
    e->fd = fd;
    e->user_data = data;
    ring.pending++;
    return e;
}

static unsigned long data(int kind, int fd) { return (unsigned long)kind << 56 | (unsigned)fd; }

static void receive(int s) {
    struct io_uring_sqe *e = entry(IORING_OP_RECV, s, data(RECEIVE, s));
    e->ioprio = IORING_RECV_MULTISHOT;
    e->flags = IOSQE_BUFFER_SELECT;
}

static void accept_all(int l) { entry(IORING_OP_ACCEPT, l, data(ACCEPT, l))->ioprio = IORING_ACCEPT_MULTISHOT; }

static void run_uring(int port) {
    struct io_uring_params p = {
        .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE, .cq_entries = 8192};
    int l = listener(port);
    ring.fd = syscall(SYS_io_uring_setup, ENTRIES, &p);
    check(ring.fd, "io_uring_setup");
    char *rings = mmap(0, p.cq_off.cqes + p.cq_entries * sizeof *ring.cqes + p.sq_off.array + ENTRIES * 4,
                       PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, IORING_OFF_SQ_RING);
    ring.sqes = mmap(0, ENTRIES * sizeof *ring.sqes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd,
                     IORING_OFF_SQES);
    if (rings == MAP_FAILED || ring.sqes == MAP_FAILED) check(-1, "mmap");
    ring.sq_tail = (unsigned *)(rings + p.sq_off.tail);
    ring.sq_mask = *(unsigned *)(rings + p.sq_off.ring_mask);
    ring.cq_head = (unsigned *)(rings + p.cq_off.head);
    ring.cq_tail = (unsigned *)(rings + p.cq_off.tail);
    ring.cq_mask = *(unsigned *)(rings + p.cq_off.ring_mask);
    ring.cqes = (struct io_uring_cqe *)(rings + p.cq_off.cqes);
    unsigned *array = (unsigned *)(rings + p.sq_off.array);
    for (unsigned i = 0; i < ENTRIES; i++) array[i] = i;
    ring.buffers = mmap(0, BUFFERS * sizeof(struct io_uring_buf), PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
    ring.memory = mmap(0, (size_t)BUFFERS * BUFFER, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE | MAP_POPULATE, -1, 0);
    struct io_uring_buf_reg reg = {.ring_addr = (unsigned long)ring.buffers, .ring_entries = BUFFERS, .bgid = 0};
    check(syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_PBUF_RING, &reg, 1), "IORING_REGISTER_PBUF_RING");
    for (int i = 0; i < BUFFERS; i++) give_back(i);
    struct io_uring_rsrc_update place = {.offset = -1U, .data = ring.fd};
    check(syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_RING_FDS, &place, 1), "IORING_REGISTER_RING_FDS");
    ring.fd = place.offset;
    accept_all(l);
    for (;;) {
        enter(1);
        unsigned head = *ring.cq_head, tail = __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
        for (; head != tail; head++) {
            struct io_uring_cqe *c = &ring.cqes[head & ring.cq_mask];
            int kind = c->user_data >> 56, s = (int)(unsigned)c->user_data;
            if (kind == ACCEPT) {
                if (c->res >= 0) {
                    int b = pair(c->res);
                    receive(c->res);
                    receive(b);
                }
                if (!(c->flags & IORING_CQE_F_MORE)) accept_all(l);
            } else {
                int id = c->flags >> IORING_CQE_BUFFER_SHIFT, passed = c->res == -ENOBUFS;
                if (other[s] && c->res > 0)
                    passed = write(other[s], ring.memory + (size_t)id * BUFFER, c->res) == c->res;
                if (c->flags & IORING_CQE_F_BUFFER) give_back(id);
                if (!other[s]) continue;
                if (!passed) part(s);
                else if (!(c->flags & IORING_CQE_F_MORE)) receive(s);
            }
        }
        __atomic_store_n(ring.cq_head, head, __ATOMIC_RELEASE);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: relay epoll|uring PORT BACKEND_PORT\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    backend_port = atoi(argv[3]);
    if (strcmp(argv[1], "uring") == 0) run_uring(atoi(argv[2]));
    run_epoll(atoi(argv[2]));
}
