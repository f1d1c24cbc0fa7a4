import Foundation
import Testing

/// The end of a process whose other threads are at work.
@Suite(.tags(.engine)) struct EndingTests {
    /// Holds a thread back that is about to read the certificates of the system inside libcrypto, until the process ends, and
    /// the end until that thread has gone on: what was registered first for the end (atexit(3)) comes last.
    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <semaphore.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <time.h>

        static sem_t ending, over;
        static _Thread_local int held;

        static void hold(void) {
            struct timespec until;
            sem_post(&ending);
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += 1;
            sem_timedwait(&over, &until);
        }

        __attribute__((constructor)) static void begin(void) {
            sem_init(&ending, 0, 0);
            sem_init(&over, 0, 0);
            atexit(hold);
        }

        FILE *fopen64(const char *path, const char *mode) {
            static FILE *(*real)(const char *, const char *);
            if (!real) real = dlsym(RTLD_NEXT, "fopen64");
            if (strstr(path, "/cert.pem") && !held) {
                held = 1;
                fputs("{\\"event\\":\\"test_held\\"}\\n", stderr);
                sem_wait(&ending);
            }
            return real(path, mode);
        }

        FILE *fopen(const char *path, const char *mode) { return fopen64(path, mode); }
        """

    @Test("libcrypto is not cleaned up while a thread still uses it")
    func libraryAtWork() throws {
        let library = try PreloadedLibrary(Self.source)
        // A certificate that the thread takes apart once it goes on.
        let directory = try ConfigurationDirectory()
        let made = try Program.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=root", "-keyout",
                "key.pem",
                "-out", "cert.pem",
            ], directory: directory.path)
        try #require(made.ending == .exit(0), "\(made.errors)")
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["trustedIssuers"] = #"""
            [{"name": "idp", "issuer": "https://idp.example", "audience": ["api"], "jwksUri": "https://localhost:9/keys"}]
            """#
        let gateway = try GatewayProcess(
            ["gateway.json": settings.text],
            environment: library.environment.merging(["SSL_CERT_FILE": directory.path + "/cert.pem"]) { $1 })
        try #require(gateway.waitForEvent("test_held") != nil, "\(gateway.everythingWritten)")
        gateway.program.signal(SIGTERM)
        #expect(gateway.program.waitForEnd() == .exit(0), "\(gateway.everythingWritten)")
    }
}
