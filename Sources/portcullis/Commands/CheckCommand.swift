import Configuration
import Foundation
import Identity
import Model

/// `portcullis check`: is the configuration good?
enum CheckCommand: Command {
    static let name = "check"
    static let summary = "check a configuration directory without starting"
    static let help = """
        usage: portcullis check DIR [--production] [--strict]
               portcullis check --config DIR [--production] [--strict]

        Reads the configuration in DIR and prints every error and warning with file, line and JSON pointer. Key files
        that `serve` would make are not made; whether this user could write them, and the log, is checked.

        --production  also warn of what is fine only for development; a certificate that has expired is an error
        --strict      fail where there is a warning

        Security_SsoRedirectWhitelist is compared by scheme, host, port and the beginning of the path:
        https://example.com/apps/customer is refused by "https://www.example.com, https://*.example2.com" and accepted
        by "https://example.com".

        exit status: 0 valid, 1 invalid
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: ["--config"], flags: ["--production", "--strict"])
        // As the other commands have it, too.
        let directories = arguments.positional + (arguments["--config"].map { [$0] } ?? [])
        guard let directory = directories.first, directories.count == 1 else {
            throw Arguments.complaint("one directory is checked: check DIR [--production]")
        }
        let diagnostics = Assembly.examine(directory, production: arguments.has("--production")).diagnostics
        for diagnostic in diagnostics { Terminal.complain(diagnostic.description) }
        let errors = diagnostics.filter { $0.severity == .error }.count
        let warnings = diagnostics.filter { $0.severity == .warning }.count
        Terminal.print(
            "\(directory): \(errors) error\(errors == 1 ? "" : "s"), \(warnings) warning\(warnings == 1 ? "" : "s")")
        if errors > 0 || (arguments.has("--strict") && warnings > 0) { throw .failed }
    }
}
