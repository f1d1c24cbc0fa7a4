import Bytes
import Crypto
import Model

extension JSONWebKey {
    /// The result of reading a key of a set.
    enum Reading {
        case key(JSONWebKey)
        /// A valid key that is ignored, with the reason (RFC 7517 section 5).
        case ignored(String)
    }

    /// Reads a JWK. `x5c`, `x5u` and the like are ignored.
    static func read(_ node: JSONNode, _ content: KeySet.Content) throws(KeySetError.Reason) -> Reading {
        guard node.members != nil else { throw .notAnObject }
        let type = try required("kty", node)
        if type == "oct", content == .publicKeys { throw .secret }
        if type != "oct", content == .secrets { throw .notASecret }
        if ["RSA", "EC", "OKP"].contains(type), node["d"] != nil { throw .privateKey }
        let kid = try optional("kid", node)
        if let use = try optional("use", node), use != "sig" { return .ignored("its use is '\(use)'") }
        if try !allowsVerification(node) { return .ignored("its key_ops lack 'verify'") }
        var algorithm: SignatureAlgorithm?
        if let name = try optional("alg", node) {
            guard let known = SignatureAlgorithm(named: name) else {
                return .ignored("its algorithm '\(name)' is not a signature algorithm")
            }
            algorithm = known
        }
        let curve = type == "EC" || type == "OKP" ? try required("crv", node) : ""
        guard let key = try verificationKey(node, type: type, curve: curve) else {
            return .ignored("its type '\(type)\(curve.isEmpty ? "" : " " + curve)' is not supported")
        }
        if let algorithm, !key.supports(algorithm) {
            // A secret may be too short for the algorithm; other keys have the wrong type or curve.
            if case .secret(let count) = key.kind, algorithm.isSymmetric {
                throw .key(.tooShort(bits: count * 8, required: (algorithm.digest?.length ?? 0) * 8))
            }
            throw .key(.algorithmMismatch)
        }
        return .key(JSONWebKey(kid: kid, algorithm: algorithm, key: key))
    }

    /// The key of the type-specific members; nil for an unsupported type or curve.
    private static func verificationKey(
        _ node: JSONNode, type: String, curve: String
    ) throws(KeySetError.Reason) -> VerificationKey? {
        switch (type, curve) {
        case ("RSA", _):
            let (n, e) = (try bytes("n", node), try bytes("e", node))
            return try make { () throws(KeyError) in try VerificationKey(rsaModulus: n, exponent: e) }
        case ("OKP", "Ed25519"):
            let x = try bytes("x", node)
            return try make { () throws(KeyError) in try VerificationKey(ed25519: x) }
        case ("EC", _):
            guard let curve = EllipticCurve(rawValue: curve) else { return nil }
            let (x, y) = (try bytes("x", node), try bytes("y", node))
            return try make { () throws(KeyError) in try VerificationKey(curve, x: x, y: y) }
        case ("oct", _):
            let secret = try bytes("k", node)
            return try make { () throws(KeyError) in try VerificationKey(secret: secret) }
        default:
            return nil
        }
    }

    private static func make(
        _ body: () throws(KeyError) -> VerificationKey
    ) throws(KeySetError.Reason) -> VerificationKey {
        do throws(KeyError) { return try body() } catch { throw .key(error) }
    }

    private static func bytes(_ name: String, _ node: JSONNode) throws(KeySetError.Reason) -> [UInt8] {
        let text = Array(try required(name, node).utf8)
        guard let bytes = Base64.decode(text.span, .url) else { throw .malformed(name) }
        return bytes
    }

    private static func allowsVerification(_ node: JSONNode) throws(KeySetError.Reason) -> Bool {
        guard let operations = node["key_ops"] else { return true }
        guard let names = operations.array else { throw .malformed("key_ops") }
        return names.contains { $0.string == "verify" }
    }

    private static func optional(_ name: String, _ node: JSONNode) throws(KeySetError.Reason) -> String? {
        guard let member = node[name] else { return nil }
        guard let text = member.string else { throw .malformed(name) }
        return text
    }

    private static func required(_ name: String, _ node: JSONNode) throws(KeySetError.Reason) -> String {
        guard let text = try optional(name, node) else { throw .missing(name) }
        return text
    }
}
