// The kernel calls of Reactor, as inline functions that answer a result or -errno, so that Swift never reads `errno`.
// Glibc's Swift module is compiled without _GNU_SOURCE and lacks epoll, eventfd and accept4.
#pragma once

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);

extern int pipe2(int fds[2], int flags);

extern int pidfd_open(pid_t pid, unsigned int flags);

extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

extern char *mkdtemp(char *name);

extern char *realpath(const char *path, char *resolved);

extern int pthread_setname_np(pthread_t thread, const char *name);

extern long syscall(long number, ...);

#define CLINUX_RESULT(call) ({ __typeof__(call) r_ = (call); r_ < 0 ? (__typeof__(r_))-errno : r_; })
/// The same for calls that a signal may interrupt before they have done anything: an edge that made us call comes once.
#define CLINUX_RETRIED(call)                                                                                           \
    ({                                                                                                                 \
        __typeof__(call) r_;                                                                                           \
        do r_ = (call);                                                                                                \
        while (r_ < 0 && errno == EINTR);                                                                              \
        r_ < 0 ? (__typeof__(r_))-errno : r_;                                                                          \
    })

static inline int clinux_epoll_create(void) { return CLINUX_RESULT(epoll_create1(EPOLL_CLOEXEC)); }

static inline int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t data) {
    struct epoll_event event = { .events = events, .data = { .u64 = data } };
    return CLINUX_RESULT(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
}

static inline int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t data) {
    struct epoll_event event = { .events = events, .data = { .u64 = data } };
    return CLINUX_RESULT(epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event));
}

static inline int clinux_epoll_remove(int epoll, int fd) {
    return CLINUX_RESULT(epoll_ctl(epoll, EPOLL_CTL_DEL, fd, (struct epoll_event *)0));
}

static inline int clinux_epoll_wait(int epoll, struct epoll_event *events, int count, int timeout_ms) {
    return CLINUX_RESULT(epoll_wait(epoll, events, count, timeout_ms));
}

static inline uint64_t clinux_event_data(const struct epoll_event *event) { return event->data.u64; }
static inline uint32_t clinux_event_mask(const struct epoll_event *event) { return event->events; }

static const uint32_t CLINUX_IN = EPOLLIN, CLINUX_OUT = EPOLLOUT, CLINUX_RDHUP = EPOLLRDHUP, CLINUX_HUP = EPOLLHUP,
                      CLINUX_ERR = EPOLLERR, CLINUX_EDGE = (uint32_t)EPOLLET,
                      CLINUX_EXCLUSIVE = EPOLLEXCLUSIVE;

static inline int clinux_eventfd(void) { return CLINUX_RESULT(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

/// One that counts: each signal lets one waiting thread go on.
static inline int clinux_eventfd_semaphore(void) { return CLINUX_RESULT(eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE)); }

static inline int clinux_eventfd_signal(int fd) {
    uint64_t one = 1;
    return (int)CLINUX_RETRIED(write(fd, &one, sizeof one));
}

static inline int clinux_eventfd_drain(int fd) {
    uint64_t value;
    return (int)CLINUX_RETRIED(read(fd, &value, sizeof value));
}

static inline int clinux_accept(int fd, struct sockaddr_storage *address) {
    socklen_t length = sizeof *address;
    return CLINUX_RESULT(accept4(fd, (struct sockaddr *)address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

static inline int clinux_stream_socket(int family) {
    return CLINUX_RESULT(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

/// Two stream sockets that are connected with each other.
static inline int clinux_socket_pair(int fds[2]) {
    return CLINUX_RESULT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds));
}

static inline int clinux_set_option(int fd, int level, int name, int value) {
    return CLINUX_RESULT(setsockopt(fd, level, name, &value, sizeof value));
}

static inline int clinux_no_delay(int fd) { return clinux_set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1); }
/// How many bytes the kernel takes that it cannot send yet. The send buffer counts what is under way as well.
static inline int clinux_unsent_limit(int fd, int bytes) {
    return clinux_set_option(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, bytes);
}
static inline int clinux_reuse_port(int fd) { return clinux_set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1); }
static inline int clinux_reuse_address(int fd) { return clinux_set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1); }
static inline int clinux_v6_only(int fd) { return clinux_set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1); }

