import Bytes
import Crypto
import Identity
import JOSE
import Outbound
import TokenStorage

/// What the store has of a login at an identity provider: a record that its sessions rest on, and one that the provider's
/// user is found by. Both go when the sessions go, and soon where there never are any.
package enum LoginFoundation {
    /// Ids of both, the one that sessions name first.
    package static func ids(of id: String) -> [String] { [id, index(of: id)] }

    /// Id of the record that the provider's user is found by.
    static func index(of id: String) -> String { "\(id).user" }

    /// Makes a login last that was laid down for a while. One that has ended stays so, whoever has ended it and when.
    ///
    /// - Parameter id: of the record that sessions name.
    /// - Returns: whether it lasts now.
    package static func keep(_ id: String, in store: any TokenStore, now: Int64) -> Effect<Bool> {
        keep(ids(of: id)[...], in: store, now: now)
    }

    private static func keep(_ ids: ArraySlice<String>, in store: any TokenStore, now: Int64) -> Effect<Bool> {
        guard let id = ids.first else { return .done(true) }
        return store.ask(.find(.id(id)), now: now) { answer in
            guard case .success(.record(let held?)) = answer, let lasting = held.lasting else { return .done(false) }
            // In one step, so that nobody's logout comes in between.
            let exchange = StoreOperation.rotate(
                refresh: TokenRecord.hold(id), application: held.application, proposed: lasting, reuse: .ignored)
            return store.ask(exchange, now: now) { answer in
                guard case .success(.rotated) = answer else { return .done(false) }
                return keep(ids.dropFirst(), in: store, now: now)
            }
        }
    }
}

extension TokenRecord {
    /// The record of a login for a while, until it is kept.
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

    /// The same as it is to be for good; nil for one that is not held.
    fileprivate var lasting: TokenRecord? {
        guard kind == .provided, refreshDigest != nil,
            let until = (try? JSONNode.parse(attributes.span, maximumDepth: 2))?["until"]?.integer
        else { return nil }
        var record = self
        (record.accessExpiresAt, record.refreshDigest, record.refreshExpiresAt) = (until, nil, 0)
        record.attributes = []
        return record
    }

    /// What such a record is exchanged by. Nobody has a token of this digest, since tokens have keyed ones.
    fileprivate static func hold(_ id: String) -> [UInt8] {
        DigestAlgorithm.sha256.digest(Array("provided \(id)".utf8).span)
    }
}
