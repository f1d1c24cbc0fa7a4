import Bytes

/// What asks an identity provider to log a user in (`AuthnRequest`, SAML core section 3.4.1, profiles section 4.1.4.1).
struct AuthenticationRequest: Sendable {
    /// What the answer names (`InResponseTo`): of the characters of an NCName, not to be guessed.
    var id: String
    /// Seconds since 1970.
    var issuedAt: Int64
    /// The single sign-on service of the provider.
    var destination: String
    /// Entity id of the gateway.
    var issuer: String
    /// Where the answer is posted to.
    var consumerURL: String
    /// Which names of users are wanted; nil leaves it to the provider.
    var nameIDFormat: String?
    /// How the user is to have logged in, one of these; empty leaves it to the provider.
    var contexts: [String] = []
    /// Whether the user is to log in though the provider knows him already.
    var forcesLogin = false

    /// The document. Whoever signs it does that beside it, by the binding.
    var xml: [UInt8] {
        let force = forcesLogin ? " ForceAuthn=\"true\"" : ""
        var text = """
            <samlp:AuthnRequest xmlns:samlp="\(SAMLNames.protocolSpace)" xmlns:saml="\(SAMLNames.assertionSpace)" \
            ID="\(MarkupText.escaped(id))" Version="2.0" \
            IssueInstant="\(String(decoding: InternetDate.bytes(issuedAt), as: UTF8.self))" \
            Destination="\(MarkupText.escaped(destination))"\(force) ProtocolBinding="\(SAMLNames.postBinding)" \
            AssertionConsumerServiceURL="\(MarkupText.escaped(consumerURL))">\
            <saml:Issuer>\(MarkupText.escaped(issuer))</saml:Issuer>
            """
        if let nameIDFormat {
            text += "<samlp:NameIDPolicy Format=\"\(MarkupText.escaped(nameIDFormat))\" AllowCreate=\"true\"/>"
        }
        if !contexts.isEmpty {
            let classes = contexts.map {
                "<saml:AuthnContextClassRef>\(MarkupText.escaped($0))</saml:AuthnContextClassRef>"
            }
            text +=
                "<samlp:RequestedAuthnContext Comparison=\"exact\">\(classes.joined())</samlp:RequestedAuthnContext>"
        }
        return Array("\(text)</samlp:AuthnRequest>".utf8)
    }
}

/// Names that the specifications give.
enum SAMLNames {
    static let assertionSpace = "urn:oasis:names:tc:SAML:2.0:assertion"
    static let protocolSpace = "urn:oasis:names:tc:SAML:2.0:protocol"
    static let metadataSpace = "urn:oasis:names:tc:SAML:2.0:metadata"
    static let signatureSpace = "http://www.w3.org/2000/09/xmldsig#"
    static let redirectBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
    static let postBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
    static let transientFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
}
