import Testing

/// A library of a few lines of C that stands in front of those of a program.
final class PreloadedLibrary: Sendable {
    private let directory: ConfigurationDirectory

    /// - Parameter source: C, for clang.
    init(_ source: String) throws {
        directory = try ConfigurationDirectory(["source.c": source])
        let built = try Program.run(
            "/usr/bin/env", ["clang", "-shared", "-fPIC", "-o", "library.so", "source.c"], directory: directory.path)
        try #require(built.ending == .exit(0), "\(built.errors)")
    }

    /// The environment to start the program with.
    var environment: [String: String] { ["LD_PRELOAD": GatewayProcess.preload(directory.path + "/library.so")] }
}
