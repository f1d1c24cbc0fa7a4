import Bytes
import Configuration
import Declaration
import Model
import Reactor

/// `portcullis explain`: how a gateway would handle a request, and why.
enum ExplainCommand: Command {
    static let name = "explain"
    static let summary = "explain how a request would be handled"
    static let help = """
        usage: portcullis explain METHOD PATH --config DIR [--host NAME] [--token-file FILE] [--headers FILE] [--plain]
                                 [--ask-policy]

        Prints each step of the decision of a gateway with the configuration in DIR: path, route or endpoint, cross-site
        rules, limits, credential, rights, and the token for the upstream. The reason code of a refusal is that of the
        access log and the metrics; callers see less. Needs no running gateway. Fetches the keys that the token needs, and
        introspects opaque tokens.

        --host        host of the request (default: that of baseUrl)
        --token-file  file with the bearer token; "-" reads standard input (default: none)
        --headers     file with further header fields, one per line (default: none)
        --plain       assume a connection without TLS (default: with TLS)
        --ask-policy  ask the policy servers of the route (default: name them only)

        State of a running gateway is not considered: revocations, stored sessions, request counts, client addresses and
        client certificates. Steps that depend on it begin with "?".

        exit status: 0 forwarded, redirected to a login form, or answered by the gateway; 1 refused

        example: portcullis explain GET /inventory/items --config config
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(
            arguments, options: ["--config", "--host", "--token-file", "--headers"], flags: ["--plain", "--ask-policy"])
        guard let directory = arguments["--config"] else { throw .misuse("--config DIR is missing") }
        guard arguments.positional.count == 2 else {
            throw .misuse("expected a method and a path: explain METHOD PATH --config DIR")
        }
        let reading = try Assembly.read(directory, makesKeys: false)
        let own = reading.configuration.baseURL.host
        var lines = ["Host: \(arguments["--host"] ?? (own.contains(":") ? "[\(own)]" : own))"]
        if let file = arguments["--token-file"] {
            lines.append("Authorization: Bearer \(try text(file).trimming(\.isWhitespace))")
        }
        if let file = arguments["--headers"] {
            lines += try text(file).split(whereSeparator: \.isNewline).map(String.init)
        }
        let start = "\(arguments.positional[0]) \(arguments.positional[1]) HTTP/1.1"
        let request = Array((([start] + lines).joined(separator: "\r\n") + "\r\n\r\n").utf8)
        let calls = try OutsideCalls(reading)
        defer { calls.end() }
        let explanation = Explanation(
            request, reading, isEncrypted: !arguments.has("--plain"),
            asksPolicy: arguments.has("--ask-policy"))
        for line in explanation.lines { Terminal.print(line) }
        if explanation.isRefused { throw .failed }
    }

    private static func text(_ file: String) throws(ExitStatus) -> String {
        guard let text = String(validating: try FileText.given(file), as: UTF8.self) else {
            throw .failure("\(file) is not UTF-8")
        }
        return text
    }
}
