import Identity
import Model
import Outbound

/// The servers that a rule names, in its order, each of which must allow a request.
package struct PolicyServers: Sendable {
    package let askers: [PolicyAsker]
    /// The places of the claims in the input of each, scopes first.
    private let claims: [[Int?]]

    package var isEmpty: Bool { askers.isEmpty }
    /// Request fields in the input of any of them.
    package var inputHeaders: [String] { askers.flatMap(\.server.rules.inputHeaders) }
    /// Fields for the upstream.
    package var answerHeaders: [String] { askers.flatMap(\.server.rules.answerHeaders) }

    /// - Parameter names: of servers; those that are not in `askers` are left out.
    init(_ names: [String], of askers: [PolicyAsker], _ selection: ClaimSelection) {
        self.askers = names.compactMap { name in askers.first { $0.server.name == name } }
        claims = self.askers.map { (PolicyQuestion.scopeClaims + $0.server.rules.claims).map(selection.index) }
    }

    /// Asks the servers until one refuses.
    ///
    /// - Returns: the answer that refuses, otherwise the last one, with the fields of all.
    package func ask(_ request: PolicyRequest, _ principal: Principal?, _ route: Route) -> Effect<PolicyAnswer> {
        ask(from: 0, request, principal, route, [])
    }

    private func ask(
        from place: Int, _ request: PolicyRequest, _ principal: Principal?, _ route: Route, _ fields: [UInt8]
    ) -> Effect<PolicyAnswer> {
        guard place < askers.count else { return .done(PolicyAnswer(outcome: .allowed, fields: fields)) }
        let asker = askers[place]
        guard asker.server.canAsk(about: request) else {
            return .done(asker.named(PolicyAnswer(outcome: .denied, denial: .policyInputInvalid)))
        }
        let question = PolicyQuestion(asker.server, request, principal, route, claims: claims[place])
        return asker.ask(question).then { [self] answer in
            var answer = answer
            answer.fields = fields + answer.fields
            guard answer.denial == nil, place + 1 < askers.count else { return .done(answer) }
            return ask(from: place + 1, request, principal, route, answer.fields)
        }
    }
}
