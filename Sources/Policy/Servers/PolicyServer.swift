import Bytes
import Model
import Outbound

/// A policy server and how it is reached.
package struct PolicyServer: Sendable {
    /// Name of the configuration entry.
    package var name: String
    package var url: WebURL
    package let rules: PolicyServerRules
    /// That of the rules.
    private let format: any AskedFormat.Type
    package var transport: OutboundTransport
    /// Value of `Authorization` with which the gateway authenticates; nil for none.
    package var authorization: String?

    package init(
        name: String, url: WebURL, rules: PolicyServerRules = PolicyServerRules(),
        transport: OutboundTransport = OutboundTransport(), authorization: String? = nil
    ) {
        self.name = name
        self.url = url
        guard let format = rules.format as? any AskedFormat.Type else {
            preconditionFailure("nothing asks by the format \(rules.format.name)")
        }
        (self.rules, self.format) = (rules, format)
        self.transport = transport
        self.authorization = authorization
    }

    /// Longest answer that is read.
    static let maximumBytes = 65_536

    /// The call that asks a question. A question changes nothing at the server, so that it may be repeated.
    func call(_ question: PolicyQuestion) -> OutboundCall {
        let headers = authorization.map { [(name: "Authorization", value: $0)] } ?? []
        var call = format.call(to: self, question, headers: headers)
        call.mayRepeat = true
        return call
    }

    /// Fields of calls with a document that get one.
    static let documentTypes = [
        (name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json"),
    ]
    /// A field of the call that the answer repeats if it has it.
    static let requestIDField = "X-Request-ID"

    /// Whether a request has the variables that the question names: without one it would be about another resource.
    func canAsk(about request: PolicyRequest) -> Bool {
        rules.evaluations.allSatisfy { evaluation in
            evaluation.variableNames.allSatisfy { name in request.variables.contains { $0.name == name } }
        }
    }

    /// Reads what the server says.
    func answer(in response: OutboundResponse, to call: OutboundCall) -> PolicyAnswer {
        if response.status == 200,
            let id = call.headers.first(where: { $0.name == PolicyServer.requestIDField })?.value,
            !response.values(of: PolicyServer.requestIDField).allSatisfy({ $0.isExactly(id) })
        {
            return PolicyAnswer.failed("request_id", isOutage: false, rules.onFailure)
        }
        var answer = format.answer(in: response, rules)
        answer.maximumAge = PolicyAnswer.maximumAge(response)
        return answer
    }
}

/// A form of questions that servers are asked by.
protocol AskedFormat: PolicyFormat {
    /// - Parameter headers: those that each call has.
    static func call(
        to server: PolicyServer, _ question: PolicyQuestion, headers: [(name: String, value: String)]
    ) -> OutboundCall
    static func answer(in response: OutboundResponse, _ rules: PolicyServerRules) -> PolicyAnswer
}
