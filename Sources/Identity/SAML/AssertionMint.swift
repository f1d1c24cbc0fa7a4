import Bytes
import Crypto
import Model

/// Makes SAML assertions about users for authorization servers (RFC 7522 section 3). Takes milliseconds of CPU time: use it
/// on the computing pool.
package struct AssertionMint: Sendable {
    /// Algorithms of its signatures, with their names and those of their digests (RFC 9231 section 2).
    private static func names(of algorithm: SignatureAlgorithm) -> (signature: String, digest: String)? {
        let (more, plain) = ("http://www.w3.org/2001/04/xmldsig-more#", "http://www.w3.org/2001/04/xmlenc#")
        return switch algorithm {
        case .rs256: ("\(more)rsa-sha256", "\(plain)sha256")
        case .rs384: ("\(more)rsa-sha384", "\(more)sha384")
        case .rs512: ("\(more)rsa-sha512", "\(plain)sha512")
        case .es256: ("\(more)ecdsa-sha256", "\(plain)sha256")
        case .es384: ("\(more)ecdsa-sha384", "\(more)sha384")
        case .es512: ("\(more)ecdsa-sha512", "\(plain)sha512")
        default: nil
        }
    }

    private let key: SigningKey
    private let names: (signature: String, digest: String)
    private let issuer: String
    private let lifetimeSeconds: Int64
    private let attributes: [SAMLAssertion.Attribute]

    /// Nil for a key of an algorithm that SAML has no name for.
    /// - Parameter attributes: equal in all assertions.
    package init?(key: SigningKey, issuer: String, lifetimeSeconds: Int64, attributes: [SAMLAssertion.Attribute]) {
        guard let names = AssertionMint.names(of: key.algorithm) else { return nil }
        self.key = key
        self.names = names
        self.issuer = issuer
        self.lifetimeSeconds = lifetimeSeconds
        self.attributes = attributes
    }

    /// A signed assertion.
    /// - Parameters:
    ///   - recipient: URL of the token endpoint.
    ///   - now: seconds since 1970.
    package func assertion(
        about subject: String, audience: String, recipient: String, now: Int64
    ) throws(SAMLRejection) -> [UInt8] {
        #if SAML
            let id = "_\(SecureRandom.text(16))"
            let document = try XMLDocument(Array(text(id, subject, audience, recipient, now).utf8))
            // The signature stands behind the issuer.
            guard let signed = document.sign(at: 1, id: id, key: Array(key.pem.utf8)) else { throw .badSignature }
            return signed
        #else
            throw .unavailable
        #endif
    }

    /// The assertion with an empty signature.
    private func text(
        _ id: String, _ subject: String, _ audience: String, _ recipient: String, _ now: Int64
    ) -> String {
        func instant(_ seconds: Int64) -> String { String(decoding: InternetDate.bytes(seconds), as: UTF8.self) }
        func escaped(_ text: String) -> String { MarkupText.escaped(text) }
        let (start, end) = (instant(now), instant(now + lifetimeSeconds))
        let values = attributes.map { attribute in
            let values = attribute.values.map { "<saml:AttributeValue>\(escaped($0))</saml:AttributeValue>" }.joined()
            return "<saml:Attribute Name=\"\(escaped(attribute.name))\">\(values)</saml:Attribute>"
        }.joined()
        return """
            <saml:Assertion xmlns:saml="\(SAMLName.assertion)" ID="\(id)" IssueInstant="\(start)" Version="2.0">\
            <saml:Issuer>\(escaped(issuer))</saml:Issuer>\
            <ds:Signature xmlns:ds="\(SAMLName.signature)"><ds:SignedInfo>\
            <ds:CanonicalizationMethod Algorithm="\(SAMLName.exclusive)"/>\
            <ds:SignatureMethod Algorithm="\(names.signature)"/><ds:Reference URI="#\(id)"><ds:Transforms>\
            <ds:Transform Algorithm="\(SAMLName.enveloped)"/><ds:Transform Algorithm="\(SAMLName.exclusive)"/>\
            </ds:Transforms><ds:DigestMethod Algorithm="\(names.digest)"/><ds:DigestValue/></ds:Reference>\
            </ds:SignedInfo><ds:SignatureValue/></ds:Signature>\
            <saml:Subject><saml:NameID>\(escaped(subject))</saml:NameID>\
            <saml:SubjectConfirmation Method="\(SAMLAssertion.Confirmation.bearer)"><saml:SubjectConfirmationData \
            NotOnOrAfter="\(end)" Recipient="\(escaped(recipient))"/></saml:SubjectConfirmation></saml:Subject>\
            <saml:Conditions NotBefore="\(start)" NotOnOrAfter="\(end)"><saml:AudienceRestriction>\
            <saml:Audience>\(escaped(audience))</saml:Audience></saml:AudienceRestriction></saml:Conditions>\
            <saml:AuthnStatement AuthnInstant="\(start)"><saml:AuthnContext><saml:AuthnContextClassRef>\
            urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified</saml:AuthnContextClassRef></saml:AuthnContext>\
            </saml:AuthnStatement>\
            \(values.isEmpty ? "" : "<saml:AttributeStatement>\(values)</saml:AttributeStatement>")</saml:Assertion>
            """
    }
}
