import Foundation
import Testing

/// A wall clock that is set while the gateway runs: it must not lock anybody out.
@Suite struct SteppedClockTests {
    /// Adds the seconds in a file to the wall clock.
    private static let source = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/syscall.h>
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
        """

    /// The gateway, and its clock.
    private struct Setup {
        let library: PreloadedLibrary
        let directory: ConfigurationDirectory
        let fixture: Fixture

        init(_ change: (inout FixtureSettings) -> Void) throws {
            library = try PreloadedLibrary(SteppedClockTests.source)
            directory = try ConfigurationDirectory(["step": "\0\0\0\0\0\0\0\0"])
            let environment = library.environment.merging(["CLOCK_STEP": directory.path + "/step"]) { $1 }
            fixture = try Fixture(environment: environment, change)
        }

        func step(to seconds: Int64) throws {
            let handle = try FileHandle(forWritingTo: URL(filePath: directory.path + "/step"))
            try handle.write(contentsOf: Data((0..<8).map { UInt8(truncatingIfNeeded: seconds >> ($0 * 8)) }))
            try handle.close()
        }

        func grant(_ password: String) throws -> Response {
            try fixture.grant("grant_type=password&username=joe&password=\(password)")
        }

        /// How far the clock of the gateway is from ours.
        func difference() throws -> TimeInterval {
            let token = try fixture.token("ann")
            let made = try #require(JSONWebToken(token).claims["iat"].integer)
            return TimeInterval(made) - Date().timeIntervalSince1970
        }
    }

    private func until(_ deadline: Deadline = .usual, _ condition: () throws -> Bool) throws {
        while try !condition() { try #require(!deadline.isPast, "it did not come to that") }
    }

    @Test(arguments: [-400, -3600] as [Int64])
    func theThrottleOfLoginsGoesOn(_ step: Int64) throws {
        let setup = try Setup {
            $0["passwords"] = #"{"throttle": {"failuresPerUser": 2, "per": "4s"}}"#
        }
        func useUp() throws {
            try until { try setup.grant("wrong").status == 429 }
        }
        try useUp()
        try setup.step(to: step)
        #expect(abs(try setup.difference() - TimeInterval(step)) < 5)
        // What was used up comes back by the time that passes, and no earlier.
        try useUp()
        try until { try setup.grant("Welcome1").status == 200 }
        // Tokens of the new time are good at the new time.
        #expect(try setup.fixture.request("GET", "/inventory/me", [.bearer(setup.fixture.token("ann"))]).status == 200)
    }

    @Test func tokensEndByTheWallClock() throws {
        let setup = try Setup { $0["tokenService"] = #"{"userTokenSeconds": 600}"# }
        let token = try setup.fixture.token("joe")
        func status() throws -> Int { try setup.fixture.request("GET", "/inventory/me", [.bearer(token)]).status }
        #expect(try status() == 200)
        try setup.step(to: 601)
        try until { try status() == 401 }
        try setup.step(to: 0)
        try until { try status() == 200 }
    }
}
