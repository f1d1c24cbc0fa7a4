#pragma once
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// SQLITE_TRANSIENT is a macro with a cast, which Swift does not import: sqlite copies the bytes before it returns.

static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

// The first bytes of the file as they are on the disk, whatever is cached of them; 100 of them make up the header. Read
// through the descriptor of the library: closing another one of the same file would give up its locks.
static inline int csqlite_read_start(sqlite3 *database, void *bytes, int count) {
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    if (!file || !file->pMethods) return SQLITE_CANTOPEN;
    return file->pMethods->xRead(file, bytes, count, 0);
}

// What it answers of a shorter file. A macro with an operation, which Swift does not import.
static const int csqlite_short_read = SQLITE_IOERR_SHORT_READ;

// The write-ahead log stays as it is when the connection is closed.
static inline int csqlite_leave_log(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
}

// What the file system says of a path. All of these answer 0, or an error number.

struct csqlite_status {
    uint64_t device, inode;
    int64_t bytes;
    // Nanoseconds of the last change, be it of the contents, the name or the mode.
    int64_t changed;
};

static inline int csqlite_look(const char *path, struct csqlite_status *status) {
    struct stat found;
    if (stat(path, &found) != 0) return errno;
    status->device = (uint64_t)found.st_dev;
    status->inode = (uint64_t)found.st_ino;
    status->bytes = (int64_t)found.st_size;
    status->changed = (int64_t)found.st_ctim.tv_sec * 1000000000 + (int64_t)found.st_ctim.tv_nsec;
    return 0;
}

static inline int csqlite_rename(const char *from, const char *to) { return rename(from, to) == 0 ? 0 : errno; }

// Where nothing is, there is nothing to be done.
static inline int csqlite_remove(const char *path) { return unlink(path) == 0 || errno == ENOENT ? 0 : errno; }

static inline const char *csqlite_error_text(int code) { return strerror(code); }

// A new empty file that nobody else may read.
static inline int csqlite_create(const char *path) {
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) return errno;
    close(descriptor);
    return 0;
}

static inline int csqlite_sync_directory(const char *path) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    int code = fsync(descriptor) == 0 ? 0 : errno;
    close(descriptor);
    return code;
}

// A lock of its own file between processes, which is not waited for: a descriptor to be closed, or an error number below
// zero.
static inline int csqlite_lock(const char *path) {
    int descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) return -errno;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
    int code = errno;
    close(descriptor);
    return -code;
}

// Unlocks before closing: a copy of the descriptor in a process that is being started would keep the lock otherwise.
static inline void csqlite_unlock(int descriptor) {
    flock(descriptor, LOCK_UN);
    close(descriptor);
}
