/// The binary under test, as it is used at a terminal.
enum CommandLine {
    /// Runs a command to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], input: String? = nil
    ) throws -> (ending: Program.Ending, output: String, errors: String) {
        try Program.run(GatewayProcess.binary, arguments, environment: environment, input: input)
    }

    static func run(
        _ arguments: [String]
    ) throws -> (ending: Program.Ending, output: String, errors: String) {
        try Program.run(GatewayProcess.binary, arguments)
    }
}
