import Bytes
import Gateway
import HTTP
import Model

/// `portcullis why`: why a running gateway has refused a request.
enum WhyCommand: Command {
    static let name = "why"
    static let summary = "show why a running gateway has refused a request"
    static let help = """
        usage: portcullis why REQUEST_ID --admin URL [--admin-token-file FILE]
               portcullis why REQUEST_ID --config DIR [--admin-token-file FILE]

        Prints the step that refused the request, the reason code and the values that were compared, as
        `portcullis explain` does. The id is in the response (`X-Request-Id`), on error pages and in the access log. If
        several refused requests have the id, the latest comes first.

        The gateway remembers its last refusals, \(RefusalMemory.mostRefusals) at most, until it ends. The access log has older ones.

        \(RunningGateway.help)
        \(RunningGateway.tokenHelp)

        exit status: 0 found, 1 not remembered, or the gateway is unreachable

        example: portcullis why 018f6f6e2c9a4d1b --config /etc/portcullis
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        let id = arguments.positional[0]
        guard !id.isEmpty else { throw .misuse("expected a request id") }
        let client = try RunningGateway.client(arguments, needsToken: true)
        let answer = try AdminTarget.gateway(client).perform(.command(.get, ["refusals", id]), consequence: "")
        guard let refusals = answer?.array, !refusals.isEmpty else { throw .notAnAdminListener(200) }
        for refusal in refusals {
            for line in lines(of: refusal) { Terminal.print(line) }
        }
    }

    private static func lines(of refusal: JSONNode) -> [String] {
        func text(_ name: String) -> String { refusal[name]?.string ?? "" }
        var request = "\(text("time")) \(text("method")) \(Evidence.quoted(text("path")))"
        let origin = [("from", "client_ip"), ("route", "route"), ("subject", "subject"), ("issuer", "issuer")]
        for (word, name) in origin where refusal[name] != nil {
            request += ", \(word) \(Evidence.quoted(text(name)))"
        }
        return [request]
            + Explanation.lines(
                of: text("reason"), text("detail"), at: text("step"), status: Int(refusal["status"]?.integer ?? 0))
    }
}
