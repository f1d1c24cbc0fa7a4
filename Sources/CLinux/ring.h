// A ring of io_uring(7) by raw system calls, since liburing is not everywhere: the queues in memory that is shared with the
// kernel, with the order in which both sides may see what is written. What is asked for and when, Swift decides.
#pragma once

#include <linux/io_uring.h>
#include <sys/mman.h>

#include "linux.h"

/// What user and kernel share. The positions are counted on and on, and masked where they stand for a place.
typedef struct {
    /// The ring's descriptor, and what io_uring_enter takes for it.
    int fd, entered;
    unsigned enter_flags;
    /// The thread that it was started in.
    long thread;
    /// Entries that were written and not yet handed in.
    unsigned pending;
    unsigned sq_end, sq_mask, cq_mask;
    uint16_t buffers_end, buffers_mask;
    unsigned *sq_tail, *sq_flags, *cq_head, *cq_tail;
    struct io_uring_sqe *sqes;
    struct io_uring_cqe *cqes;
    struct io_uring_buf_ring *buffers;
    void *queues;
    size_t queues_size, sqes_size, buffers_size;
} clinux_ring;

static inline int clinux_ring_register(int fd, unsigned what, void *argument, unsigned count) {
    return (int)CLINUX_RESULT(syscall(SYS_io_uring_register, fd, what, argument, count));
}

static inline void clinux_ring_free(clinux_ring *ring) {
    if (ring->queues) munmap(ring->queues, ring->queues_size);
    if (ring->sqes) munmap(ring->sqes, ring->sqes_size);
    if (ring->fd >= 0) close(ring->fd);
    // Last: the ring of buffers is the kernel's until the ring is closed.
    if (ring->buffers) munmap(ring->buffers, ring->buffers_size);
    memset(ring, 0, sizeof *ring);
    ring->fd = -1;
}

static inline void *clinux_ring_map(int fd, size_t size, off_t offset) {
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, offset);
    return memory == MAP_FAILED ? NULL : memory;
}

/// Makes a ring with so many entries for what is asked for, and so many places (both powers of 2) for buffers to receive
/// into (group 0). It works when it is started, in the thread that starts it: the kernel does what is left to do when
/// that thread enters the ring, and at no other time (IORING_SETUP_DEFER_TASKRUN, Linux 6.1).
static inline int clinux_ring_make(clinux_ring *ring, unsigned entries, unsigned buffers) {
    memset(ring, 0, sizeof *ring);
    struct io_uring_params p = {
        .flags = IORING_SETUP_R_DISABLED | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
        .cq_entries = entries * 8,
    };
    ring->fd = (int)CLINUX_RESULT(syscall(SYS_io_uring_setup, entries, &p));
    if (ring->fd < 0) return ring->fd;
    int result = -ENOMEM;
    unsigned needed = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_EXT_ARG | IORING_FEAT_CQE_SKIP;
    if ((p.features & needed) != needed) {
        result = -ENOSYS;
        goto failed;
    }
    size_t sq_size = p.sq_off.array + p.sq_entries * sizeof(unsigned);
    size_t cq_size = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
    ring->queues_size = sq_size > cq_size ? sq_size : cq_size;
    ring->sqes_size = p.sq_entries * sizeof(struct io_uring_sqe);
    ring->buffers_size = buffers * sizeof(struct io_uring_buf);
    ring->queues = clinux_ring_map(ring->fd, ring->queues_size, IORING_OFF_SQ_RING);
    ring->sqes = clinux_ring_map(ring->fd, ring->sqes_size, (off_t)IORING_OFF_SQES);
    ring->buffers = clinux_ring_map(-1, ring->buffers_size, 0);
    if (!ring->queues || !ring->sqes || !ring->buffers) goto failed;
    char *at = ring->queues;
    ring->sq_tail = (unsigned *)(at + p.sq_off.tail);
    ring->sq_flags = (unsigned *)(at + p.sq_off.flags);
    ring->sq_mask = *(unsigned *)(at + p.sq_off.ring_mask);
    ring->cq_head = (unsigned *)(at + p.cq_off.head);
    ring->cq_tail = (unsigned *)(at + p.cq_off.tail);
    ring->cq_mask = *(unsigned *)(at + p.cq_off.ring_mask);
    ring->cqes = (struct io_uring_cqe *)(at + p.cq_off.cqes);
    unsigned *array = (unsigned *)(at + p.sq_off.array);
    for (unsigned i = 0; i < p.sq_entries; i++) array[i] = i;
    ring->buffers_mask = (uint16_t)(buffers - 1);
    struct io_uring_buf_reg group = { .ring_addr = (uintptr_t)ring->buffers, .ring_entries = buffers };
    result = clinux_ring_register(ring->fd, IORING_REGISTER_PBUF_RING, &group, 1);
    if (result < 0) goto failed;
    ring->entered = ring->fd;
    return 0;
failed:
    clinux_ring_free(ring);
    return result;
}