/// Closes with a reset instead of a FIN, for connections whose rest is not wanted.
static inline int clinux_linger_reset(int fd) {
    struct linger linger = { .l_onoff = 1, .l_linger = 0 };
    return CLINUX_RESULT(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
}

static inline int clinux_bind(int fd, const struct sockaddr_storage *address, socklen_t length) {
    return CLINUX_RESULT(bind(fd, (const struct sockaddr *)address, length));
}

static inline int clinux_listen(int fd, int backlog) { return CLINUX_RESULT(listen(fd, backlog)); }

static inline int clinux_connect(int fd, const struct sockaddr_storage *address, socklen_t length) {
    return CLINUX_RESULT(connect(fd, (const struct sockaddr *)address, length));
}

static inline int clinux_local_address(int fd, struct sockaddr_storage *address) {
    socklen_t length = sizeof *address;
    return CLINUX_RESULT(getsockname(fd, (struct sockaddr *)address, &length));
}

/// A further descriptor of the same open file, closed in programs that are started.
static inline int clinux_duplicate(int fd) { return CLINUX_RESULT(fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

/// Whether the descriptor is a stream socket that listens; if so, it is made non-blocking and closed in programs that
/// are started.
static inline int clinux_adopt_listener(int fd) {
    int type = 0, listening = 0;
    socklen_t length = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) < 0) return -errno;
    length = sizeof listening;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) < 0) return -errno;
    if (type != SOCK_STREAM || !listening) return -EINVAL;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) return -errno;
    return CLINUX_RESULT(fcntl(fd, F_SETFD, FD_CLOEXEC));
}

static inline int clinux_close_on_exec(int fd) { return CLINUX_RESULT(fcntl(fd, F_SETFD, FD_CLOEXEC)); }

static inline int clinux_set_path_mode(const char *path, mode_t mode) { return CLINUX_RESULT(chmod(path, mode)); }

/// Device and inode of the socket file at the path; -ENOTSOCK where something else is there.
static inline int clinux_socket_file(const char *path, uint64_t *device, uint64_t *inode) {
    struct stat status;
    if (lstat(path, &status) < 0) return -errno;
    if (!S_ISSOCK(status.st_mode)) return -ENOTSOCK;
    *device = status.st_dev;
    *inode = status.st_ino;
    return 0;
}

/// The user at the other end of a unix socket: of whoever connected, or of whoever listens (unix(7), SO_PEERCRED).
static inline int clinux_peer_user(int fd, uint32_t *user) {
    // struct ucred, which glibc hides without _GNU_SOURCE.
    struct { pid_t pid; uid_t uid; gid_t gid; } peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -errno;
    if (length != sizeof peer) return -EINVAL;
    *user = peer.uid;
    return 0;
}

/// Whose files the process makes.
static inline uint32_t clinux_user(void) { return geteuid(); }

/// What the system knows of a file.
struct clinux_file_status {
    uint32_t owner, group, mode;
    /// 'f', 'd', 'l' for a regular file, a directory, a symbolic link; else '?'.
    char kind;
    /// Seconds since 1970.
    int64_t modified;
};

static inline int clinux_file_status(const char *path, int follows_links, struct clinux_file_status *result) {
    struct stat status;
    if ((follows_links ? stat(path, &status) : lstat(path, &status)) < 0) return -errno;
    result->owner = status.st_uid;
    result->group = status.st_gid;
    result->mode = status.st_mode & 07777;
    mode_t mode = status.st_mode;
    result->kind = S_ISREG(mode) ? 'f' : S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : '?';
    result->modified = status.st_mtim.tv_sec;
    return 0;
}

