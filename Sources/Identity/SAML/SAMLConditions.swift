/// What must hold of an assertion here and now (SAML-05, SAML-06). Pure: time is an argument.
package struct SAMLConditions: Sendable, Equatable {
    /// By how many seconds the issuer's clock may differ from ours, where nothing else is said.
    package static let clockSkew: Int64 = 60

    /// Each audience restriction must name one of these, compared byte by byte.
    package var audiences: [String]
    /// What `Recipient` may be, where the confirmation has one.
    package var recipients: [String]
    /// Whether a confirmation must have a `Recipient` and a `NotOnOrAfter` (profiles section 4.1.4.2), which browser
    /// logins need and packed assertions may do without.
    package var requiresRecipient: Bool
    /// The request that the confirmation must be an answer to; nil for any, and for none.
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

    /// Refuses an assertion that may not be used.
    /// - Parameter now: seconds since 1970.
    /// - Returns: the second from which on it may not be used any more, without the skew.
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

    /// SAML-05: an assertion that is for everybody is for nobody.
    private func checkAudience(_ assertion: SAMLAssertion) throws(SAMLRejection) {
        guard !assertion.audienceRestrictions.isEmpty else { throw .missingAudience }
        let isMet = assertion.audienceRestrictions.allSatisfy { named in
            named.contains { name in audiences.contains { $0.utf8.elementsEqual(name.utf8) } }
        }
        guard isMet else { throw .wrongAudience }
    }

    /// The first bearer confirmation that holds; else what is wrong with the last one.
    private func confirmation(
        of assertion: SAMLAssertion, now: Int64
    ) throws(SAMLRejection) -> SAMLAssertion.Confirmation {
        var rejection = SAMLRejection.notConfirmed
        for confirmation in assertion.confirmations
        where confirmation.method.utf8.elementsEqual(SAMLAssertion.Confirmation.bearer.utf8) {
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
            guard recipients.contains(where: { $0.utf8.elementsEqual(recipient.utf8) }) else { throw .wrongRecipient }
        }
        if let inResponseTo {
            guard let answered = confirmation.inResponseTo, answered.utf8.elementsEqual(inResponseTo.utf8) else {
                throw .notConfirmed
            }
        }
    }
}
