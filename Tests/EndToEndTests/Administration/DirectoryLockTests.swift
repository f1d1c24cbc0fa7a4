import Testing

/// Commands that change a configuration directory keep others from it meanwhile (POL-01).
@Suite struct DirectoryLockTests {
    @Test("a directory that cannot be locked is not changed, and the kernel's reason is reported immediately")
    func noLocks() throws {
        let library = try PreloadedLibrary("#include <errno.h>\nint flock(int f, int o) { errno = ENOLCK; return -1; }")
        let text = FixtureSettings(upstream: "http://127.0.0.1:9").text
        let directory = try ConfigurationDirectory(["gateway.json": text])
        let result = try CommandLine.run(
            "roles", "add", "Boss", "--config", directory.path, environment: library.environment)
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("cannot be locked: No locks available"), "\(result.errors)")
        #expect(try directory.read("gateway.json") == text)
    }
}
