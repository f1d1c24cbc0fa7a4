import Bytes
import Configuration
import Declaration
import Gateway
import Identity
import Model
import Policy
import Simulation

/// `portcullis explain`: how a gateway would handle a request, and why.
enum ExplainCommand: Command {
    static let name = "explain"
    static let summary = "explain how a request would be handled"
    static let help = """
        usage: portcullis explain METHOD PATH --config DIR [--host NAME] [--token-file FILE] [--headers FILE] [--plain]
                                 [--ask-policy] [--record]

        Prints each step of the decision of a gateway with the configuration in DIR: path, route or endpoint, cross-site
        rules, limits, credential, rights, and the token for the upstream. The reason code of a refusal is that of the
        access log and the metrics; callers see less. Needs no running gateway. Fetches the keys that the token needs, and
        introspects opaque tokens.

        --config      the configuration
        --host        host of the request (default: that of baseUrl)
        --token-file  file with the bearer token; "-" reads standard input (default: none)
        --headers     file with further header fields, one per line (default: none)
        --plain       assume a connection without TLS (default: with TLS)
        --ask-policy  ask the policy servers of the route (default: name them only)
        --record      print an expectation for expectations.json instead: the request, and what is decided now

        State of a running gateway is not considered: revocations, stored sessions, request counts, client addresses and
        client certificates. Steps that depend on it begin with "?".

        exit status: 0 forwarded, redirected to a login form, or answered by the gateway; 1 refused

        example: portcullis explain GET /inventory/items --config config
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        guard let directory = arguments["--config"] else { throw .misuse("--config DIR is missing") }
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
        if arguments.has("--record") {
            let token = try arguments["--token-file"].map(text)?.trimming(\.isWhitespace)
            return try record(arguments, fields: lines.dropFirst(), token: token, reading)
        }
        let explanation = Explanation(
            request, reading, isEncrypted: !arguments.has("--plain"),
            asksPolicy: arguments.has("--ask-policy"))
        for line in explanation.lines { Terminal.print(line) }
        if explanation.isRefused { throw .failed }
    }

    private static func record(
        _ arguments: Arguments, fields: some Sequence<String>, token: String?, _ reading: Assembly.Reading
    ) throws(ExitStatus) {
        var request = RequestDescription(
            arguments.positional[0], arguments.positional[1], host: arguments["--host"])
        request.isEncrypted = !arguments.has("--plain")
        request.address = IPAddress("127.0.0.1")
        request.fields = fields.compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimming(\.isWhitespace) }
            let isCredential = ["authorization", "x-api-key", "cookie"].contains(parts[0].lowercased())
            return parts.count == 2 && !isCredential ? (parts[0], parts[1]) : nil
        }
        for line in fields where line.lowercased().hasPrefix("authorization:") && token == nil {
            let value = line.dropFirst("authorization:".count).trimming(\.isWhitespace)
            guard value.lowercased().hasPrefix("basic "),
                let pair = Base64.decode(Array(value.dropFirst(6).utf8).span),
                let colon = pair.firstIndex(of: ASCII.colon)
            else { throw .failure("this credential cannot be recorded: pass a token by --token-file") }
            request.caller = .user(String(decoding: pair[..<colon], as: UTF8.self), backend: nil)
        }
        if let token {
            do throws(Reason) {
                request.caller = try caller(
                    of: token, reading.rules, try Explanation.principal(of: Array(token.utf8), reading.snapshot.policy))
            } catch {
                throw .failure("the token is refused, so that its caller cannot be described: \(error.code)")
            }
        }
        Terminal.print(reading.simulator.recorded(request).onOneLine)
    }

    private static func caller(
        of token: String, _ rules: RuleSet, _ principal: Principal
    ) throws(Reason) -> CallerDescription {
        if principal.method == .apiKey { return .consumer(principal.subject, key: principal.tokenID) }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64.decode(Array(parts[1].utf8).span, .url),
            let claims = try? JSONNode.parse(payload.span)
        else { throw .malformedToken }
        if principal.issuer == Principal.ownIssuer, let client = principal.clientID {
            let scopes = claims["scope"]?.string?.split(separator: " ").map(String.init) ?? []
            return .client(
                rules.reference(ofClient: client), user: principal.kind == .user ? principal.subject : nil,
                scopes: scopes)
        }
        let registered = ["iss", "exp", "iat", "nbf", "jti"]
        let own = (claims.members ?? []).filter { member in !registered.contains { $0.isExactly(member.name) } }
        return .token(issuer: principal.issuer, claims: JSONNode(.object(own)))
    }

    private static func text(_ file: String) throws(ExitStatus) -> String {
        guard let text = String(validating: try FileText.given(file), as: UTF8.self) else {
            throw .failure("\(file) is not UTF-8")
        }
        return text
    }
}
