// Counts heap allocations of a program: LD_PRELOAD this, with MALLOC_COUNT_FILE naming a file for the 8-byte counter.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic uint64_t own;
static _Atomic uint64_t *counter = &own;

__attribute__((constructor)) static void open_counter(void) {
    const char *path = getenv("MALLOC_COUNT_FILE");
    if (!path) return;
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *counter) < 0) return;
    void *page = mmap(0, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) counter = page;
}

#define COUNTED(result, name, parameters, arguments)                                   \
    result name parameters {                                                           \
        static result(*next) parameters;                                               \
        if (!next) next = (result(*) parameters)dlsym(RTLD_NEXT, #name);               \
        atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);                   \
        return next arguments;                                                         \
    }

COUNTED(void *, malloc, (size_t size), (size))
COUNTED(void *, realloc, (void *old, size_t size), (old, size))
COUNTED(int, posix_memalign, (void **out, size_t alignment, size_t size), (out, alignment, size))
COUNTED(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
