import Crypto

/// Verifies signatures of SAML documents (SAML-04). Takes milliseconds of CPU time: call it on the computing pool.
///
/// The result is parsed again from exactly the digested bytes, so no other content of a document can reach it. It
/// checks signatures only; `SAMLConditions` checks times, audience and the like.
package enum SAMLVerifier {
    /// Why this program cannot verify SAML, and the remedy; nil if it can.
    package static var obstacle: (problem: String, expected: String)? {
        #if SAML
            XMLSecLibrary.isStarted
                ? nil : ("libxmlsec1 cannot be started", "libxmlsec1-openssl as it belongs to this system")
        #else
            ("this program is built without the trait SAML", "swift build --traits SAML")
        #endif
    }

    package static var isAvailable: Bool { obstacle == nil }

    /// Maximum number of an issuer's certificates that are tried.
    static let maximumKeys = 8

    /// The unverified issuer of a document, for selecting the certificates.
    /// - Parameter xml: an `Assertion`, or a `Response` with one, in UTF-8.
    package static func claimedIssuer(in xml: [UInt8]) throws(SAMLRejection) -> String {
        #if SAML
            let root = try XMLDocument(xml).tree()
            let assertion = root.has("Response", SAMLName.protocol) ? root.children[try onlyAssertion(in: root)] : root
            return try SAMLAssertion.issuer(of: assertion)
        #else
            throw .unavailable
        #endif
    }

    /// The unverified issuer of a document whose root must be an `Assertion`.
    package static func claimedIssuer(ofAssertion xml: [UInt8]) throws(SAMLRejection) -> String {
        #if SAML
            try SAMLAssertion.issuer(of: assertion(XMLDocument(xml).tree()))
        #else
            throw .unavailable
        #endif
    }

    /// Verifies a document whose root is an `Assertion` with its own enveloped signature.
    /// - Parameters:
    ///   - certificates: the issuer's valid certificates; any of them may be the signer.
    ///   - allowsSHA1: whether SHA-1 signatures and digests are accepted.
    package static func assertion(
        in xml: [UInt8], signedBy certificates: [SignerCertificate], allowsSHA1: Bool
    ) throws(SAMLRejection) -> SAMLAssertion {
        #if SAML
            let root = try assertion(XMLDocument(xml).tree())
            let signature = try SAMLSignature.required(of: root, in: root, allowsSHA1: allowsSHA1)
            let signer = Signer(xml: xml, certificates: certificates, allowsSHA1: allowsSHA1)
            return try SAMLAssertion(signer.signed(signature, at: [], of: root))
        #else
            throw .unavailable
        #endif
    }

    /// Verifies a document whose root is a `Response` with exactly one `Assertion`. At least one of the two must be
    /// signed; if both are, both signatures are checked.
    /// - Parameters: as of `assertion(in:signedBy:allowsSHA1:)`.
    package static func response(
        in xml: [UInt8], signedBy certificates: [SignerCertificate], allowsSHA1: Bool
    ) throws(SAMLRejection) -> SAMLResponse {
        #if SAML
            var root = try XMLDocument(xml).tree()
            guard root.has("Response", SAMLName.protocol) else { throw .malformed }
            // After a failed login the response has no assertion, signed or not.
            guard try SAMLResponse.Status(of: root).code == SAMLResponse.Status.success else {
                throw .statusNotSuccess
            }
            let place = try onlyAssertion(in: root)
            let signer = Signer(xml: xml, certificates: certificates, allowsSHA1: allowsSHA1)
            let ofAssertion = try SAMLSignature(of: root.children[place], in: root, allowsSHA1: allowsSHA1)
            let ofResponse = try SAMLSignature(of: root, in: root, allowsSHA1: allowsSHA1)
            guard ofAssertion != nil || ofResponse != nil else { throw .unsigned }
            var assertion: XMLElement?
            if let ofAssertion {
                assertion = try signer.signed(ofAssertion, at: [place], of: root.children[place])
            }
            if let ofResponse { root = try signer.signed(ofResponse, at: [], of: root) }
            let signed: XMLElement
            if let assertion { signed = assertion } else { signed = root.children[try onlyAssertion(in: root)] }
            return try SAMLResponse(root, isSigned: ofResponse != nil, assertion: SAMLAssertion(signed))
        #else
            throw .unavailable
        #endif
    }

    #if SAML
        /// The one assertion of a response, or of a document that is an assertion, as a separate document. It must have
        /// a signature, which is not verified.
        static func signedAssertion(in xml: [UInt8]) throws(SAMLRejection) -> [UInt8] {
            let document = try XMLDocument(xml)
            let root = try document.tree()
            var path: [Int] = []
            var element = root
            if root.has("Response", SAMLName.protocol) {
                path = [try onlyAssertion(in: root)]
                element = root.children[path[0]]
            }
            guard !element.has("EncryptedAssertion", SAMLName.assertion) else { throw .encrypted }
            guard element.has("Assertion", SAMLName.assertion) else { throw .malformed }
            guard !element.children("Signature", SAMLName.signature).isEmpty else { throw .unsigned }
            return path.isEmpty ? xml : document.text(at: path)
        }

        private struct Signer {
            let xml: [UInt8]
            let certificates: [SignerCertificate]
            let allowsSHA1: Bool

            /// The element as signed, without its signature. Each check parses its own document, because it modifies
            /// it, and a signature may cover another one.
            func signed(
                _ signature: SAMLSignature, at path: [Int], of element: XMLElement
            ) throws(SAMLRejection) -> XMLElement {
                let keys = certificates.filter(signature.fits).compactMap(\.key.subjectPublicKeyInfo)
                guard !keys.isEmpty else { throw .unknownKey }
                let document = try XMLDocument(xml)
                for key in keys.prefix(SAMLVerifier.maximumKeys) {
                    let verdict = document.verify(
                        at: path, signature: signature.place, id: (name: "ID", value: signature.id), key: key,
                        allowsSHA1: allowsSHA1)
                    guard case .verified(let bytes) = verdict else { continue }
                    let signed = try XMLDocument(bytes).tree()
                    // The library must have resolved the reference to this element.
                    guard signed.name == element.name, signed.namespace == element.namespace,
                        signed["ID"] == signature.id
                    else { throw .wrongReference }
                    return signed
                }
                throw .badSignature
            }
        }

        private static func assertion(_ root: XMLElement) throws(SAMLRejection) -> XMLElement {
            guard !root.has("Response", SAMLName.protocol) else { throw .responseInsteadOfAssertion }
            guard !root.has("EncryptedAssertion", SAMLName.assertion) else { throw .encrypted }
            guard root.has("Assertion", SAMLName.assertion) else { throw .malformed }
            return root
        }

        /// The index of a response's only assertion among its children.
        private static func onlyAssertion(in response: XMLElement) throws(SAMLRejection) -> Int {
            guard response.children("EncryptedAssertion", SAMLName.assertion).isEmpty else { throw .encrypted }
            let places = response.children.indices.filter {
                response.children[$0].has("Assertion", SAMLName.assertion)
            }
            guard places.count == 1 else { throw .notOneAssertion }
            return places[0]
        }
    #endif
}