static inline int clinux_make_directory(const char *path, mode_t mode) { return CLINUX_RESULT(mkdir(path, mode)); }
static inline int clinux_make_temporary_directory(char *name) { return mkdtemp(name) ? 0 : -errno; }
static inline int clinux_is_terminal(int fd) { return isatty(fd); }
static inline int clinux_remove_directory(const char *path) { return CLINUX_RESULT(rmdir(path)); }
static inline int clinux_check_writable(const char *path) { return CLINUX_RESULT(access(path, W_OK)); }
static inline int clinux_set_path_owner(const char *path, uid_t owner, gid_t group) {
    return CLINUX_RESULT(chown(path, owner, group));
}

/// The path without symbolic links, of PATH_MAX bytes at most.
static inline int clinux_resolve_path(const char *path, char *resolved) { return realpath(path, resolved) ? 0 : -errno; }
static inline int64_t clinux_link_target(const char *path, char *target, size_t size) {
    return (int64_t)CLINUX_RESULT(readlink(path, target, size));
}
static inline int clinux_working_directory(char *path, size_t size) { return getcwd(path, size) ? 0 : -errno; }

/// An open directory, or a null pointer and an error number.
static inline void *clinux_open_directory(const char *path, int *error) {
    DIR *entries = opendir(path);
    *error = entries ? 0 : errno;
    return entries;
}
/// The next name, until the next call; a null pointer after the last one.
static inline const char *clinux_next_name(void *entries) {
    struct dirent *entry = readdir((DIR *)entries);
    return entry ? entry->d_name : (const char *)0;
}
static inline void clinux_close_directory(void *entries) { closedir((DIR *)entries); }

static inline int clinux_socket_error(int fd) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0) return errno;
    return error;
}

static inline int64_t clinux_receive(int fd, void *bytes, size_t count) {
    return (int64_t)CLINUX_RETRIED(recv(fd, bytes, count, 0));
}

static inline int64_t clinux_send(int fd, const void *bytes, size_t count) {
    return (int64_t)CLINUX_RETRIED(send(fd, bytes, count, MSG_NOSIGNAL));
}

static inline int64_t clinux_send_vector(int fd, struct iovec *vector, int count) {
    struct msghdr message = { .msg_iov = vector, .msg_iovlen = (size_t)count };
    return (int64_t)CLINUX_RETRIED(sendmsg(fd, &message, MSG_NOSIGNAL));
}

/// Bytes sent that the peer has not acknowledged (SIOCOUTQ); 0 where the kernel does not say.
static inline int clinux_unacknowledged(int fd) {
    int count = 0;
    return ioctl(fd, TIOCOUTQ, &count) < 0 ? 0 : count;
}

static inline int clinux_close(int fd) { return CLINUX_RESULT(close(fd)); }
static inline int clinux_shutdown(int fd) { return CLINUX_RESULT(shutdown(fd, SHUT_RDWR)); }
static inline int clinux_shutdown_write(int fd) { return CLINUX_RESULT(shutdown(fd, SHUT_WR)); }

static inline int64_t clinux_write(int fd, const void *bytes, size_t count) {
    return (int64_t)CLINUX_RESULT(write(fd, bytes, count));
}

static inline int64_t clinux_read(int fd, void *bytes, size_t count) {
    return (int64_t)CLINUX_RETRIED(read(fd, bytes, count));
}

static inline int clinux_open_reading(const char *path) {
    return (int)CLINUX_RETRIED(open(path, O_RDONLY | O_CLOEXEC));
}

/// The error of what is no file: greater than those of the kernel.
#define CLINUX_NOT_REGULAR 4096

/// A regular file. Never waits, as the opening of a pipe does for its writer.
static inline int clinux_open_regular(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    // A socket, or a device without a driver.
    if (fd < 0) return errno == ENXIO ? -CLINUX_NOT_REGULAR : -errno;
    struct stat status;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return fd;
    close(fd);
    return S_ISDIR(status.st_mode) ? -EISDIR : -CLINUX_NOT_REGULAR;
}