/// Starts a ring for the calling thread.
static inline int clinux_ring_start(clinux_ring *ring) {
    int result = clinux_ring_register(ring->fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
    if (result < 0) return result;
    ring->thread = syscall(SYS_gettid);
    // By its place in the thread's own list the kernel finds the ring without counting a reference to its file.
    struct io_uring_rsrc_update place = { .offset = -1U, .data = (uint64_t)ring->fd };
    if (clinux_ring_register(ring->fd, IORING_REGISTER_RING_FDS, &place, 1) == 1) {
        ring->entered = (int)place.offset;
        ring->enter_flags = IORING_ENTER_REGISTERED_RING;
    }
    return 0;
}

/// Takes the ring out of the list of the calling thread again. What a thread had that is gone, the kernel has taken out.
static inline void clinux_ring_stop(clinux_ring *ring) {
    if (!(ring->enter_flags & IORING_ENTER_REGISTERED_RING) || ring->thread != syscall(SYS_gettid)) return;
    struct io_uring_rsrc_update place = { .offset = (unsigned)ring->entered };
    clinux_ring_register(ring->fd, IORING_UNREGISTER_RING_FDS, &place, 1);
    ring->entered = ring->fd;
    ring->enter_flags = 0;
}

/// Hands in what was written, waits for so many results for so many milliseconds (-1 for ever), and lets the kernel do
/// what is left to do: as much as makes so many results, and at least twenty of them. Answers 0 or -errno.
static inline int clinux_ring_enter(clinux_ring *ring, unsigned results, int timeout_ms) {
    __atomic_store_n(ring->sq_tail, ring->sq_end, __ATOMIC_RELEASE);
    struct { int64_t seconds, nanoseconds; } time = { timeout_ms / 1000, timeout_ms % 1000 * 1000000LL };
    struct io_uring_getevents_arg limit = { .ts = (uintptr_t)&time };
    unsigned flags = IORING_ENTER_GETEVENTS | ring->enter_flags;
    long taken = results == 0 || timeout_ms < 0
        ? syscall(SYS_io_uring_enter, ring->entered, ring->pending, results, flags, NULL, 0)
        : syscall(SYS_io_uring_enter, ring->entered, ring->pending, results, flags | IORING_ENTER_EXT_ARG, &limit,
                  sizeof limit);
    if (taken < 0) return -errno;
    ring->pending -= (unsigned)taken;
    return 0;
}

/// A cleared entry, or NULL where all wait to be handed in.
static inline struct io_uring_sqe *clinux_ring_entry(clinux_ring *ring, uint8_t operation, int fd, uint64_t data) {
    if (ring->pending > ring->sq_mask) return NULL;
    struct io_uring_sqe *entry = &ring->sqes[ring->sq_end++ & ring->sq_mask];
    memset(entry, 0, sizeof *entry);
    entry->opcode = operation;
    entry->fd = fd;
    entry->user_data = data;
    ring->pending++;
    return entry;
}

/// Receives what comes, again and again, each time into the next buffer. With `waits`, nothing is thought to be there.
static inline int clinux_ring_receive(clinux_ring *ring, int fd, int waits, uint64_t data) {
    struct io_uring_sqe *entry = clinux_ring_entry(ring, IORING_OP_RECV, fd, data);
    if (!entry) return -EBUSY;
    entry->ioprio = (uint16_t)(IORING_RECV_MULTISHOT | (waits ? IORING_RECVSEND_POLL_FIRST : 0));
    entry->flags = IOSQE_BUFFER_SELECT;
    return 0;
}

/// Waits for events of poll(2), once or again and again.
static inline int clinux_ring_poll(clinux_ring *ring, int fd, uint32_t events, int again, uint64_t data) {
    struct io_uring_sqe *entry = clinux_ring_entry(ring, IORING_OP_POLL_ADD, fd, data);
    if (!entry) return -EBUSY;
    // The 16-bit halves change places where the processor stores the most significant byte first.
    entry->poll32_events = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? events << 16 | events >> 16 : events;
    entry->len = again ? IORING_POLL_ADD_MULTI : 0;
    return 0;
}

/// Ends what was asked for with `target`, once or (`all`) as often as it was. Nothing is answered where that is done.
static inline int clinux_ring_cancel(clinux_ring *ring, uint64_t target, int all, uint64_t data) {
    struct io_uring_sqe *entry = clinux_ring_entry(ring, IORING_OP_ASYNC_CANCEL, -1, data);
    if (!entry) return -EBUSY;
    entry->addr = target;
    entry->cancel_flags = all ? IORING_ASYNC_CANCEL_ALL : 0;
    entry->flags = IOSQE_CQE_SKIP_SUCCESS;
    return 0;
}

/// Ends everything that was asked for.
static inline int clinux_ring_cancel_all(clinux_ring *ring, uint64_t data) {
    struct io_uring_sqe *entry = clinux_ring_entry(ring, IORING_OP_ASYNC_CANCEL, -1, data);
    if (!entry) return -EBUSY;
    entry->cancel_flags = IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL;
    return 0;
}

/// Closes a descriptor when what was written before it is done. Nothing is answered where that is done.
static inline int clinux_ring_close(clinux_ring *ring, int fd, uint64_t data) {
    struct io_uring_sqe *entry = clinux_ring_entry(ring, IORING_OP_CLOSE, fd, data);
    if (!entry) return -EBUSY;
    entry->flags = IOSQE_CQE_SKIP_SUCCESS;
    return 0;
}

/// How many results there are.
static inline unsigned clinux_ring_results(const clinux_ring *ring) {
    return __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE) - *ring->cq_head;
}

