import Bytes
import Crypto
import Outbound
import TokenStorage

/// Store records of a login at an identity provider: one that its sessions depend on, and one that is found by the
/// provider's user. Both expire with the sessions, or soon if there never are any.
package enum LoginFoundation {
    /// Ids of both records; sessions refer to the first.
    package static func ids(of id: String) -> [String] { [id, index(of: id)] }

    /// Id of the record that is found by the provider's user.
    static func index(of id: String) -> String { "\(id).user" }

    /// Extends a login that was stored for a short time. A login that has ended stays ended.
    ///
    /// - Parameter id: of the record that sessions refer to.
    /// - Returns: whether the login is now kept.
    package static func keep(_ id: String, in store: any TokenStore, now: Int64) -> Effect<Bool> {
        keep(ids(of: id)[...], in: store, now: now)
    }

    private static func keep(_ ids: ArraySlice<String>, in store: any TokenStore, now: Int64) -> Effect<Bool> {
        guard let id = ids.first else { return .done(true) }
        return store.ask(.find(.id(id)), now: now) { answer in
            guard case .success(.record(let held?)) = answer, let retained = held.retained else { return .done(false) }
            // Atomic, so that a concurrent logout is not lost.
            let exchange = StoreOperation.rotate(
                refresh: TokenRecord.hold(id), application: held.application, proposed: retained, reuse: .ignored)
            return store.ask(exchange, now: now) { answer in
                guard case .success(.rotated) = answer else { return .done(false) }
                return keep(ids.dropFirst(), in: store, now: now)
            }
        }
    }
}

extension TokenRecord {
    /// The short-lived record of a login, until it is kept.
    /// - Parameter end: seconds since 1970.
    func held(until end: Int64) -> TokenRecord {
        var record = self
        record.accessExpiresAt = min(end, accessExpiresAt)
        record.refreshDigest = TokenRecord.hold(id)
        record.refreshExpiresAt = record.accessExpiresAt
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("until", accessExpiresAt)
        writer.endObject()
        record.attributes = writer.bytes
        return record
    }

    /// The same record with its final lifetime; nil if it is not a short-lived one.
    fileprivate var retained: TokenRecord? {
        guard kind == .provided, refreshDigest != nil,
            let until = (try? JSONNode.parse(attributes.span, maximumDepth: 2))?["until"]?.integer
        else { return nil }
        var record = self
        (record.accessExpiresAt, record.refreshDigest, record.refreshExpiresAt) = (until, nil, 0)
        record.attributes = []
        return record
    }

    /// The digest that such a record is exchanged by. No token has it, since digests of tokens are keyed.
    fileprivate static func hold(_ id: String) -> [UInt8] {
        DigestAlgorithm.sha256.digest(Array("provided \(id)".utf8).span)
    }
}