/// An existing file, to write at its end.
static inline int clinux_open_appending(const char *path) {
    return (int)CLINUX_RETRIED(open(path, O_WRONLY | O_APPEND | O_CLOEXEC));
}

/// A new file that nobody but its owner can open.
static inline int clinux_create_private(const char *path) {
    return CLINUX_RESULT(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}

static inline int clinux_open_lock(const char *path) {
    return CLINUX_RESULT(open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
}

/// Waits until nobody else holds the file.
static inline int clinux_lock(int fd) { return CLINUX_RESULT(flock(fd, LOCK_EX)); }
static inline int clinux_try_lock(int fd) { return CLINUX_RESULT(flock(fd, LOCK_EX | LOCK_NB)); }

static inline int clinux_set_owner(int fd, uid_t owner, gid_t group) { return CLINUX_RESULT(fchown(fd, owner, group)); }
static inline int clinux_set_mode(int fd, mode_t mode) { return CLINUX_RESULT(fchmod(fd, mode)); }
static inline int clinux_sync(int fd) { return CLINUX_RESULT(fsync(fd)); }
static inline int clinux_rename(const char *from, const char *to) { return CLINUX_RESULT(rename(from, to)); }
static inline int clinux_link(const char *from, const char *to) { return CLINUX_RESULT(link(from, to)); }
static inline int clinux_unlink(const char *path) { return CLINUX_RESULT(unlink(path)); }

static inline uint64_t clinux_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline int64_t clinux_wall_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// What monitoring asks of every process.
typedef struct {
    uint64_t cpu_microseconds;
    uint64_t resident_bytes;
    uint64_t virtual_bytes;
    uint64_t open_descriptors;
} clinux_figures;

static inline clinux_figures clinux_process_figures(void) {
    clinux_figures figures = {0, 0, 0, 0};
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        figures.cpu_microseconds = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
            + (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    char text[128];
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t count = read(file, text, sizeof text - 1);
        close(file);
        unsigned long long size = 0, resident = 0;
        text[count > 0 ? count : 0] = 0;
        if (sscanf(text, "%llu %llu", &size, &resident) == 2) {
            uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
            figures.virtual_bytes = size * page;
            figures.resident_bytes = resident * page;
        }
    }
    struct stat directory;
    // The kernel tells their number since 6.2; before, they are counted.
    if (stat("/proc/self/fd", &directory) == 0) figures.open_descriptors = (uint64_t)directory.st_size;
    DIR *entries = figures.open_descriptors == 0 ? opendir("/proc/self/fd") : NULL;
    if (entries) {
        struct dirent *entry;
        while ((entry = readdir(entries)))
            if (entry->d_name[0] != '.') figures.open_descriptors += 1;
        closedir(entries);
        // Not the one by which they were read.
        figures.open_descriptors -= 1;
    }
    return figures;
}

static inline uint64_t clinux_open_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return 1024;
    return limit.rlim_cur;
}

/// Raises the soft limit of open files to the hard one; answers the limit now in force.
static inline uint64_t clinux_raise_open_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return 1024;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

/// Has the kernel make its table of open files large enough for so many. It grows by itself, but then, in a process with
/// threads, the call that needs it waits some milliseconds for all processors (synchronize_rcu in expand_fdtable).
static inline void clinux_reserve_descriptors(int count) {
    int any = eventfd(0, EFD_CLOEXEC);
    if (any < 0) return;
    int last = fcntl(any, F_DUPFD_CLOEXEC, count - 1);
    if (last >= 0) close(last);
    close(any);
}

/// Blocks the signals in this thread and those it starts; answers a signalfd that delivers them.
static inline int clinux_signal_descriptor(const int *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
    if (pthread_sigmask(SIG_BLOCK, &set, (sigset_t *)0) != 0) return -EINVAL;
    return CLINUX_RESULT(signalfd(-1, &set, SFD_CLOEXEC));
}

/// Waits for a signal of the descriptor; answers its number or -errno.
static inline int clinux_next_signal(int fd) {
    struct signalfd_siginfo info;
    ssize_t n = read(fd, &info, sizeof info);
    if (n < 0) return -errno;
    return n == (ssize_t)sizeof info ? (int)info.ssi_signo : -EIO;
}

/// How many processors this process may run on.
static inline int clinux_processor_count(void) {
    extern int sched_getaffinity(pid_t pid, size_t size, void *set);
    unsigned char set[512] = {0};
    int size = sched_getaffinity(0, sizeof set, set);
    if (size < 0) return 1;
    int count = 0;
    for (size_t i = 0; i < sizeof set; i++) count += __builtin_popcount(set[i]);
    return count > 0 ? count : 1;
}

/// Reads the beginning of a file; answers the number of bytes or -errno.
static inline int64_t clinux_read_file(const char *path, void *bytes, size_t count) {
    int fd = clinux_open_reading(path);
    if (fd < 0) return fd;
    int64_t n = clinux_read(fd, bytes, count);
    close(fd);
    return n;
}

/// The most arenas that malloc makes for threads (mallopt(3)); by default eight a processor.
static inline void clinux_limit_arenas(int count) { mallopt(M_ARENA_MAX, count); }

/// Gives free pages of every arena back to the system (malloc_trim(3)).
static inline void clinux_trim_heap(void) { malloc_trim(0); }

static inline void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

/// Takes the calling thread back behind the others by so many steps of niceness, gives it slices of so many nanoseconds,
/// and has it wait for its turn when it wakes up (SCHED_BATCH). By sched_setattr(2), of whose struct sched_attr glibc has
/// no declaration.
static inline void clinux_stand_back(int steps, uint64_t slice) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = { .size = 48, .policy = SCHED_BATCH, .runtime = slice };
    int nice = getpriority(PRIO_PROCESS, 0) + steps;
    attributes.nice = nice > 19 ? 19 : nice;
    if (syscall(SYS_sched_setattr, 0, &attributes, 0) < 0) setpriority(PRIO_PROCESS, 0, attributes.nice);
}

