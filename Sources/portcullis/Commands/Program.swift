import Declaration

/// The commands of the program.
enum Program {
    static var commands: [any Command.Type] {
        [
            InitCommand.self, ConvertCommand.self, ServeCommand.self, CheckCommand.self, ReloadCommand.self,
            StatusCommand.self,
            ExplainCommand.self, WhyCommand.self, ExpectCommand.self, DiffCommand.self,
            AccessCommand.self, ReplayCommand.self,
            ClientsCommand.self, BackendCommand.self, UsersCommand.self, RolesCommand.self, RealmsCommand.self,
            KeysCommand.self,
            PolicyCommand.self, CertificateCommand.self, RouteCommand.self, TokensCommand.self, DevicesCommand.self,
            SigningKeysCommand.self, HashCommand.self, KeyCommand.self, TokenCommand.self, IssuerCommand.self,
            CredCommand.self,
            ClientCommand.self,
            TestCommand.self, SchemaCommand.self,
            EchoCommand.self, CompletionsCommand.self, ManCommand.self, VersionCommand.self,
        ]
    }

    static func run(_ arguments: [String]) throws(ExitStatus) {
        guard let name = arguments.first else {
            Terminal.printError(help)
            throw .usage
        }
        if name == "help", arguments.count > 1 { return try run([arguments[1], "--help"]) }
        if name == "--help" || name == "-h" || name == "help" {
            Terminal.print(help)
            return
        }
        if name == "--version" || name == "-V" { return try VersionCommand.run(Array(arguments.dropFirst())) }
        guard let command = commands.first(where: { $0.name == name }) else {
            let near = Suggestion.nearest(to: name, among: commands.map { $0.name })
            let hint = near.map { "did you mean \($0)?" } ?? "`portcullis --help` lists them"
            throw .misuse("unknown command \(name); \(hint)")
        }
        let rest = Array(arguments.dropFirst())
        let own = rest.prefix { $0 != "--" }
        if own.contains("--help") || own.contains("-h") {
            Terminal.print(command.help)
            return
        }
        try command.run(rest)
    }

    static let summary = "an authentication gateway in front of REST APIs"

    static var help: String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let lines = commands.map { command in
            let gap = String(repeating: " ", count: width - command.name.count)
            return "  \(command.name)\(gap)  \(command.summary)"
        }
        return """
            usage: portcullis COMMAND [ARGUMENT...]

            Portcullis is \(summary). `portcullis help COMMAND` prints the help of a command,
            and `portcullis --version` or `-V` the version.

            \(lines.joined(separator: "\n"))

            environment:
              \(AdminTarget.tokenVariable)  the token for the admin listener of a running gateway
              NO_COLOR                terminals get no colours, if it is set and not empty
              TERM                    if it is "dumb" or empty, terminals get neither colours nor progress

            exit status: 0 success, 1 failure or invalid configuration, 2 usage error
            """
    }
}
