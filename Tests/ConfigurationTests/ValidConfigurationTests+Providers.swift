import Bytes
import Foundation
import Model
import ServiceDomains
import Testing

@testable import Configuration

/// What the complete fixture says of identity providers.
extension ValidConfigurationTests {
    /// Every member that exists, with a value that is not the default.
    func expectProviders(_ configuration: GatewayConfiguration) throws {
        #expect(configuration.identityProviders.map(\.kind.name) == ["local", "oidc", "oauth2", "saml", "saml"])
        let (staff, social) = (configuration.identityProviders[1], configuration.identityProviders[2])
        let staffFlow = try #require(staff.settings as? CodeFlowEntry)
        let socialFlow = try #require(social.settings as? CodeFlowEntry)
        #expect(
            staffFlow.issuer == "https://login.example.com/staff/" && staffFlow.calls.flow.userInfo == .always
                && !staffFlow.calls.flow.logsOutThere)
        #expect(staffFlow.calls.client.method == .privateKeyJWT && staffFlow.calls.client.keyID == "gateway-1")
        #expect(staffFlow.calls.client.keyFile?.hasSuffix("/complete/keys/staff.pem") == true)
        #expect(
            staff.users.emailRule == .any && !staff.users.identity.virtualUserEnabled
                && staff.users.identity.usernamePrefix == "staff:")
        #expect(
            staffFlow.calls.flow.scopes == ["openid", "groups"] && staffFlow.calls.flow.algorithms == [.es256, .rs256])
        #expect(
            socialFlow.calls.client.method == .secretPost && social.users.emailRule == .notUnverified
                && social.isHTTPAllowed)
        #expect(
            socialFlow.calls.flow.subjectAttribute == "id" && social.users.identity.usernamePrefix == "s-"
                && socialFlow.calls.flow.scopes.isEmpty)
        #expect(
            configuration.allIdentityProviders.map(\.name) == [
                "form", "staff", "social", "corporate", "partner", "Guests", "visitors",
            ])
        try expectSAML(configuration.identityProviders[3], configuration.identityProviders[4])
        let partners = try #require(configuration.serviceDomains.first { $0.name == "Partners" })
        let party = try #require(partners.authentication.relyingParty)
        #expect(party.providers == ["staff"] && party.usernameFromEmail == true && party.exposesToken)
        #expect(partners.applications[0].redirectURIs == ["https://desk.example.com/back?a=b", "desk2://x"])
        let guests = try #require(configuration.serviceDomains.first { $0.name == "Guests" })
        #expect(guests.authentication.relyingParty?.inline.map(\.kind.name) == ["oidc"])
        #expect(guests.authentication.relyingParty?.providers == ["Guests", "form"])
        #expect(configuration.identityProviders.prefix(3).map(\.displayName) == ["Password", "Staff account", nil])
        #expect(configuration.clients[0].identityProviders == ["staff", "form"])
        #expect(staffFlow.decryptionKeys.count == 2 && socialFlow.decryptionKeys.isEmpty)
        try expectTokenKeys(configuration.trustedIssuers)
    }

    /// Keys for encrypted tokens, and authorities of keys that come with tokens.
    private func expectTokenKeys(_ issuers: [TrustedIssuerEntry]) throws {
        #expect(issuers.map(\.encryption) == [.required] + Array(repeating: .optional, count: 6))
        let keys = issuers[0].decryptionKeys
        #expect(keys.map(\.keyID) == ["gateway-enc", nil])
        guard case .file(let path) = keys[0].place, case .secret(let secret) = keys[1].place,
            case .certified(let named) = issuers[1].keys, case .certified(let dedicated) = issuers[6].keys
        else {
            Issue.record("the keys are elsewhere: \(keys)")
            return
        }
        #expect(path.hasSuffix("/complete/keys/key.pem") && secret.value.contains("PRIVATE KEY"))
        #expect(named.authoritiesFile.hasSuffix("/complete/keys/cert.pem") && named.revocationListFile == nil)
        #expect(named.names.map(\.description) == ["dns:tokens.example.com"])
        #expect(dedicated.names.isEmpty && dedicated.revocationListFile?.hasSuffix("/keys/ocsp.der") == true)
    }

    private func expectSAML(_ corporate: IdentityProviderEntry, _ partner: IdentityProviderEntry) throws {
        let saml = try #require(corporate.settings as? SAMLProviderEntry)
        #expect(saml.entityID == "https://idp.example.com/metadata")
        #expect(saml.singleSignOnURL?.description == "https://idp.example.com/sso" && saml.metadataFile == nil)
        #expect(saml.certificateSubjects == ["CN=idp.example.com,O=Example"])
        #expect(saml.certificateFile?.hasSuffix("/complete/keys/cert.pem") == true)
        #expect(saml.ownEntityID == "urn:example:gateway")
        #expect(saml.login.nameIDFormat == "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent")
        #expect(saml.login.authnContexts == ["urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"])
        #expect(saml.login.forcesLogin && saml.login.allowsSHA1 && saml.signingAlgorithm == .es256)
        #expect(saml.signingKeyFile?.hasSuffix("key.pem") == true)
        #expect(saml.signingCertificateFile?.hasSuffix("cert.pem") == true)
        #expect(corporate.clockSkew == .seconds(30) && corporate.users.identity.usernameSources == ["mail"])
        #expect(corporate.users.emailRule == .notUnverified && corporate.users.identity.usernamePrefix == "corporate:")
        let plain = try #require(partner.settings as? SAMLProviderEntry)
        #expect(plain.metadataFile?.hasSuffix("/complete/keys/partner.xml") == true && plain.entityID == nil)
        #expect(plain.signingKeyFile == nil && plain.signingAlgorithm == .rs256 && !plain.login.allowsSHA1)
    }
}