/// A quarter of a millisecond of computing at least lies between two pauses: a thread that has waited for the processor
/// for so long that the timer has run out would else give it back before it has computed anything.
static inline void clinux_pause(int signal) {
    static _Thread_local int64_t paused;
    (void)signal;
    int before = errno;
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    int64_t computed = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (computed - paused >= 250000) {
        paused = computed;
        nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
    }
    errno = before;
}

/// Makes a timer that has the calling thread sleep for 20 microseconds each time it runs out, whatever the thread is
/// computing: its signal (SIGURG, which nothing else here uses) goes to this thread alone. The timer stands still.
/// Answers 0 and the timer's number, or -errno.
static inline int clinux_pauses_make(intptr_t *number) {
    // The sleep would else take the 50 microseconds more that the kernel may add to it.
    prctl(PR_SET_TIMERSLACK, 1);
    struct sigaction action = { .sa_handler = clinux_pause, .sa_flags = SA_RESTART };
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGURG, &action, NULL) < 0) return -errno;
    // A thread inherits what its maker holds back.
    sigset_t urgent;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    pthread_sigmask(SIG_UNBLOCK, &urgent, NULL);
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG };
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0) return -errno;
    *number = (intptr_t)timer;
    return 0;
}

/// Has the timer run out again and again, so many nanoseconds after each other, or stand still (0).
static inline void clinux_pauses_set(intptr_t number, uint64_t nanoseconds) {
    struct timespec each = { .tv_nsec = (long)nanoseconds };
    struct itimerspec times = { .it_interval = each, .it_value = each };
    timer_settime((timer_t)number, 0, &times, NULL);
}

static inline void clinux_pauses_free(intptr_t number) { timer_delete((timer_t)number); }

