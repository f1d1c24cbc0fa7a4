import Foundation
import Testing

/// A worker that cannot listen ends the process: connections that the kernel gives to its sockets would wait for ever.
@Suite(.tags(.engine)) struct ListenFailureTests {
    /// Makes the kernel refuse to watch the second listening socket, as it does where there are too many watches
    /// (epoll_ctl(2), ENOSPC).
    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <stdatomic.h>
        #include <sys/epoll.h>
        #include <sys/socket.h>

        static atomic_int seen;

        int epoll_ctl(int set, int operation, int descriptor, struct epoll_event *event) {
            static int (*real)(int, int, int, struct epoll_event *);
            if (!real) real = dlsym(RTLD_NEXT, "epoll_ctl");
            int listens = 0;
            socklen_t length = sizeof listens;
            if (operation == EPOLL_CTL_ADD &&
                getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens &&
                atomic_fetch_add(&seen, 1) == 1) {
                errno = ENOSPC;
                return -1;
            }
            return real(set, operation, descriptor, event);
        }
        """

    @Test("a listen failure is reported with address and reason, and leaves no file behind")
    func listenFails() throws {
        let library = try PreloadedLibrary(Self.source)
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["listeners"] = #"[{"name": "local", "address": "unix:gateway.sock"}]"#
        let configuration = try ConfigurationDirectory(["gateway.json": settings.text])
        let result = try CommandLine.run(
            "serve", "--config", configuration.path,
            environment: library.environment.merging(["PORTCULLIS_ENGINE": "epoll"]) { $1 })
        #expect(result.ending == .exit(1))
        let events = result.errors.split(separator: "\n").map { JSONText(String($0)) }
        let failure = try #require(events.first { $0["event"].string == "listen_failed" }, "\(result.errors)")
        #expect(failure["address"].string != nil)
        #expect(failure["detail"].string?.contains("No space left") == true)
        #expect(!events.contains { $0["event"].string == "ready" })
        #expect(events.last?["event"].string == "start_failed")
        #expect(!FileManager.default.fileExists(atPath: configuration.path + "/gateway.sock"))
    }
}
