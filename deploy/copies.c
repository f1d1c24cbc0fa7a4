// Keeps copies of all descriptors of a process that runs tests: preloaded into it by deploy/copies.
//
// A child that shares memory but not descriptors, as one has been between being made and becoming another program, is made
// every half millisecond and lives for 80 ms. What the process closes stays open until the last child with a copy has gone.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 64, STACK = 16384 };

static int live(void *unused) {
    (void)unused;
    usleep(80000);
    _exit(0);
}

static void *copy(void *unused) {
    (void)unused;
    static char stacks[CHILDREN][STACK] __attribute__((aligned(16)));
    static int children[CHILDREN];
    for (int i = 0;; i = (i + 1) % CHILDREN) {
        // __WALL: they end without a signal, and nobody else waits for such.
        if (children[i] > 0) waitpid(children[i], NULL, __WALL);
        children[i] = clone(live, stacks[i] + STACK, CLONE_VM, NULL);
        usleep(500);
    }
    return NULL;
}

__attribute__((constructor)) static void begin(void) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) return;
    path[length] = 0;
    pthread_t thread;
    // The programs that the tests start have nothing to do with it.
    if (strstr(path, ".xctest") && pthread_create(&thread, NULL, copy, NULL) != 0) abort();
}
