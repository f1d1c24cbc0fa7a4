import Crypto

/// Signatures of SAML documents (SAML-04). It takes milliseconds of a processor, so it is called on the computing pool.
///
/// What is answered is read from the very bytes that were digested, parsed anew: whatever else a document holds, and
/// however it is arranged, cannot get into the answer. It judges signatures alone: times, audience and the like are for
/// `SAMLConditions`.
package enum SAMLVerifier {
    /// Why this program can verify nothing at all, and what would help; nil where it can.
    package static var obstacle: (problem: String, expected: String)? {
        #if SAML
            XMLSecLibrary.isStarted
                ? nil : ("libxmlsec1 cannot be started", "libxmlsec1-openssl as it belongs to this system")
        #else
            ("this program is built without the trait SAML", "swift build --traits SAML")
        #endif
    }

    package static var isAvailable: Bool { obstacle == nil }

    /// How many certificates of an issuer are tried.
    static let maximumKeys = 8

    /// The issuer that a document names, not verified: for finding the certificates that must have signed it.
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

    /// The issuer that a document names whose root must be an `Assertion`, not verified.
    package static func claimedIssuer(ofAssertion xml: [UInt8]) throws(SAMLRejection) -> String {
        #if SAML
            try SAMLAssertion.issuer(of: assertion(XMLDocument(xml).tree()))
        #else
            throw .unavailable
        #endif
    }

    /// A document whose root is an `Assertion` with an enveloped signature of its own.
    /// - Parameters:
    ///   - certificates: of the issuer, those that are valid now; any one of them may have signed.
    ///   - allowsSHA1: whether signatures and digests with SHA-1 are believed.
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

    /// A document whose root is a `Response` with exactly one `Assertion`, of which either is signed; where both are,
    /// both signatures are checked.
    /// - Parameters: as of `assertion(in:signedBy:allowsSHA1:)`.
    package static func response(
        in xml: [UInt8], signedBy certificates: [SignerCertificate], allowsSHA1: Bool
    ) throws(SAMLRejection) -> SAMLResponse {
        #if SAML
            var root = try XMLDocument(xml).tree()
            guard root.has("Response", SAMLName.protocol) else { throw .malformed }
            // Who has failed at the issuer has no assertion, signed or not.
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
        /// The one assertion of a response as a document of its own, or a document that is one. It must have a signature,
        /// which is not verified.
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

            /// The element as it was signed, without its signature. Each signature has the document to itself, since it
            /// is changed on the way, and may hold another one that is signed over.
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
                    // Whatever the library took the reference for, this is what was meant.
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

        /// The place of a response's one assertion among its children.
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
