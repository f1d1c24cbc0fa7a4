import Foundation

/// A wall clock of a program that is set while it runs.
struct SteppedClock {
    private let library: PreloadedLibrary
    private let directory: ConfigurationDirectory

    /// Adds the seconds in a file to the wall clock.
    private static let source = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>
        static volatile long *step;
        __attribute__((constructor)) static void begin(void) {
            const char *path = getenv("CLOCK_STEP");
            int file = path ? open(path, O_RDONLY) : -1;
            if (file < 0) return;
            void *place = mmap(0, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
            if (place != MAP_FAILED) step = place;
        }
        int clock_gettime(clockid_t id, struct timespec *time) {
            int result = (int)syscall(SYS_clock_gettime, id, time);
            if (id == CLOCK_REALTIME && step) time->tv_sec += *step;
            return result;
        }
        int gettimeofday(struct timeval *time, void *zone) {
            int result = (int)syscall(SYS_gettimeofday, time, zone);
            if (step) time->tv_sec += *step;
            return result;
        }
        """

    init(seconds: Int64 = 0) throws {
        library = try PreloadedLibrary(SteppedClock.source)
        directory = try ConfigurationDirectory(["step": "\0\0\0\0\0\0\0\0"])
        if seconds != 0 { try step(to: seconds) }
    }

    /// The environment to start the program with.
    var environment: [String: String] {
        library.environment.merging(["CLOCK_STEP": directory.path + "/step"]) { $1 }
    }

    /// - Parameter seconds: by how much its clock is ahead of ours from now on.
    func step(to seconds: Int64) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: directory.path + "/step"))
        try handle.write(contentsOf: Data((0..<8).map { UInt8(truncatingIfNeeded: seconds >> ($0 * 8)) }))
        try handle.close()
    }
}
