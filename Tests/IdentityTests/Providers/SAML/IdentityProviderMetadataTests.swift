import Bytes
import Crypto
import Testing

@testable import Identity

/// What a provider says of itself (SAML metadata section 2.4.3).
@Suite(.enabled(if: SAMLVerifier.isAvailable, "built without SAML")) struct IdentityProviderMetadataTests {
    private static let space = """
        xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"
        """

    private static func key(_ text: String, use: String? = "signing") -> String {
        let use = use.map { " use=\"\($0)\"" } ?? ""
        return """
            <md:KeyDescriptor\(use)><ds:KeyInfo><ds:X509Data><ds:X509Certificate>
            \(text)</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
            """
    }

    private static func service(_ binding: String, _ location: String) -> String {
        "<md:SingleSignOnService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:\(binding)\" Location=\"\(location)\"/>"
    }

    private static func entity(_ name: String, _ parts: String, root: Bool = false) -> String {
        """
        <md:EntityDescriptor \(root ? space : "") entityID="\(name)"><md:IDPSSODescriptor \
        protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">\(parts)</md:IDPSSODescriptor>\
        </md:EntityDescriptor>
        """
    }

    private func read(
        _ text: String, _ entityID: String? = nil
    ) -> Result<IdentityProviderMetadata, IdentityProviderMetadata.Problem> {
        Result { () throws(IdentityProviderMetadata.Problem) in
            try IdentityProviderMetadata(Array(text.utf8), entityID: entityID)
        }
    }

    @Test("entity id, redirect URL and signing certificates in PEM form are read")
    func one() throws {
        let parts =
            Self.key("QUFB\n  QkJC") + Self.key("Q0ND", use: nil) + Self.key("RERE", use: "encryption")
            + Self.service("HTTP-POST", "https://idp/post") + Self.service("HTTP-Redirect", "https://idp/redirect?a=b")
        let metadata = try read(Self.entity("https://idp", parts, root: true)).get()
        #expect(metadata.entityID == "https://idp" && metadata.singleSignOn == "https://idp/redirect?a=b")
        #expect(
            metadata.certificates.map { String(decoding: $0, as: UTF8.self) } == [
                "-----BEGIN CERTIFICATE-----\nQUFBQkJC\n-----END CERTIFICATE-----\n",
                "-----BEGIN CERTIFICATE-----\nQ0ND\n-----END CERTIFICATE-----\n",
            ])
    }

    @Test("of several providers the named one is used")
    func several() throws {
        let redirect = Self.service("HTTP-Redirect", "https://a/sso")
        let all = """
            <md:EntitiesDescriptor \(Self.space)><md:EntitiesDescriptor>\(Self.entity("a", redirect))\
            </md:EntitiesDescriptor>\(Self.entity("b", Self.service("HTTP-POST", "https://b/post")))</md:EntitiesDescriptor>
            """
        #expect(read(all) == .failure(.severalEntities))
        #expect(try read(all, "a").get().singleSignOn == "https://a/sso")
        #expect(try read(all, "b").get() == IdentityProviderMetadata(entityID: "b", singleSignOn: "", certificates: []))
        #expect(read(all, "c") == .failure(.wrongEntity))
    }

    @Test("invalid metadata is refused")
    func malformed() {
        for text in ["", "<a/>", "<md:EntityDescriptor", "<!DOCTYPE a><a/>", "{}"] {
            #expect(read(text) == .failure(.malformed), "\(text)")
        }
        let service = "<md:EntityDescriptor \(Self.space) entityID=\"x\"><md:SPSSODescriptor/></md:EntityDescriptor>"
        #expect(read(service) == .failure(.wrongEntity))
    }
}
