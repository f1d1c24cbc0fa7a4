/// The signature algorithms of RFC 7518 section 3.1 and RFC 8037, by their JOSE names. `none` is not one.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// The algorithm of exactly this name of five bytes, or `Ed25519`. Longer texts of unauthenticated callers are not
    /// compared, since Swift's normalisation may take long.
    package init?(named name: String) {
        if name.utf8.elementsEqual(SignatureAlgorithm.fullySpecified.utf8) {
            self = .edDSA
            return
        }
        guard name.utf8.count == 5, let algorithm = SignatureAlgorithm(rawValue: name) else { return nil }
        self = algorithm
    }

    /// EdDSA with the only curve that is supported (RFC 9864 section 2.2).
    private static let fullySpecified = "Ed25519"

    /// The names of an algorithm in JOSE headers and metadata, the one for the gateway's own tokens in front.
    package var names: [String] { self == .edDSA ? [rawValue, SignatureAlgorithm.fullySpecified] : [rawValue] }

    /// The families of algorithms by kind of key.
    package enum Family: Sendable {
        case hmac
        case rsaPKCS1
        case rsaPSS
        case ecdsa
        case edDSA
    }

    package var family: Family {
        switch self {
        case .hs256, .hs384, .hs512: .hmac
        case .rs256, .rs384, .rs512: .rsaPKCS1
        case .ps256, .ps384, .ps512: .rsaPSS
        case .es256, .es384, .es512: .ecdsa
        case .edDSA: .edDSA
        }
    }

    /// Whether signer and verifier share a secret.
    package var isSymmetric: Bool { family == .hmac }

    /// The algorithms that use public keys.
    package static let asymmetric = Set(allCases.filter { !$0.isSymmetric })
}
