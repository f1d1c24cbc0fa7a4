import Bytes
import Crypto
import Foundation
import JOSE
import Model
import TestSupport

/// An issuer that publishes its keys over HTTP as the test wants, and counts who asks.
final class StubIssuer: Sendable {
    static let issuer = "https://idp.example"

    private struct State: Sendable {
        var signers: [String: JWTSigner] = [:]
        var published: [String] = []
        var status = "200 OK"
        var fields: [Field] = []
        var gate: Gate?
    }

    let server: StubUpstream
    private let state: Monitor<State>

    /// - Parameters:
    ///   - keys: names of the keys that are published at first.
    ///   - authorization: what both documents want to see in `Authorization`.
    init(keys: String..., authorization: String? = nil, port: UInt16 = 0) throws {
        server = try StubUpstream(port: port)
        let state = Monitor(State())
        self.state = state
        let url = server.url
        publish(keys)
        server.on("/discovery") { request in
            if let authorization, request.only("Authorization") != authorization { return [.reply("401 Unauthorized")] }
            return [.reply(body: #"{"issuer": "\#(Self.issuer)", "jwks_uri": "\#(url)/keys"}"#)]
        }
        server.on("/keys") { request in
            if let authorization, request.only("Authorization") != authorization { return [.reply("401 Unauthorized")] }
            let current = state.current
            let published = current.published.compactMap { current.signers[$0]?.publishedKey }
            let body = String(decoding: KeySet(keys: published).jwks(), as: UTF8.self)
            let reply = StubUpstream.Step.reply(current.status, current.fields, body: body)
            return current.gate.map { [.wait($0), reply] } ?? [reply]
        }
    }

    deinit { server.stop() }

    var discoveryCount: Int { server.requests("/discovery").count }
    var fetchCount: Int { server.requests("/keys").count }

    func publish(_ names: [String]) {
        state.withLock { state in
            for name in names where state.signers[name] == nil {
                state.signers[name] = JWTSigner(key: SigningKey.generate(.es256), keyID: name)
            }
            state.published = names
        }
    }

    /// Puts another key in the place of one, under its name.
    func replace(_ name: String) {
        state.withLock { $0.signers[name] = JWTSigner(key: SigningKey.generate(.es256), keyID: name) }
    }

    /// The keys come with this status and these fields from now on, and not before the gate is open.
    func answer(_ status: String = "200 OK", _ fields: [Field] = [], gate: Gate? = nil) {
        state.withLock {
            ($0.status, $0.fields, $0.gate) = (status, fields, gate)
        }
    }

    /// A token signed with a key that need not be published.
    /// - Parameter more: claims as JSON, each behind a comma.
    func token(
        _ key: String, subject: String = "joe", kid: String? = nil, type: String = "JWT", more: String = ""
    ) -> String {
        let signer = state.withLock { state in
            let known = state.signers[key] ?? JWTSigner(key: SigningKey.generate(.es256), keyID: key)
            state.signers[key] = known
            return known
        }
        let now = Int(Date().timeIntervalSince1970)
        let claims = #"{"iss": "\#(Self.issuer)", "sub": "\#(subject)", "aud": "api", "exp": \#(now + 600)\#(more)}"#
        let named = kid.map { JWTSigner(key: signer.key, keyID: $0) } ?? signer
        return String(decoding: named.sign(claims: Array(claims.utf8), type: type), as: UTF8.self)
    }

    /// A token with these claims alone, signed with a key that need not be published.
    /// - Parameters:
    ///   - claims: members of the object, in which `NOW+1` and `NOW-1` are times.
    ///   - header: a member in place of the one that the header has; the signature is over that header.
    func sign(_ key: String, _ claims: String, header: String = "") -> String {
        let now = Int(Date().timeIntervalSince1970)
        let text = claims.replacing(/NOW([+-]\d+)/) { "\(now + (Int($0.1) ?? 0))" }
        // Makes the key, if there is none.
        _ = token(key)
        var head = #"{"alg": "ES256", "typ": "JWT", "kid": "\#(key)"}"#
        if let name = header.split(separator: ":").first {
            let member = try? Regex(#"\#(name): "[^"]*""#)
            if let member, let old = head.firstRange(of: member) { head.replaceSubrange(old, with: header) }
        }
        func encoded(_ bytes: some Sequence<UInt8>) -> String {
            String(decoding: Base64.encode(Array(bytes).span, .url), as: UTF8.self)
        }
        let input = "\(encoded(head.utf8)).\(encoded("{\(text)}".utf8))"
        let signer = state.withLock { $0.signers[key] }
        let signature = signer?.key.sign(Array(input.utf8).span) ?? []
        return "\(input).\(encoded(signature))"
    }

    /// An entry of `trustedIssuers` for it.
    func entry(_ members: String = "", address: String = "discoveryUri") -> String {
        let path = address == "discoveryUri" ? "discovery" : "keys"
        return """
            {"name": "idp", "issuer": "\(Self.issuer)", "audience": ["api"], "allowHttp": true,
             "\(address)": "\(server.url)/\(path)"\(members.isEmpty ? "" : ", " + members)}
            """
    }
}