static inline void clinux_ignore_sigpipe(void) { signal(SIGPIPE, SIG_IGN); }

static inline int clinux_pipe(int fds[2]) { return CLINUX_RESULT(pipe2(fds, O_CLOEXEC)); }

/// Starts a program with no signal blocked and SIGPIPE as usual, and ends the life of the actions. Answers its process id or
/// -errno.
/// - Parameter flags: further flags of posix_spawnattr_setflags(3).
static inline int clinux_spawn_with(posix_spawn_file_actions_t *actions, short flags, const char *path,
                                    char *const *arguments, char *const *environment) {
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        sigset_t none, usual;
        sigemptyset(&none);
        sigemptyset(&usual);
        sigaddset(&usual, SIGPIPE);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &usual);
        posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | flags));
        pid_t pid = 0;
        error = posix_spawn(&pid, path, actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
        if (error == 0) error = -(int)pid;
    }
    posix_spawn_file_actions_destroy(actions);
    return -error;
}

/// Starts a program that keeps the given descriptors under their numbers. Answers its process id or -errno.
static inline int clinux_spawn(const char *path, char *const *arguments, char *const *environment, const int *fds,
                               int count) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return -error;
    // To the same number: that takes the close-on-exec flag away in the new process, and only there.
    for (int i = 0; i < count && error == 0; i++) error = posix_spawn_file_actions_adddup2(&actions, fds[i], fds[i]);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return -error;
    }
    return clinux_spawn_with(&actions, 0, path, arguments, environment);
}

/// Starts a program in a directory, as the leader of a process group of its own, without input and with no descriptor but
/// its output and errors. Answers its process id or -errno.
static inline int clinux_spawn_filter(const char *path, char *const *arguments, char *const *environment,
                                      const char *directory, int output, int errors) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return -error;
    if ((error = posix_spawn_file_actions_addchdir_np(&actions, directory)) == 0 &&
        (error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)) == 0 &&
        (error = posix_spawn_file_actions_adddup2(&actions, output, 1)) == 0 &&
        (error = posix_spawn_file_actions_adddup2(&actions, errors, 2)) == 0 &&
        (error = posix_spawn_file_actions_addclosefrom_np(&actions, 3)) == 0)
        return clinux_spawn_with(&actions, POSIX_SPAWN_SETPGROUP, path, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return -error;
}

/// Waits until a byte can be read, or the end was reached: 1, 0 when the time is over, or -errno.
static inline int clinux_wait_readable(int fd, int timeout_ms) {
    struct pollfd entry = { .fd = fd, .events = POLLIN };
    return CLINUX_RESULT(poll(&entry, 1, timeout_ms));
}

/// The same for two descriptors, of which a negative one is ignored: 1, 2 or both added, 0 when the time is over, or -errno.
static inline int clinux_wait_either(int first, int second, int timeout_ms) {
    struct pollfd entries[2] = { { .fd = first, .events = POLLIN }, { .fd = second, .events = POLLIN } };
    int result = CLINUX_RESULT(poll(entries, 2, timeout_ms));
    return result <= 0 ? result : (entries[0].revents != 0) + 2 * (entries[1].revents != 0);
}

static inline int clinux_inotify(void) { return CLINUX_RESULT(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)); }

/// Watches a directory for entries that are written, created, renamed, deleted or get other attributes.
static inline int clinux_inotify_watch(int inotify, const char *directory) {
    uint32_t events = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF |
                      IN_MOVE_SELF | IN_ONLYDIR;
    return CLINUX_RESULT(inotify_add_watch(inotify, directory, events));
}

/// Reads all pending events, whose contents are not needed.
static inline void clinux_inotify_drain(int inotify) {
    char events[4096];
    while (CLINUX_RETRIED(read(inotify, events, sizeof events)) > 0) {}
}

/// What tells one state of a file from another.
struct clinux_file_state {
    uint64_t device, inode, size;
    int64_t modified, changed;
};

