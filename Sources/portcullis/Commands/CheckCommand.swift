import Configuration
import Foundation
import Identity

/// `portcullis check`: is the configuration good?
enum CheckCommand: Command {
    static let name = "check"
    static let summary = "check a configuration directory without starting"
    static let help = """
        usage: portcullis check DIR [--production]
               portcullis check --config DIR [--production]

        Reads the configuration in DIR and prints every error and warning with file, line and JSON pointer. Key files
        that `serve` would make are not made. With --production also warns of what is fine only for development.

        Security_SsoRedirectWhitelist is compared by scheme, host, port and the beginning of the path:
        https://example.com/apps/customer is refused by "https://www.example.com, https://*.example2.com" and accepted
        by "https://example.com".

        exit status: 0 valid (warnings or not), 1 invalid
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: ["--config"], flags: ["--production"])
        // As the other commands have it, too.
        let directories = arguments.positional + (arguments["--config"].map { [$0] } ?? [])
        guard let directory = directories.first, directories.count == 1 else {
            throw Arguments.complaint("one directory is checked: check DIR [--production]")
        }
        let loaded = ConfigurationLoader.load(
            directory: directory, environment: ProcessInfo.processInfo.environment,
            production: arguments.has("--production"), credentials: SecretStore.lookup(directory))
        var diagnostics = loaded.diagnostics
        if var assembly = Assembly(loaded, makesKeys: false, isCheck: true) {
            _ = assembly.snapshot(generation: 1)
            diagnostics += assembly.diagnostics
        }
        for diagnostic in diagnostics { Terminal.complain(diagnostic.description) }
        let errors = diagnostics.filter { $0.severity == .error }.count
        let warnings = diagnostics.filter { $0.severity == .warning }.count
        Terminal.print(
            "\(directory): \(errors) error\(errors == 1 ? "" : "s"), \(warnings) warning\(warnings == 1 ? "" : "s")")
        if errors > 0 { throw .failed }
    }
}
