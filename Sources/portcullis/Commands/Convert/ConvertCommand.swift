import Bytes
import Configuration
import Conversion
import Declaration
import Model
import Reactor

/// `portcullis convert`: a configuration directory from the configuration of another program.
enum ConvertCommand: Command {
    static let name = "convert"
    static let noun = "program"
    static let summary = "make a configuration directory from that of another program"
    static let help = """
        usage: portcullis convert oauth2-proxy FILE... --to DIR
               portcullis convert oathkeeper FILE [--config FILE] --to DIR

        Writes DIR/gateway.jsonc and the report DIR/conversion.txt into a new or empty directory, and prints the report: what
        each setting became, what has no equivalent, and what to fill in. What has no equivalent is refused by the result,
        never admitted. Secrets are not copied: they become references to variables of the environment.

        oauth2-proxy  configuration files (`name = "value"`), and files with variables OAUTH2_PROXY_NAME=VALUE, which go
                      before them; the alpha configuration (YAML) is not read
        oathkeeper    access rules of Ory Oathkeeper, in JSON or YAML

        --to      the directory (required)
        --config  configuration of Oathkeeper, in JSON or YAML, with the settings of its handlers (default: none)

        exit status: 0 all is translated, 1 something needs attention or has to be filled in, 2 usage error, or a file
        that cannot be read; nothing is written then

        examples: portcullis convert oauth2-proxy /etc/oauth2-proxy.cfg /etc/default/oauth2-proxy --to gateway
                  portcullis convert oathkeeper access-rules.yml --config oathkeeper.yml --to gateway
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        guard !arguments.isEmpty else { throw .misuse("a program is missing: convert oauth2-proxy FILE... --to DIR") }
        let arguments = try Arguments(arguments, of: self, isCounted: false)
        guard let directory = arguments["--to"], !directory.isEmpty else { throw .misuse("--to DIR is missing") }
        let files = arguments.positional
        let converted: ConvertedConfiguration
        switch arguments.action {
        case "oauth2-proxy":
            guard !files.isEmpty else { throw .misuse("expected FILE...: the configuration of oauth2-proxy") }
            converted = try oauth2Proxy(files)
        default:
            guard files.count == 1 else { throw .misuse("expected one file: convert oathkeeper FILE --to DIR") }
            converted = try oathkeeper(files[0], arguments["--config"])
        }
        try write(converted, to: directory)
    }

    // MARK: Programs

    private static func oauth2Proxy(_ files: [String]) throws(ExitStatus) -> ConvertedConfiguration {
        var texts: [SettingsText] = []
        for file in files {
            let text = try text(file)
            texts.append(try reading { () throws(ConversionFailure) in try SettingsText(text, file: base(file)) })
        }
        return try reading { () throws(ConversionFailure) in
            try OAuth2ProxyConversion.convert(texts) { try? FileText.read($0) }
        }
    }

    private static func oathkeeper(_ file: String, _ config: String?) throws(ExitStatus) -> ConvertedConfiguration {
        let rules = (text: try text(file), file: base(file))
        var configuration: (text: String, file: String)?
        if let config { configuration = (try text(config), base(config)) }
        return try reading { () throws(ConversionFailure) in
            try OathkeeperConversion.convert(rules, configuration: configuration)
        }
    }

    private static func reading<Value>(_ read: () throws(ConversionFailure) -> Value) throws(ExitStatus) -> Value {
        do throws(ConversionFailure) {
            return try read()
        } catch {
            throw .misuse(error.text)
        }
    }

    private static func text(_ file: String) throws(ExitStatus) -> String {
        let bytes: [UInt8]
        do throws(UnreadableFile) {
            bytes = try FileText.read(file, acceptsPipes: true)
        } catch {
            throw .misuse(error.text)
        }
        guard let text = String(validating: bytes.withoutByteOrderMark, as: UTF8.self) else {
            throw .misuse("\(file) is not UTF-8")
        }
        return text
    }

    private static func base(_ file: String) -> String { FilePath.name(of: file) }

    // MARK: Result

    /// Writes the directory, checks it, and prints the report.
    private static func write(_ converted: ConvertedConfiguration, to directory: String) throws(ExitStatus) {
        let report = converted.report.text
        try NewDirectory.write(
            [
                // Literal values of the original may be secrets.
                .init(name: "conversion.txt", text: report, isSecret: true),
                .init(name: "gateway.jsonc", text: converted.text, isSecret: true),
            ], to: directory)
        // Secrets are references to variables, which need not be set here.
        var environment = Environment.values
        for variable in converted.variables where environment[variable] == nil { environment[variable] = "unknown" }
        let examination = Assembly.examine(directory, production: false, environment: environment)
        let errors = examination.diagnostics.filter { $0.severity == .error }
        Terminal.print(report)
        Terminal.print("\(directory)/gateway.jsonc and \(directory)/conversion.txt are written.")
        if !converted.variables.isEmpty {
            Terminal.print("variables of its environment: \(converted.variables.joined(separator: ", "))")
        }
        Terminal.print("portcullis check \(directory)\nportcullis serve --config \(directory)")
        for error in errors { Terminal.printError(error.description) }
        if !errors.isEmpty || converted.report.needsAttention { throw .failed }
    }
}
