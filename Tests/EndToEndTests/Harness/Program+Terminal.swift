import Foundation

extension Program {
    private static let script = "/usr/bin/script"

    /// Whether programs can be run on a terminal of their own, by script(1).
    static let hasTerminals = FileManager.default.isExecutableFile(atPath: script)

    /// A program on a terminal of its own, where its output and its errors are one stream, with ends of lines CR LF.
    /// - Parameter input: what is typed, at once.
    static func onTerminal(
        _ arguments: [String], environment: [String: String] = [:], input: String? = nil, directory: String? = nil
    ) throws -> Program {
        let line = arguments.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        return try Program(
            script, ["-qec", line, "/dev/null"],
            environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 }, input: input,
            directory: directory)
    }

    /// The program under test on a terminal, to its end.
    static func runOnTerminal(
        _ arguments: String..., environment: [String: String] = [:], input: String? = nil
    ) throws -> String {
        let program = try onTerminal([GatewayProcess.binary] + arguments, environment: environment, input: input)
        _ = program.waitForEnd(.after(.seconds(60)))
        return program.lines(.output).map { $0.replacing("\r", with: "") + "\n" }.joined()
    }
}
