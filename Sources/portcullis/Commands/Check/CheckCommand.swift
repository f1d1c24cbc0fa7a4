import Configuration
import Declaration
import Model
import Reactor

/// `portcullis check`: checks a configuration.
enum CheckCommand: Command {
    static let name = "check"
    static let summary = "check a configuration directory without starting"
    static let help = """
        usage: portcullis check DIR [--production] [--strict] [--connect]
               portcullis check --config DIR [--production] [--strict] [--connect]

        Reads the configuration in DIR and prints every error and warning with file, line and JSON pointer. Checks that
        this user could write the log and the key files that `serve` creates, and creates none.

        --config      the configuration, as the first argument
        --production  also report settings for development only, and hosts of `baseUrl` and `additionalBaseUrls` that no
                      certificate of a listener names; treat expired certificates as errors
        --strict      fail on warnings
        --connect     also try the servers that the configuration names, all at once, for at most \(ConnectCheck.longestSeconds) s: keys
                      and discovery documents of issuers and providers, introspection and policy servers, upstreams (name,
                      connection, TLS), the server of the store, the collector of spans; and show until when
                      certificates are valid

        Security_SsoRedirectWhitelist is compared by scheme, host, port and path prefix:
        https://example.com/apps/customer is refused by "https://www.example.com, https://*.example2.com" and accepted
        by "https://example.com".

        exit status: 0 valid, 1 invalid, or a server that `--connect` tries has failed
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        let directory = try arguments.directory(of: self)
        let isForProduction = arguments.has("--production")
        let examination = Assembly.examine(directory, production: isForProduction)
        let insecure = examination.loaded.configuration.map {
            InsecureSettings($0).diagnostics(examination.loaded, severity: isForProduction ? .error : .warning)
        }
        let diagnostics =
            examination.diagnostics + (insecure ?? [])
            + OptionVariables.unknown(Environment.values, extensions: CompatibilityFamilies.sections)
        for diagnostic in diagnostics { Terminal.printError(diagnostic) }
        let errors = diagnostics.filter { $0.severity == .error }.count
        let warnings = diagnostics.filter { $0.severity == .warning }.count
        Terminal.print(
            "\(directory): \(errors) error\(errors == 1 ? "" : "s"), \(warnings) warning\(warnings == 1 ? "" : "s")")
        var failed = 0
        if arguments.has("--connect") {
            guard let reading = examination.reading else {
                throw .failure("no server is tried, since the configuration is not valid")
            }
            failed = try ConnectCheck(reading, directory: directory).run()
        }
        if errors > 0 || failed > 0 || (arguments.has("--strict") && warnings > 0) { throw .failed }
    }
}
