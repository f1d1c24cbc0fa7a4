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
            <samlp:AuthnRequest xmlns:samlp="\(SAMLName.protocol)" xmlns:saml="\(SAMLName.assertion)" \
            ID="\(MarkupText.escaped(id))" Version="2.0" \
            IssueInstant="\(String(decoding: InternetDate.bytes(issuedAt), as: UTF8.self))" \
            Destination="\(MarkupText.escaped(destination))"\(force) ProtocolBinding="\(SAMLName.postBinding)" \
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

extension SAMLName {
    /// Namespace of metadata (SAML metadata section 1.1).
    static let metadata = "urn:oasis:names:tc:SAML:2.0:metadata"
    /// Bindings (SAML bindings sections 3.4.1, 3.5.1).
    static let redirectBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
    static let postBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
    /// Names that are others at every login (SAML core section 8.3.8).
    static let transientFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
}
