import Bytes

/// A SAML authentication request (`AuthnRequest`, SAML core section 3.4.1, profiles section 4.1.4.1).
struct AuthenticationRequest: Sendable {
    /// Id that the answer refers to (`InResponseTo`); an unguessable NCName.
    var id: String
    /// Seconds since 1970.
    var issuedAt: Int64
    /// The single sign-on service of the provider.
    var destination: String
    /// Entity id of the gateway.
    var issuer: String
    /// Where the provider posts the answer.
    var consumerURL: String
    /// Requested name format; nil leaves it to the provider.
    var nameIDFormat: String?
    /// Accepted authentication contexts; empty leaves the choice to the provider.
    var contexts: [String] = []
    /// Whether to force a login even with a session at the provider.
    var forcesLogin = false

    /// The document. The binding signs it separately.
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
    /// Names that change at every login (SAML core section 8.3.8).
    static let transientFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
}
