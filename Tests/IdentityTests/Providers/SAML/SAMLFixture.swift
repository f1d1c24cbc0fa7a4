import Bytes
import Crypto
import JOSE
import Model

@testable import Identity

/// A SAML provider as the gateway knows it, and what it could have signed.
enum SAMLFixture {
    static let now: Int64 = 1_800_000_000
    static let idp = "https://idp.example/metadata"
    static let entity = "https://gw.example/oauth2/saml/idp/metadata"
    static let consumer = "https://gw.example/oauth2/saml/idp/acs"
    static let secrets = LoginSecrets(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", nonce: "n")
    static let password = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"

    static func settings(_ change: (inout SAMLProvider.Settings) -> Void = { _ in }) throws -> SAMLProvider.Settings {
        var settings = SAMLProvider.Settings(
            name: "idp", issuer: idp, singleSignOn: try WebURL("https://idp.example/sso?tenant=a"),
            entityID: entity, consumerURL: consumer, certificates: SAMLSigners(pinned: []),
            rules: ProviderRules(identity: ExternalIdentityRules(virtualUserEnabled: true)))
        change(&settings)
        return settings
    }

    static func provider(_ change: (inout SAMLProvider.Settings) -> Void = { _ in }) throws -> SAMLProvider {
        SAMLProvider(try settings(change))
    }

    static var request: String { SAMLProvider.requestID(secrets) }

    /// One that is as it should be.
    static func response(_ change: (inout SAMLResponse) -> Void = { _ in }) -> SAMLResponse {
        var assertion = SAMLAssertion(
            id: "_a", issuer: idp, issueInstant: now, nameID: .init(value: "ann", format: "persistent"))
        assertion.confirmations = [
            .init(recipient: consumer, notOnOrAfter: now + 300, inResponseTo: request)
        ]
        assertion.audienceRestrictions = [[entity]]
        assertion.notBefore = now
        assertion.notOnOrAfter = now + 300
        assertion.authnInstant = now
        assertion.authnContextClass = password
        assertion.sessionIndex = "s-1"
        assertion.attributes = [
            .init(name: "mail", values: ["ann@example.com"]), .init(name: "groups", values: ["a", "b"]),
        ]
        var response = SAMLResponse(
            id: "_r", inResponseTo: request, destination: consumer, issuer: idp, assertion: assertion)
        change(&response)
        return response
    }
}
