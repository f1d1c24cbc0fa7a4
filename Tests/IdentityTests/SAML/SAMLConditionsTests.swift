import Identity
import Testing

/// What must hold of an assertion here and now (SAML-05, SAML-06).
@Suite struct SAMLConditionsTests {
    private static let now: Int64 = 1_800_000_000
    private static let audience = "https://gw.example.com/mobile/platform/sso/exchange-token"
    private let conditions = SAMLConditions(audiences: [audience, "urn:gateway"], recipients: [audience])

    /// An assertion that is good, changed.
    private func check(
        _ conditions: SAMLConditions? = nil, at now: Int64 = now, _ change: (inout SAMLAssertion) -> Void = { _ in }
    ) throws -> Int64 {
        var assertion = SAMLAssertion(id: "_a", issuer: "i", issueInstant: Self.now, nameID: .init(value: "joe"))
        assertion.notBefore = Self.now
        assertion.notOnOrAfter = Self.now + 600
        assertion.audienceRestrictions = [[Self.audience]]
        assertion.confirmations = [.init()]
        change(&assertion)
        return try (conditions ?? self.conditions).check(assertion, now: now)
    }

    @Test("a valid assertion yields its earliest expiry")
    func good() throws {
        #expect(try check() == Self.now + 600)
        #expect(try check { $0.confirmations[0].notOnOrAfter = Self.now + 60 } == Self.now + 60)
        #expect(
            try check {
                $0.notOnOrAfter = nil
                $0.confirmations[0].notOnOrAfter = Self.now + 60
            } == Self.now + 60)
    }

    @Test("clocks may differ by up to 60 seconds in either direction")
    func times() throws {
        #expect(try check(at: Self.now - 60) == Self.now + 600)
        #expect(throws: SAMLRejection.notYetValid) { try check(at: Self.now - 61) }
        #expect(try check(at: Self.now + 659) == Self.now + 600)
        #expect(throws: SAMLRejection.expired) { try check(at: Self.now + 660) }
        #expect(throws: SAMLRejection.expired) { try check { $0.confirmations[0].notOnOrAfter = Self.now - 60 } }
        #expect(throws: SAMLRejection.notYetValid) { try check { $0.confirmations[0].notBefore = Self.now + 61 } }
        #expect(throws: SAMLRejection.missingExpiry) { try check { $0.notOnOrAfter = nil } }
    }

    @Test("an accepted audience is required")
    func audiences() throws {
        #expect(throws: SAMLRejection.missingAudience) { try check { $0.audienceRestrictions = [] } }
        for wrong in [["https://gw.example.com/mobile/platform/auth/token"], [Self.audience + "/"], [""], []] {
            #expect(throws: SAMLRejection.wrongAudience) { try check { $0.audienceRestrictions = [wrong] } }
        }
        #expect(try check { $0.audienceRestrictions = [["x", "urn:gateway"]] } > 0)
        // Each restriction by itself must let us in.
        #expect(throws: SAMLRejection.wrongAudience) { try check { $0.audienceRestrictions.append(["x"]) } }
        #expect(try check { $0.audienceRestrictions.append(["urn:gateway"]) } > 0)
    }

    @Test("a valid bearer confirmation is required")
    func confirmations() throws {
        #expect(throws: SAMLRejection.notConfirmed) { try check { $0.confirmations = [] } }
        let holder = "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key"
        #expect(throws: SAMLRejection.notConfirmed) { try check { $0.confirmations[0].method = holder } }
        #expect(throws: SAMLRejection.wrongRecipient) { try check { $0.confirmations[0].recipient = "https://x" } }
        #expect(try check { $0.confirmations[0].recipient = Self.audience } > 0)
        // One of several is enough.
        #expect(
            try check {
                $0.confirmations = [.init(method: holder), .init(recipient: "https://x"), .init()]
            } > 0)
    }

    @Test("browser logins require more of a confirmation (profiles section 4.1.4.2)")
    func answers() throws {
        let login = SAMLConditions(
            audiences: [Self.audience], recipients: [Self.audience], requiresRecipient: true, inResponseTo: "_q")
        func good(_ confirmation: inout SAMLAssertion.Confirmation) {
            confirmation.recipient = Self.audience
            confirmation.notOnOrAfter = Self.now + 60
            confirmation.inResponseTo = "_q"
        }
        #expect(try check(login) { good(&$0.confirmations[0]) } == Self.now + 60)
        let changes: [(SAMLRejection, (inout SAMLAssertion.Confirmation) -> Void)] = [
            (.wrongRecipient, { $0.recipient = nil }), (.missingExpiry, { $0.notOnOrAfter = nil }),
            (.notConfirmed, { $0.inResponseTo = nil }), (.notConfirmed, { $0.inResponseTo = "_p" }),
        ]
        for (reason, change) in changes {
            #expect(throws: reason) {
                try check(login) {
                    good(&$0.confirmations[0])
                    change(&$0.confirmations[0])
                }
            }
        }
    }

    @Test("an unknown condition is refused")
    func unknownCondition() {
        #expect(throws: SAMLRejection.unknownCondition) { try check { $0.hasUnknownCondition = true } }
    }
}
