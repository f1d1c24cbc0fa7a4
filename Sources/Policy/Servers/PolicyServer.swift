import Crypto
import Model
import Outbound

/// A policy server and how it is reached.
package struct PolicyServer: Sendable {
    /// Name of the configuration entry.
    package var name: String
    package var url: WebURL
    package var rules: PolicyServerRules
    package var transport: OutboundTransport
    /// Value of `Authorization` with which the gateway authenticates; nil for none.
    package var authorization: String?

    package init(
        name: String, url: WebURL, rules: PolicyServerRules = PolicyServerRules(),
        transport: OutboundTransport = OutboundTransport(), authorization: String? = nil
    ) {
        self.name = name
        self.url = url
        self.rules = rules
        self.transport = transport
        self.authorization = authorization
    }

    /// Longest answer that is read.
    static let maximumBytes = 65_536

    /// The call that asks a question. A question changes nothing at the server, so that it may be repeated.
    func call(_ question: PolicyQuestion) -> OutboundCall {
        var headers = authorization.map { [(name: "Authorization", value: $0)] } ?? []
        var call: OutboundCall
        switch rules.format {
        case .opa:
            headers += [
                (name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json"),
            ]
            call = transport.call(
                "POST", url, headers: headers, body: question.document, maximumBytes: Self.maximumBytes)
        case .http:
            headers += question.fields
            call = transport.call("GET", url, headers: headers, maximumBytes: Self.maximumBytes)
        }
        call.mayRepeat = true
        return call
    }
}
