import Crypto
import Model
import Outbound

/// A SAML 2.0 identity provider, with the gateway as service provider: the web browser profile with request by redirect
/// and answer by form post (SSO-07, SAML profiles section 4.1). Immutable; used by all threads.
///
/// Unsolicited answers are refused: an attacker could use them to log a victim in as the attacker.
package final class SAMLProvider: BrowserIdentityProvider {
    package struct Settings: Sendable {
        package var name: String
        /// Entity id of the provider, its name as an issuer.
        package var issuer: String
        /// Single sign-on URL of the redirect binding.
        package var singleSignOn: WebURL
        /// Entity id of the gateway; the audience of its assertions.
        package var entityID: String
        /// Where answers are posted; an absolute URL.
        package var consumerURL: String
        /// Trusted signers.
        package var certificates: SAMLSigners
        package var rules: ProviderRules
        /// Signs the requests; nil leaves them unsigned.
        package var signer: SigningKey?
        /// Certificate of `signer`, in PEM form.
        package var signerCertificate: [UInt8]?
        package var login = SAMLLoginSettings()
        package var clockSkewSeconds = SAMLConditions.clockSkew

        package init(
            name: String, issuer: String, singleSignOn: WebURL, entityID: String, consumerURL: String,
            certificates: SAMLSigners, rules: ProviderRules
        ) {
            self.name = name
            self.issuer = issuer
            self.singleSignOn = singleSignOn
            self.entityID = entityID
            self.consumerURL = consumerURL
            self.certificates = certificates
            self.rules = rules
        }
    }

    package var name: String { settings.name }
    package var rules: ProviderRules { settings.rules }
    package var answerFields: AnswerFields? { AnswerFields(answer: "SAMLResponse", state: "RelayState") }

    let settings: Settings

    package init(_ settings: Settings) { self.settings = settings }

    /// Id of a login's request. The challenge is public, but only the holder of the verifier can produce it.
    static func requestID(_ secrets: LoginSecrets) -> String { "_\(secrets.challenge)" }

    package func begin(_ start: LoginStart, now: Int64) -> Effect<Result<LoginRedirect, ProviderFailure>> {
        // Of contexts that are not configured the answer would be refused.
        let wanted = (start.demand?.levels ?? []).filter {
            settings.login.authnContexts.isEmpty || settings.login.authnContexts.contains($0)
        }
        let request = AuthenticationRequest(
            id: SAMLProvider.requestID(start.secrets), issuedAt: now, destination: settings.singleSignOn.description,
            issuer: settings.entityID, consumerURL: start.redirectURI, nameIDFormat: settings.login.nameIDFormat,
            contexts: wanted.isEmpty ? settings.login.authnContexts : wanted,
            forcesLogin: settings.login.forcesLogin || start.forcesLogin || start.demand?.maximumAge != nil)
        let redirect = { @Sendable [settings] () -> Effect<Result<LoginRedirect, ProviderFailure>> in
            let location = RedirectBinding.location(
                request.xml, at: settings.singleSignOn, state: start.state, signer: settings.signer)
            return .done(.success(LoginRedirect(location: location)))
        }
        return settings.signer?.isSlow == true ? .offload(redirect) : redirect()
    }

    package func isAnswer(_ requestID: String, to secrets: LoginSecrets) -> Bool {
        let expected = SAMLProvider.requestID(secrets)
        return constantTimeEqual(Array(expected.utf8).span, Array(requestID.utf8).span)
    }

    package var metadata: (contentType: String, document: [UInt8])? {
        let metadata = ServiceProviderMetadata(
            entityID: settings.entityID, consumerURL: settings.consumerURL, nameIDFormat: settings.login.nameIDFormat,
            certificate: settings.signerCertificate)
        return ("application/samlmetadata+xml", metadata.xml)
    }

    // MARK: Operations of other protocols

    /// SAML has no codes.
    package func finish(
        _ callback: ProviderCallback, _ secrets: LoginSecrets, redirectURI: String, now: Int64
    ) -> Effect<Result<ProvidedIdentity, ProviderFailure>> {
        .done(.failure(.malformedCallback))
    }

    package func logout(_ request: ProviderLogoutRequest, now: Int64) -> Effect<ProviderLogoutForm?> { .done(nil) }

    package func logoutNotice(_ token: [UInt8], now: Int64) -> Effect<Result<LogoutNotice, ProviderFailure>> {
        .done(.failure(.malformedCallback))
    }
}
