import Bytes
import Crypto

/// The signature of an element. Before anything is computed, it is checked against the profile of SAML core section
/// 5.4: a direct child of the element, referring to it by its unique id (SAML-04).
struct SAMLSignature: Sendable, Equatable {
    enum KeyType: Sendable {
        case rsa, elliptic
    }

    /// Its index among the children of the signed element.
    let place: Int
    /// The id that the reference names.
    let id: String
    let keyType: KeyType

    /// Nil if the element has no signature of its own.
    /// - Parameters:
    ///   - element: what must be signed.
    ///   - document: the root.
    init?(of element: XMLElement, in document: XMLElement, allowsSHA1: Bool) throws(SAMLRejection) {
        let places = element.children.indices.filter { element.children[$0].has("Signature", SAMLName.signature) }
        guard let place = places.first else { return nil }
        guard places.count == 1 else { throw .malformedSignature }
        self.place = place
        // xmlsec evaluates ids as XPath: characters with a meaning there are refused.
        guard let id = element["ID"], (1...256).contains(id.utf8.count), id.utf8.allSatisfy(SAMLSignature.isInName)
        else { throw .wrongReference }
        self.id = id
        let information = try SAMLSignature.signedInfo(in: element.children[place])
        keyType = try SAMLSignature.keyType(information[1], allowsSHA1: allowsSHA1)
        try SAMLSignature.check(reference: information[2], id: id, allowsSHA1: allowsSHA1)
        var seen: Set<[UInt8]> = []
        guard SAMLSignature.areUnique(document, &seen) else { throw .wrongReference }
    }

    /// The signature of an element that may also be covered by its parent's.
    static func required(
        of element: XMLElement, in document: XMLElement, allowsSHA1: Bool
    ) throws(SAMLRejection) -> SAMLSignature {
        guard let signature = try SAMLSignature(of: element, in: document, allowsSHA1: allowsSHA1) else {
            throw .unsigned
        }
        return signature
    }

    /// The three children of `SignedInfo`: canonicalisation, signature method and the one reference. `Object` and
    /// manifests are refused, because they could contain signed content.
    private static func signedInfo(in signature: XMLElement) throws(SAMLRejection) -> [XMLElement] {
        let names = signature.children.map(\.name)
        guard signature.children.allSatisfy({ $0.namespace == SAMLName.signature }),
            names == ["SignedInfo", "SignatureValue"] || names == ["SignedInfo", "SignatureValue", "KeyInfo"]
        else { throw .malformedSignature }
        let parts = signature.children[0].children
        guard parts.allSatisfy({ $0.namespace == SAMLName.signature }),
            parts.map(\.name) == ["CanonicalizationMethod", "SignatureMethod", "Reference"],
            isExclusive(parts[0]), parts[1].children.isEmpty
        else { throw .malformedSignature }
        return parts
    }

    private static func keyType(_ method: XMLElement, allowsSHA1: Bool) throws(SAMLRejection) -> KeyType {
        let algorithm = method["Algorithm"] ?? ""
        if SAMLName.rsaSignatures.contains(algorithm) { return .rsa }
        if SAMLName.ellipticSignatures.contains(algorithm) { return .elliptic }
        if allowsSHA1, algorithm == SAMLName.sha1RSASignature { return .rsa }
        if allowsSHA1, algorithm == SAMLName.sha1EllipticSignature { return .elliptic }
        throw .unsupportedAlgorithm
    }

    private static func check(reference: XMLElement, id: String, allowsSHA1: Bool) throws(SAMLRejection) {
        guard let uri = reference["URI"], uri.isExactly("#\(id)") else { throw .wrongReference }
        let parts = reference.children
        guard parts.allSatisfy({ $0.namespace == SAMLName.signature }),
            parts.map(\.name) == ["Transforms", "DigestMethod", "DigestValue"], parts[1].children.isEmpty
        else { throw .malformedSignature }
        let transforms = parts[0].children
        guard transforms.count == 2, transforms.allSatisfy({ $0.has("Transform", SAMLName.signature) }),
            transforms[0]["Algorithm"] == SAMLName.enveloped, transforms[0].children.isEmpty,
            isExclusive(transforms[1])
        else { throw .malformedSignature }
        let digest = parts[1]["Algorithm"] ?? ""
        guard SAMLName.digests.contains(digest) || (allowsSHA1 && digest == SAMLName.sha1Digest) else {
            throw .unsupportedAlgorithm
        }
    }

    /// Exclusive canonicalisation, optionally with a list of prefixes.
    private static func isExclusive(_ method: XMLElement) -> Bool {
        let algorithm = method["Algorithm"]
        guard algorithm == SAMLName.exclusive || algorithm == SAMLName.exclusiveWithComments else { return false }
        guard let list = method.children.first else { return true }
        guard method.children.count == 1, list.has("InclusiveNamespaces", SAMLName.exclusive) else { return false }
        return (list["PrefixList"] ?? "").utf8.split { $0 <= 0x20 }.count <= XMLBounds.prefixes
    }

    /// Whether all ids are unique, under any spelling of the attribute's name: another reader may take a different
    /// attribute for the id.
    private static func areUnique(_ element: XMLElement, _ seen: inout Set<[UInt8]>) -> Bool {
        for attribute in element.attributes where attribute.name.utf8.map({ $0 | 0x20 }) == [0x69, 0x64] {
            guard seen.insert(Array(attribute.value.utf8)).inserted else { return false }
        }
        return element.children.allSatisfy { areUnique($0, &seen) }
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    /// Whether a certificate's key is of the signature's type.
    func fits(_ certificate: SignerCertificate) -> Bool {
        switch (certificate.key.kind, keyType) {
        case (.rsa, .rsa), (.elliptic, .elliptic): true
        default: false
        }
    }
}
