import Bytes
import JOSE
import TokenStorage

/// The answer to a refresh, kept for a client that lost it: sealed in the record of the new refresh token, while
/// `refreshReuseInterval` lasts.
struct RepeatedAnswer: Sendable, Equatable {
    /// Seconds since 1970 when it ends.
    let until: Int64
    /// What a repeated request must have in common with the first one.
    let request: [UInt8]
    /// The body of the answer.
    let body: String

    init(_ body: [UInt8], to request: [UInt8], until: Int64) {
        self.until = until
        self.request = request
        self.body = String(decoding: body, as: UTF8.self)
    }

    /// Scope, resource and proof of a request. The record is of its client, which has authenticated itself.
    static func request(_ form: TokenForm, _ binding: TokenBinding?) -> [UInt8] {
        JSONWriter.object { writer in
            if let scope = form["scope"] { writer.member("scope", scope) }
            if !form.resources.isEmpty { writer.member("resource", form.resources) }
            binding?.write(to: &writer)
        }
    }

    /// Beside the claims that the record keeps.
    func sealed(_ key: TokenDigestKey, in record: TokenRecord) -> [UInt8] {
        key.seal(
            JSONWriter.object { writer in
                if let claims = record.providedClaims(key) { TokenRecord.write(claims, to: &writer) }
                writer.member("until", until)
                writer.member("request", String(decoding: request, as: UTF8.self))
                writer.member("body", body)
            }, id: record.id)
    }

    /// Nil for a record without one.
    init?(_ record: TokenRecord, _ key: TokenDigestKey) {
        guard let text = key.open(record.sealed, id: record.id), let node = try? JSONNode.parse(text.span),
            let until = node["until"]?.integer, let request = node["request"]?.string, let body = node["body"]?.string
        else { return nil }
        self.until = until
        self.request = Array(request.utf8)
        self.body = body
    }
}