/// The oldest result; there is one.
static inline struct io_uring_cqe clinux_ring_result(const clinux_ring *ring) {
    return ring->cqes[*ring->cq_head & ring->cq_mask];
}

/// Gives the place of the oldest result back to the kernel.
static inline void clinux_ring_advance(clinux_ring *ring) {
    __atomic_store_n(ring->cq_head, *ring->cq_head + 1, __ATOMIC_RELEASE);
}

/// Gives the kernel a buffer to receive into.
static inline void clinux_ring_lend(clinux_ring *ring, uint16_t number, void *memory, size_t size) {
    struct io_uring_buf *buffer = &ring->buffers->bufs[ring->buffers_end++ & ring->buffers_mask];
    buffer->addr = (uintptr_t)memory;
    buffer->len = (uint32_t)size;
    buffer->bid = number;
    __atomic_store_n(&ring->buffers->tail, ring->buffers_end, __ATOMIC_RELEASE);
}

/// Whether more results follow for what was asked for, and in which buffer the bytes of this one stand; -1 for none.
static inline int clinux_result_continues(uint32_t flags) { return (flags & IORING_CQE_F_MORE) != 0; }
static inline int clinux_result_buffer(uint32_t flags) {
    return flags & IORING_CQE_F_BUFFER ? (int)(flags >> IORING_CQE_BUFFER_SHIFT) : -1;
}
