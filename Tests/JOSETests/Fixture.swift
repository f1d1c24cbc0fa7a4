import Bytes
import Crypto
import Foundation
import JOSE

/// Files of `Tests/Fixtures`.
enum Fixture {
    static func json(_ path: String) -> JSONNode {
        guard let node = parse(data(path)) else { fatalError("Tests/Fixtures/\(path) is no JSON") }
        return node
    }

    static func data(_ path: String) -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        guard let contents = try? Data(contentsOf: folder.appending(path: "Fixtures/\(path)")) else {
            fatalError("Tests/Fixtures/\(path) is missing")
        }
        return Array(contents)
    }
}

// A span cannot pass through `#expect`: the calls under test, in a form that takes text and arrays.

func parse(_ text: [UInt8]) -> JSONNode? { try? JSONNode.parse(text.span) }

/// The JSON text of a node.
func text(_ node: JSONNode) -> String {
    var writer = JSONWriter()
    writer.value(node)
    return String(decoding: writer.bytes, as: UTF8.self)
}

func base64URL(_ text: String) -> String { base64URL(Array(text.utf8)) }

func base64URL(_ bytes: [UInt8]) -> String { String(decoding: Base64.encode(bytes.span, .url), as: UTF8.self) }

func decodeBase64URL(_ text: String) -> [UInt8]? {
    let text = Array(text.utf8)
    return Base64.decode(text.span, .url)
}

extension KeySet {
    init(_ jwks: String, _ content: Content = .publicKeys) throws(KeySetError) {
        let text = Array(jwks.utf8)
        try self.init(jwks: text.span, content)
    }
}

extension SigningKey {
    func sign(_ text: String) -> [UInt8] {
        let text = Array(text.utf8)
        return sign(text.span)
    }
}

extension JWTVerifier {
    func verify(_ token: String, now: Int64) -> VerificationOutcome {
        let token = Array(token.utf8)
        return verify(token.span, now: now)
    }
}

/// The payload of a JWS once its signature has been checked.
func payload(_ token: String, _ keys: KeySet) throws(TokenRejection) -> [UInt8] {
    let token = Array(token.utf8)
    let jws = try CompactJWS(token.span)
    try jws.verify(token.span, with: keys)
    return jws.payload
}
