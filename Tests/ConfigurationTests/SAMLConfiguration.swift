import Configuration
import Testing

/// The SAML providers of the complete configuration.
enum SAMLConfiguration {
    /// Every member that exists, with a value that is not the default; and none but the metadata.
    static func expect(_ corporate: IdentityProviderEntry, _ partner: IdentityProviderEntry) throws {
        let saml = try #require(corporate.saml)
        #expect(saml.entityID == "https://idp.example.com/metadata")
        #expect(saml.singleSignOnURL == "https://idp.example.com/sso" && saml.metadataFile == nil)
        #expect(saml.certificateSubjects == ["CN=idp.example.com,O=Example"])
        #expect(saml.certificateFile?.hasSuffix("/complete/keys/cert.pem") == true)
        #expect(saml.ownEntityID == "urn:example:gateway")
        #expect(saml.nameIDFormat == "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent")
        #expect(saml.contexts == ["urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"])
        #expect(saml.forcesLogin && saml.allowsSHA1 && saml.signingAlgorithm == "ES256")
        #expect(saml.signingKeyFile?.hasSuffix("key.pem") == true)
        #expect(saml.signingCertificateFile?.hasSuffix("cert.pem") == true)
        #expect(corporate.clockSkew == .seconds(30) && corporate.users.usernameAttribute == "mail")
        #expect(corporate.users.emailRule == .notDenied && corporate.users.prefix == "corporate:")
        let plain = try #require(partner.saml)
        #expect(plain.metadataFile?.hasSuffix("/complete/keys/partner.xml") == true && plain.entityID == nil)
        #expect(plain.signingKeyFile == nil && plain.signingAlgorithm == "RS256" && !plain.allowsSHA1)
    }
}
