// Tells ThreadSanitizer what Swift's Mutex does where it cannot see it; preloaded by deploy/sanitize.
//
// An uncontended lock or unlock is a compare-and-exchange that the compiler emits into our own code, where it is
// instrumented. A contended one ends in libswiftSynchronization, which is not: there the kernel writes the owner into the
// futex (FUTEX_LOCK_PI), and the sanitizer takes the two critical sections for unordered. These functions stand before
// those of the library, call them, and state the order they make: what happened before an unlock happened before the
// next lock. Nothing is suppressed, so a missing lock is found, also around values that are handed on under one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Absent in programs that are built without the sanitizer and inherit the preload.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

static SWIFT void (*next_lock)(uint32_t, SELF);
static SWIFT bool (*next_try_lock)(SELF);
static SWIFT void (*next_unlock)(SELF);

// Before any thread of the program: the lookup itself must not race.
__attribute__((constructor)) static void find(void) {
    *(void **)&next_lock = dlsym(RTLD_NEXT, LOCK);
    *(void **)&next_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
    *(void **)&next_unlock = dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_slow(uint32_t thread, SELF) {
    next_lock(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) {
    bool taken = next_try_lock(self);
    if (taken && __tsan_acquire) __tsan_acquire(self);
    return taken;
}

SWIFT void unlock_slow(SELF) {
    if (__tsan_release) __tsan_release(self);
    next_unlock(self);
}