/// The state of a file, symbolic links followed.
static inline int clinux_file_state(const char *path, struct clinux_file_state *state) {
    struct stat status;
    if (stat(path, &status) < 0) return -errno;
    state->device = status.st_dev;
    state->inode = status.st_ino;
    state->size = (uint64_t)status.st_size;
    state->modified = status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
    state->changed = status.st_ctim.tv_sec * INT64_C(1000000000) + status.st_ctim.tv_nsec;
    return 0;
}

/// The same for room to write.
static inline int clinux_wait_writable(int fd, int timeout_ms) {
    struct pollfd entry = { .fd = fd, .events = POLLOUT };
    return CLINUX_RESULT(poll(&entry, 1, timeout_ms));
}

static inline int clinux_read_byte(int fd) {
    char byte;
    return (int)CLINUX_RESULT(read(fd, &byte, 1));
}

/// A negative number is that of a process group.
static inline int clinux_kill(int pid) { return CLINUX_RESULT(kill(pid, SIGKILL)); }

/// Waits until a child has ended and leaves it to be reaped: 1, 0 when the time is over, or -errno.
static inline int clinux_wait_process(int pid, int timeout_ms) {
    int fd = pidfd_open(pid, 0);
    if (fd < 0) return -errno;
    int result = clinux_wait_readable(fd, timeout_ms);
    close(fd);
    return result;
}

/// Sends a datagram to a unix socket, whose path begins with `@` where it is an abstract one.
static inline int clinux_notify(const char *path, const char *text, size_t length) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t size = strlen(path);
    if (size == 0 || size >= sizeof address.sun_path) return -EINVAL;
    memcpy(address.sun_path, path, size);
    if (path[0] == '@') address.sun_path[0] = 0;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    socklen_t whole = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    int result = (int)CLINUX_RESULT(sendto(fd, text, length, MSG_NOSIGNAL, (struct sockaddr *)&address, whole));
    close(fd);
    return result;
}

/// Waits for the end of a child: its exit code, or 0 and the signal that ended it, or -errno.
static inline int clinux_reap_telling(int pid, int *signal) {
    int status = 0;
    *signal = 0;
    pid_t result;
    do result = waitpid(pid, &status, 0);
    while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    *signal = WTERMSIG(status);
    return 0;
}

/// The same as one number: the exit code, 128 and the signal's number, or -errno.
static inline int clinux_reap(int pid) {
    int signal = 0;
    int result = clinux_reap_telling(pid, &signal);
    return signal != 0 ? 128 + signal : result;
}

static inline int clinux_is_executable(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static inline int64_t clinux_executable_link(char *path, size_t size) {
    return (int64_t)CLINUX_RESULT(readlink("/proc/self/exe", path, size));
}

/* The arguments as the kernel put them on the stack of the process: their count, then the pointers. */
static inline int clinux_initial_arguments(char ***arguments) {
    extern void *__libc_stack_end;
    *arguments = (char **)__libc_stack_end + 1;
    return (int)*(long *)__libc_stack_end;
}

static inline const char *clinux_environment(const char *name) { return getenv(name); }
static inline void clinux_forget_environment(const char *name) { unsetenv(name); }
static inline const char *clinux_environment_entry(int index) {
    extern char **environ;
    return environ != (char **)0 ? environ[index] : (const char *)0;
}

/// Looks a name up for stream sockets of both families, in the order of the resolver's answer. AI_ADDRCONFIG is off: it
/// would hide the loopback addresses of a machine without a network.
static inline int clinux_resolve(const char *name, struct addrinfo **found) {
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    return getaddrinfo(name, (const char *)0, &hints, found);
}

static inline int clinux_name_is_unknown(int error) { return error == EAI_NONAME || error == -5 /* EAI_NODATA */; }

/// By how many seconds local time is ahead of UTC.
static inline long clinux_seconds_east(time_t time) {
    struct tm parts;
    return localtime_r(&time, &parts) ? parts.tm_gmtoff : 0;
}
