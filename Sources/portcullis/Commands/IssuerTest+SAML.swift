import Configuration
import Gateway
import Identity
import Model
import OAuthServer
import Reactor

/// `issuer test` of a packed SAML assertion.
extension IssuerTest {
    func runSAML(_ packed: [UInt8], _ sources: AssertionSources) throws(ExitStatus) {
        let xml = try IssuerTest.step("package") { () throws(SAMLRejection) in
            let xml = try PackedAssertion.unpack(packed)
            return (xml, "\(xml.count) bytes")
        }
        let name = try IssuerTest.step("document") { () throws(SAMLRejection) in
            let name = try SAMLVerifier.claimedIssuer(ofAssertion: xml)
            return (name, "of \(name)")
        }
        let policy = sources.currentPolicy
        guard case .issuer(let issuer) = policy.lookup(saml: name) else {
            if case .invalid = policy.lookup(saml: name) {
                throw IssuerTest.failed("issuer", "assertion_issuer_invalid", "`portcullis check` reports the problem")
            }
            throw IssuerTest.failed("issuer", "assertion_issuer_unknown", "no SAML issuer of the name \"\(name)\"")
        }
        var isAccepted = issuer.isEnabled
        Terminal.print(isAccepted ? "ok     issuer: \(name)" : "FAILED issuer: assertion_issuer_disabled (\(name))")
        let now = Clock.wallSeconds
        let assertion = try IssuerTest.step("signature") { () throws(SAMLRejection) in
            let assertion = try issuer.assertion(in: xml, sources.currentCertificates, now: now).get()
            return (assertion, "assertion \(assertion.id)")
        }
        isAccepted = reportConditions(assertion, issuer, policy, now: now) && isAccepted
        isAccepted = reportIdentity(assertion, issuer) && isAccepted
        isAccepted = isAllowed { issuer.allows($0) && $0.httpBasic } && isAccepted
        guard isAccepted else { throw .failed }
    }

    private func reportConditions(
        _ assertion: SAMLAssertion, _ issuer: AssertionIssuer, _ policy: AssertionPolicy, now: Int64
    ) -> Bool {
        let conditions = issuer.samlConditions
        let audiences = assertion.audienceRestrictions.map { $0.joined(separator: " or ") }.joined(separator: ", ")
        let recipients = assertion.confirmations.compactMap(\.recipient).joined(separator: ", ")
        do throws(SAMLRejection) {
            let end = try conditions.check(assertion, now: now)
            let recipient = recipients.isEmpty ? "" : "recipient \(recipients), "
            Terminal.print("ok     conditions: audience \(audiences), \(recipient)expires in \(end - now) s")
            let seconds = issuer.lifetime.effective(
                policy.lifetime, remaining: max(1, end - now), standard: TokenLifetime.ofSSOEndpoint)
            Terminal.print("ok     lifetime: \(seconds) s")
            return true
        } catch {
            let evidence = conditions.evidence(on: assertion, now: now)
            Terminal.print("FAILED conditions: \(error.reason) (\(evidence.text))")
            return false
        }
    }

    private func reportIdentity(_ assertion: SAMLAssertion, _ issuer: AssertionIssuer) -> Bool {
        let catalogue = RoleCatalogue(reading.configuration.roles.names)
        do throws(ExternalIdentityRejection) {
            let identity = try issuer.rules.identify(
                assertion, realm: client?.realm, users: reading.snapshot.tokens.users, catalogue: catalogue)
            let roles = catalogue.names(of: identity.roles).joined(separator: ", ")
            Terminal.print("ok     user: \(identity.username) (\(identity.virtual ? "virtual" : "local"))")
            Terminal.print("ok     roles: \(roles.isEmpty ? "none" : roles)")
            return true
        } catch {
            let source = issuer.rules.usernameSources.first.map { "attribute \($0.path.text)" } ?? "the subject"
            Terminal.print("FAILED user: \(AssertionRejection(error).reason) (by \(source))")
            return false
        }
    }

    private static func step<Value>(
        _ name: String, _ body: () throws(SAMLRejection) -> (Value, String)
    ) throws(ExitStatus) -> Value {
        do throws(SAMLRejection) {
            let (value, detail) = try body()
            Terminal.print("ok     \(name): \(detail)")
            return value
        } catch {
            throw failed(name, "\(error.reason)", "SAML")
        }
    }

    private static func failed(_ step: String, _ reason: String, _ detail: String) -> ExitStatus {
        Terminal.print("FAILED \(step): \(reason) (\(detail))")
        return .failed
    }
}
