import Bytes
import Model

/// Conditions for accepting an assertion (SAML-05, SAML-06). Pure: time is an argument.
package struct SAMLConditions: Sendable, Equatable {
    /// Default for the allowed clock difference, in seconds.
    package static let clockSkew: Int64 = 60

    /// Each audience restriction must name one of these, compared byte by byte.
    package var audiences: [String]
    /// Accepted values of `Recipient`, if present.
    package var recipients: [String]
    /// Whether a confirmation must have `Recipient` and `NotOnOrAfter` (profiles section 4.1.4.2). Required for browser
    /// logins, optional for packed assertions.
    package var requiresRecipient: Bool
    /// The request that the confirmation must answer; nil accepts any or none.
    package var inResponseTo: String?
    package var clockSkewSeconds = SAMLConditions.clockSkew

    package init(
        audiences: [String], recipients: [String], requiresRecipient: Bool = false, inResponseTo: String? = nil
    ) {
        self.audiences = audiences
        self.recipients = recipients
        self.requiresRecipient = requiresRecipient
        self.inResponseTo = inResponseTo
    }

    /// Refuses an unusable assertion.
    /// - Parameter now: seconds since 1970.
    /// - Returns: the first second at which it has expired, without the skew.
    package func check(_ assertion: SAMLAssertion, now: Int64) throws(SAMLRejection) -> Int64 {
        guard !assertion.hasUnknownCondition else { throw .unknownCondition }
        if let start = assertion.notBefore, start > now + clockSkewSeconds { throw .notYetValid }
        if let end = assertion.notOnOrAfter, end + clockSkewSeconds <= now { throw .expired }
        try checkAudience(assertion)
        let confirmed = try confirmation(of: assertion, now: now)
        let ends = [assertion.notOnOrAfter, confirmed.notOnOrAfter].compactMap(\.self)
        guard let end = ends.min() else { throw .missingExpiry }
        return end
    }

    /// What the check of an assertion compares, for operators.
    package func evidence(on assertion: SAMLAssertion, now: Int64) -> Evidence {
        func age(_ name: String, _ time: Int64?) -> String? {
            time.map { $0 <= now ? "\(name) \(now - $0) s ago" : "\(name) \($0 - now) s ahead" }
        }
        let named = Array(assertion.audienceRestrictions.joined())
        let recipient = assertion.confirmations.compactMap(\.recipient)
        var lines = [
            "audience \(Evidence.list(named)), accepted \(Evidence.list(audiences))",
            "recipient \(Evidence.list(recipient)), accepted \(Evidence.list(recipients))",
        ]
        let ends = [assertion.notOnOrAfter] + assertion.confirmations.map(\.notOnOrAfter)
        let starts = [assertion.notBefore] + assertion.confirmations.map(\.notBefore)
        lines += ends.compactMap { age("NotOnOrAfter", $0) } + starts.compactMap { age("NotBefore", $0) }
        return Evidence(lines + ["tolerance \(clockSkewSeconds) s"])
    }

    /// SAML-05: an assertion without an audience is refused.
    private func checkAudience(_ assertion: SAMLAssertion) throws(SAMLRejection) {
        guard !assertion.audienceRestrictions.isEmpty else { throw .missingAudience }
        let isMet = assertion.audienceRestrictions.allSatisfy { named in
            named.contains { name in audiences.contains { $0.isExactly(name) } }
        }
        guard isMet else { throw .wrongAudience }
    }

    /// The first valid bearer confirmation; otherwise throws the error of the last one.
    private func confirmation(
        of assertion: SAMLAssertion, now: Int64
    ) throws(SAMLRejection) -> SAMLAssertion.Confirmation {
        var rejection = SAMLRejection.notConfirmed
        for confirmation in assertion.confirmations
        where confirmation.method.isExactly(SAMLAssertion.Confirmation.bearer) {
            do throws(SAMLRejection) {
                try check(confirmation, now: now)
                return confirmation
            } catch {
                rejection = error
            }
        }
        throw rejection
    }

    private func check(_ confirmation: SAMLAssertion.Confirmation, now: Int64) throws(SAMLRejection) {
        if let start = confirmation.notBefore, start > now + clockSkewSeconds { throw .notYetValid }
        if let end = confirmation.notOnOrAfter, end + clockSkewSeconds <= now { throw .expired }
        if requiresRecipient {
            guard confirmation.notOnOrAfter != nil else { throw .missingExpiry }
            guard confirmation.recipient != nil else { throw .wrongRecipient }
        }
        if let recipient = confirmation.recipient {
            guard recipients.contains(where: { $0.isExactly(recipient) }) else { throw .wrongRecipient }
        }
        if let inResponseTo {
            guard let answered = confirmation.inResponseTo, answered.isExactly(inResponseTo) else {
                throw .notConfirmed
            }
        }
    }
}
