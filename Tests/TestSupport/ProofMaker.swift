import Bytes
import Crypto
import Model

/// A client that proves possession of its key (RFC 9449 section 4.2), well or badly.
package struct ProofMaker: Sendable {
    package let key: SigningKey

    package init(_ algorithm: SignatureAlgorithm = .es256) { key = SigningKey.generate(algorithm) }

    /// Members of the public key in the order of their names.
    private var members: [(name: String, value: String)] {
        switch key.verificationKey.publicKey {
        case .rsa(let modulus, let exponent)?:
            [("e", ProofMaker.text(exponent)), ("kty", "RSA"), ("n", ProofMaker.text(modulus))]
        case .elliptic(let curve, let x, let y)?:
            [("crv", curve.rawValue), ("kty", "EC"), ("x", ProofMaker.text(x)), ("y", ProofMaker.text(y))]
        case .ed25519(let bytes)?: [("crv", "Ed25519"), ("kty", "OKP"), ("x", ProofMaker.text(bytes))]
        case nil: []
        }
    }

    /// The public key as JSON.
    package var jwk: String { "{" + members.map { #""\#($0.name)":"\#($0.value)""# }.joined(separator: ",") + "}" }

    /// SHA-256 thumbprint of the key (RFC 7638).
    package var thumbprint: [UInt8] { DigestAlgorithm.sha256.digest(Array(jwk.utf8).span) }

    /// `thumbprint` as in `cnf`.
    package var jkt: String { ProofMaker.text(thumbprint) }

    /// A proof.
    /// - Parameters:
    ///   - time: `iat`.
    ///   - token: the access token that it is for.
    ///   - more: further claims, with a comma in front.
    ///   - header: the header; nil for a correct one.
    package func proof(
        _ url: String, _ method: String = "GET", at time: Int64, token: String? = nil, id: String? = nil,
        nonce: String? = nil, more: String = "", header: String? = nil
    ) -> String {
        let id = id ?? SecureRandom.text(12)
        var claims = #"{"jti":"\#(id)","htm":"\#(method)","htu":"\#(url)","iat":\#(time)"#
        if let token {
            claims += #","ath":"\#(ProofMaker.text(DigestAlgorithm.sha256.digest(Array(token.utf8).span)))""#
        }
        if let nonce { claims += #","nonce":"\#(nonce)""# }
        let header = header ?? #"{"typ":"dpop+jwt","alg":"\#(key.algorithm.rawValue)","jwk":\#(jwk)}"#
        return signed(header, claims + more + "}")
    }

    /// A compact JWS with any header and claims.
    package func signed(_ header: String, _ claims: String) -> String {
        let input = "\(ProofMaker.text(Array(header.utf8))).\(ProofMaker.text(Array(claims.utf8)))"
        return "\(input).\(ProofMaker.text(key.sign(Array(input.utf8).span)))"
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes.span, .url), as: UTF8.self)
    }
}
