import Bytes
import Model

/// What differs between an expectation and what is decided.
package struct Mismatch: Sendable, Equatable {
    /// The member of the expectation.
    package let member: String
    /// What was expected and what came.
    package let text: String
}

extension Simulator {
    /// How the decision about a request differs from what is expected; empty where it does not.
    package func mismatches(_ expectation: Expectation) -> [Mismatch] {
        let verdict = verdict(on: expectation.request)
        var found: [Mismatch] = []
        func compare(_ member: String, _ expected: String?, with actual: String?) {
            guard let expected, actual?.isExactly(expected) != true else { return }
            found.append(Mismatch(member: member, text: "expected \(expected), but \(actual ?? "none")"))
        }
        compare("outcome", expectation.outcome?.rawValue, with: verdict.summary)
        // A summary says more than the outcome, so that it is compared by that alone.
        if expectation.outcome == verdict.outcome { found.removeAll() }
        compare("status", expectation.status.map(String.init), with: verdict.status.map(String.init))
        compare("reason", expectation.reason, with: verdict.reason?.code)
        if let route = expectation.route, verdict.route?.isPart(of: route) != true {
            compare("route", route, with: verdict.route ?? "no route")
        }
        for (name, value) in expectation.identity {
            let actual = verdict.fields.first { $0.name.lowercased() == name.lowercased() }?.value
            if let value {
                compare("identity/\(name)", value, with: actual)
            } else if let actual {
                found.append(Mismatch(member: "identity/\(name)", text: "expected none, but \(actual)"))
            }
        }
        if let tokens = expectation.tokens {
            func text(_ tokens: [(field: String, issuer: String)]) -> String {
                let texts = tokens.map { "\($0.issuer) in \($0.field.lowercased())" }
                return texts.isEmpty ? "none" : texts.sorted().joined(separator: ", ")
            }
            compare("tokens", text(tokens), with: text(verdict.tokens.map { ($0.field, $0.issuer) }))
        }
        return found
    }
}

extension Verdict {
    /// The decision in a few words, such as `refused, 403 role_required`.
    package var summary: String {
        let target = upstream.map { "to \($0)" } ?? endpoint.map { "by \($0)" }
        let condition = policyServers.isEmpty ? nil : "if \(policyServers.joined(separator: " and ")) allows it"
        let detail = [status.map(String.init), reason?.code, target, condition].compactMap(\.self).joined(
            separator: " ")
        return detail.isEmpty ? outcome.rawValue : "\(outcome.rawValue), \(detail)"
    }
}

extension String {
    /// Whether it names an entry, or one of the routes that it has for methods with rules of their own.
    fileprivate func isPart(of entry: String) -> Bool { isExactly(entry) || hasPrefix("\(entry) ") }
}
