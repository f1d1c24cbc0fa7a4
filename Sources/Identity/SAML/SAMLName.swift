/// Names used by SAML and XML signatures.
enum SAMLName {
    /// Namespaces (SAML core section 1.2, XMLDSIG section 1.3).
    static let assertion = "urn:oasis:names:tc:SAML:2.0:assertion"
    static let `protocol` = "urn:oasis:names:tc:SAML:2.0:protocol"
    static let signature = "http://www.w3.org/2000/09/xmldsig#"

    /// Transforms that SAML core section 5.4.4 allows: enveloped signature and exclusive canonicalisation.
    static let enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
    static let exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
    static let exclusiveWithComments = "http://www.w3.org/2001/10/xml-exc-c14n#WithComments"

    /// RFC 9231 section 2: accepted digest and signature algorithms.
    static let digests: Set<String> = [
        "http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmldsig-more#sha384",
        "http://www.w3.org/2001/04/xmlenc#sha512",
    ]
    static let rsaSignatures: Set<String> = [
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
    ]
    static let ellipticSignatures: Set<String> = [
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384",
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512",
    ]

    /// Accepted only with `allowSha1`.
    static let sha1Digest = "http://www.w3.org/2000/09/xmldsig#sha1"
    static let sha1RSASignature = "http://www.w3.org/2000/09/xmldsig#rsa-sha1"
    static let sha1EllipticSignature = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1"
}
