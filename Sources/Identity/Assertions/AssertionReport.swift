import Bytes
import JOSE
import Model

/// The result of every check of a token, including those after a failed one. Helps an operator find why a token is
/// refused (JWT-41).
package struct AssertionReport: Sendable {
    package enum Verdict: Sendable, Equatable {
        case passed(String)
        case failed(AssertionRejection, String)
    }

    package private(set) var lines: [(step: String, verdict: Verdict)] = []

    /// Whether the token would be exchanged.
    package var isAccepted: Bool {
        lines.allSatisfy {
            if case .passed = $0.verdict { true } else { false }
        }
    }

    /// - Parameter failed: the detail of a failure; nil for the same.
    mutating func add(
        _ step: String, _ detail: String, failed: String? = nil, _ check: () throws(AssertionRejection) -> String?
    ) {
        do throws(AssertionRejection) {
            lines.append((step, .passed(try check() ?? detail)))
        } catch {
            lines.append((step, .failed(error, failed ?? detail)))
        }
    }
}

extension AssertionVerifier {
    /// Runs all checks on a token of this issuer.
    /// - Parameters:
    ///   - realm: of a client; nil searches all realms.
    ///   - lifetime: the environment's settings.
    package func report(
        _ assertion: Assertion, realm: String?, lifetime: TokenLifetime, now: Int64
    ) -> AssertionReport {
        var report = AssertionReport()
        report.add("issuer", issuer.name) { () throws(AssertionRejection) in
            guard issuer.isEnabled else { throw .disabledIssuer }
            return nil
        }
        let received = assertion.received
        let evidence = TokenEvidence(assertion.token.span)
        let rules = issuer.tokenRules(keys: assertion.keys)
        func compared(_ checks: TokenEvidence.Check...) -> String {
            checks.flatMap { evidence.lines($0, rules, now: now) }.joined(separator: "; ")
        }
        let key = "\(received.algorithm.rawValue), kid \(received.keyID ?? "none")"
        let parts: [(String, Check, passed: String, failed: String)] = [
            ("signature", .signature, key, compared(.algorithm, .key)),
            ("purpose", .purpose, "typ \(received.type ?? "none")", compared(.type, .binding)),
            ("time", .time, times(received, now: now), compared(.expiry, .start)),
            ("audience", .audience, issuer.audiences.joined(separator: " or "), compared(.audience)),
        ]
        let filters = issuer.filters.indices.map {
            ("filter \($0 + 1)", Check.filter($0), issuer.filters[$0].description, issuer.filters[$0].description)
        }
        for (name, check, passed, failed) in parts + filters {
            report.add(name, passed, failed: failed) { () throws(AssertionRejection) in
                try self.check(check, assertion, now: now)
                return nil
            }
        }
        reportUser(assertion, realm: realm, &report)
        if let remaining = received.expiresAt.map({ $0 - now }), remaining > 0 {
            let seconds = issuer.lifetime.effective(
                lifetime, remaining: remaining, standard: TokenLifetime.ofTokenEndpoint)
            report.add("lifetime", "\(seconds) s") { () throws(AssertionRejection) in nil }
        }
        return report
    }

    private func reportUser(_ assertion: Assertion, realm: String?, _ report: inout AssertionReport) {
        let claims = assertion.received.claims
        let rules = issuer.rules
        var name: String?
        report.add("username", "claim \(rules.usernameSources.first?.path.text ?? "sub or prn")") {
            () throws(AssertionRejection) in
            name = try rejecting { () throws(ExternalIdentityRejection) in try rules.username(in: claims) }
            return name
        }
        guard let name else { return }
        report.add("client id check", rules.clientIDAttribute.map { "claim \($0)" } ?? "not configured") {
            () throws(AssertionRejection) in
            try rejecting { () throws(ExternalIdentityRejection) in try rules.checkClient(name, claims) }
            return nil
        }
        var identity: ExternalIdentity?
        report.add("mapping", realm.map { "realm \($0)" } ?? "any realm") { () throws(AssertionRejection) in
            identity = try self.identity(assertion, realm: realm)
            return identity.map { $0.virtual ? "virtual user" : "local user \($0.username)" }
        }
        guard let identity else { return }
        let roles = roleNames(identity.roles).joined(separator: ", ")
        report.add("roles", roles.isEmpty ? "none" : roles) { () throws(AssertionRejection) in nil }
    }

    private func times(_ received: ReceivedToken, now: Int64) -> String {
        guard let expiresAt = received.expiresAt else { return "no exp" }
        return expiresAt > now ? "expires in \(expiresAt - now) s" : "expired \(now - expiresAt) s ago"
    }

    private func rejecting<Value>(
        _ body: () throws(ExternalIdentityRejection) -> Value
    ) throws(AssertionRejection) -> Value {
        do throws(ExternalIdentityRejection) { return try body() } catch { throw AssertionRejection(error) }
    }
}
