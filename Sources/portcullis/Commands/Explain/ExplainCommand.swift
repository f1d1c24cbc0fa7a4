import Configuration
import Foundation
import Model
import Reactor

/// `portcullis explain`: what the configuration makes of a request, and why.
enum ExplainCommand: Command {
    static let name = "explain"
    static let summary = "say what a configuration makes of a request, and why"
    static let help = """
        usage: portcullis explain METHOD PATH --config DIR [--host NAME] [--token-file FILE] [--headers FILE] [--plain]

        Decides about a request as a gateway with the configuration in DIR would, and prints each question on the way with
        its answer: the path, the route or endpoint, the cross-site rules, limits, the credential, what the route asks for,
        the token for the upstream. The code of a refusal is that of the log and the metrics; callers are told less. No
        gateway need run. Keys of outside issuers and opaque tokens are asked for where they are kept.

        --host        of the request; that of baseUrl by default
        --token-file  a file with the bearer token, "-" for standard input
        --headers     a file with the request's other header fields, a line each
        --plain       the client's connection is not encrypted

        What only a running gateway knows is not looked at: revocations, sessions of its store, how many requests have come,
        addresses, and the certificates of clients. A "?" stands before what depends on it.

        exit status: 0 the request is let in, led to a login form, or answered by the gateway itself; 1 it is refused
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(
            arguments, options: ["--config", "--host", "--token-file", "--headers"], flags: ["--plain"])
        guard let directory = arguments["--config"] else { throw .misuse("--config DIR is missing") }
        guard arguments.positional.count == 2 else {
            throw .misuse("a method and a path are explained: explain METHOD PATH --config DIR")
        }
        let reading = try Assembly.read(directory, makesKeys: false)
        let own = reading.configuration.baseURL.host
        var lines = ["Host: \(arguments["--host"] ?? (own.contains(":") ? "[\(own)]" : own))"]
        if let file = arguments["--token-file"] {
            lines.append("Authorization: Bearer \(try text(file).trimmingCharacters(in: .whitespacesAndNewlines))")
        }
        if let file = arguments["--headers"] {
            lines += try text(file).split(whereSeparator: \.isNewline).map(String.init)
        }
        let start = "\(arguments.positional[0]) \(arguments.positional[1]) HTTP/1.1"
        let request = Array((([start] + lines).joined(separator: "\r\n") + "\r\n\r\n").utf8)
        let calls = try OutsideCalls(reading)
        defer { calls.end() }
        let explanation = Explanation(request, reading, isEncrypted: !arguments.has("--plain"))
        for line in explanation.lines { Terminal.print(line) }
        if explanation.isRefused { throw .failed }
    }

    private static func text(_ file: String) throws(ExitStatus) -> String {
        // It may be a pipe.
        let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        guard let data = (try? handle?.readToEnd()) ?? (handle == nil ? nil : Data()),
            let text = String(data: data, encoding: .utf8)
        else {
            Terminal.printError("portcullis: \(file) cannot be read")
            throw .failed
        }
        return text
    }
}
