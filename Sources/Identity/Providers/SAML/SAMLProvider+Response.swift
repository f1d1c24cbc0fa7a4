import Bytes
import Crypto
import Model
import Outbound

/// Verifies answers posted by browsers (SAML bindings section 3.5, profiles section 4.1.4.3). Only what the provider
/// signed counts, for this gateway, about a login that the gateway requested.
extension SAMLProvider {
    /// Longest id of a request or an assertion, in bytes.
    private static let longestID = 256

    package func read(_ form: ProviderForm, now: Int64) -> Effect<Result<PostedIdentity, ProviderFailure>> {
        settings.certificates.valid(now: now).then { certificates in
            // Signature checks take milliseconds.
            .offload { [self] in
                .done(Result { () throws(ProviderFailure) in try posted(form, certificates, now: now) })
            }
        }
    }

    private func posted(
        _ form: ProviderForm, _ certificates: [SignerCertificate], now: Int64
    ) throws(ProviderFailure) -> PostedIdentity {
        // Some providers insert line breaks.
        let packed = form.response.utf8.filter { $0 > ASCII.space }
        guard !packed.isEmpty, let xml = Base64.decode(packed.span) else { throw .malformedCallback }
        let response: SAMLResponse
        do throws(SAMLRejection) {
            response = try SAMLVerifier.response(
                in: xml, signedBy: certificates, allowsSHA1: settings.login.allowsSHA1)
        } catch {
            throw ProviderFailure(error)
        }
        return try judge(response, now: now)
    }

    /// - Parameter response: with a verified signature.
    func judge(_ response: SAMLResponse, now: Int64) throws(ProviderFailure) -> PostedIdentity {
        let assertion = response.assertion
        guard response.status.code.isExactly(SAMLResponse.Status.success) else {
            throw ProviderFailure(SAMLRejection.statusNotSuccess)
        }
        // Prevents mix-up: several providers may share a certificate.
        guard assertion.issuer.isExactly(settings.issuer), response.issuer?.isExactly(settings.issuer) ?? true else {
            throw .foreignAnswer
        }
        // A signed response must have a `Destination` (bindings section 3.5.5.2).
        guard response.destination?.isExactly(settings.consumerURL) ?? !response.isSigned else {
            throw .assertion("destination")
        }
        // The match with this browser's login is checked when the browser presents its cookie.
        guard let requestID = response.inResponseTo, !requestID.isEmpty, requestID.utf8.count <= SAMLProvider.longestID
        else { throw .assertion("unsolicited") }
        guard !assertion.id.isEmpty, assertion.id.utf8.count <= SAMLProvider.longestID else { throw .assertion("ID") }
        // From the confirmation, which is always signed.
        var conditions = SAMLConditions(
            audiences: [settings.entityID], recipients: [settings.consumerURL], requiresRecipient: true,
            inResponseTo: requestID)
        conditions.clockSkewSeconds = settings.clockSkewSeconds
        do throws(SAMLRejection) {
            _ = try conditions.check(assertion, now: now)
        } catch {
            throw ProviderFailure(error)
        }
        try checkLogin(assertion, now: now)
        return PostedIdentity(
            identity: try identity(assertion), requestID: requestID, assertionID: assertion.id)
    }

    /// Checks the authentication statement. Without one, the user may not have logged in at all.
    private func checkLogin(_ assertion: SAMLAssertion, now: Int64) throws(ProviderFailure) {
        guard let instant = assertion.authnInstant else { throw .assertion("AuthnStatement") }
        let skew = settings.clockSkewSeconds
        guard instant <= now + skew else { throw .assertion("AuthnInstant") }
        // A forced login is later than its request, which is no older than its ticket.
        guard !settings.login.forcesLogin || instant >= now - LoginStart.lifetimeSeconds - skew else {
            throw .assertion("AuthnInstant")
        }
        if let end = assertion.sessionNotOnOrAfter, end <= now { throw .assertion("SessionNotOnOrAfter") }
        if !settings.login.authnContexts.isEmpty {
            guard let context = assertion.authnContextClass,
                settings.login.authnContexts.contains(where: context.isExactly)
            else { throw .assertion("AuthnContextClassRef") }
        }
    }

    // MARK: Identity

    private func identity(_ assertion: SAMLAssertion) throws(ProviderFailure) -> ProvidedIdentity {
        guard let subject = assertion.nameID, IDTokenTerms.isSubject(subject.value) else { throw .assertion("NameID") }
        // It changes at every login and identifies no user.
        let isTransient = subject.format?.isExactly(SAMLName.transientFormat) ?? false
        guard !isTransient || !rules.identity.usernameSources.isEmpty else { throw .assertion("transient NameID") }
        return ProvidedIdentity(
            provider: name, subject: subject.value, sessionID: assertion.sessionIndex,
            claims: SAMLProvider.claims(assertion.attributes, subject: subject.value), accessToken: nil,
            authenticatedAt: assertion.authnInstant,
            levels: [assertion.authnContextClass].compactMap(\.self).filter(ProvidedIdentity.isLevel),
            endsAt: assertion.sessionNotOnOrAfter)
    }

    /// The attributes as claims. `sub` is the subject; an attribute of that name is ignored.
    static func claims(_ attributes: [SAMLAssertion.Attribute], subject: String) -> JSONNode {
        let others = attributes.claims.members?.filter { !$0.name.isExactly("sub") } ?? []
        return JSONNode(.object([JSONMember(name: "sub", node: JSONNode(.string(subject)))] + others))
    }
}

extension ProviderFailure {
    /// Maps a rejection of the posted answer, or a status that reports a failed login.
    init(_ rejection: SAMLRejection) {
        switch rejection {
        case .statusNotSuccess: self = .denied(rejection.rawValue)
        case .unavailable: self = .unavailable(rejection.rawValue)
        default: self = .assertion(rejection.rawValue)
        }
    }
}
