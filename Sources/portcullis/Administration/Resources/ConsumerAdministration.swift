import Bytes
import Configuration
import Crypto
import Gateway
import HTTP
import Identity
import Model
import Reactor

/// Consumers and their API keys. A key is in the answer that makes it and nowhere else.
struct ConsumerAdministration: ResourceAdministration {
    let administration: Administration

    static let operations = [
        operation(.get, "consumers", "consumers.list", Self.list),
        operation(.post, "consumers/*/keys", "consumers.add-key", Self.add),
        operation(.post, "consumers/*/rotate", "consumers.rotate", Self.rotate),
        operation(.delete, "consumers/*/keys/*", "consumers.revoke-key", Self.revoke),
    ]

    private func list(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        try administration.shown("consumers") { reading, _ in
            JSONNode(.array(reading.configuration.consumers.map(Self.node))).serialized
        }
    }

    /// Adds a key, and a consumer without roles where there is none of the name.
    private func add(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let lifetime = try seconds("expiresIn", of: AdminBody(request, known: ["expiresIn"]))
        let (name, key, now) = (request.path[1], APIKey.make(), Clock.wallSeconds)
        try administration.change("consumers", request) { (text, before) throws(AdminFailure) in
            let index = before.consumers.firstIndex { $0.name.isExactly(name) }
            let entry = Self.entry(key, of: index.map { before.consumers[$0] }, now, lifetime)
            guard let index else {
                text.append([
                    .object([
                        ("name", .text(name)), ("roles", JSONNode(.array([]))), ("keys", JSONNode(.array([entry]))),
                    ])
                ])
                return
            }
            Self.insert(entry, at: index, &text)
        }
        return .changed(name, status: 201, JSONNode.text(key).serialized)
    }

    /// Adds a key and lets the others expire, none later than before. Those that have expired are removed.
    private func rotate(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["expiresIn", "overlap"])
        let (lifetime, overlap) = (try seconds("expiresIn", of: body), try seconds("overlap", of: body) ?? 86_400)
        let (name, key, now) = (request.path[1], APIKey.make(), Clock.wallSeconds)
        try administration.change("consumers", request) { (text, before) throws(AdminFailure) in
            let index = try Administration.index(of: name, in: before.consumers.map(\.name), "consumer")
            for (place, old) in before.consumers[index].keys.enumerated()
            where old.expiresAt.map({ $0 > now + overlap }) ?? true {
                text.set(
                    "expiresAt", of: [.element(index), .member("keys"), .element(place)], to: .number(now + overlap))
            }
            Self.insert(Self.entry(key, of: before.consumers[index], now, lifetime), at: index, &text)
            for (place, old) in before.consumers[index].keys.enumerated().reversed()
            where old.expiresAt.map({ $0 <= now }) ?? false {
                text.remove([.element(index), .member("keys"), .element(place)])
            }
        }
        return .changed(name, status: 201, JSONNode.text(key).serialized)
    }

    private func revoke(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let (name, id) = (request.path[1], request.path[3])
        try administration.change("consumers", request) { (text, before) throws(AdminFailure) in
            let index = try Administration.index(of: name, in: before.consumers.map(\.name), "consumer")
            let place = try Administration.index(of: id, in: before.consumers[index].keys.map(\.id), "key")
            text.remove([.element(index), .member("keys"), .element(place)])
        }
        return .changed("\(name)/\(id)")
    }

    /// A number of seconds from now.
    private func seconds(_ member: String, of body: AdminBody) throws(AdminFailure) -> Int64? {
        guard let text = try body.text(member) else { return nil }
        guard let seconds = Quantity.lifetime(text) else {
            throw .malformed("\"\(member)\" is \(Quantity.problem(ofLifetime: text))")
        }
        return seconds
    }

    private static func insert(_ entry: JSONNode, at index: Int, _ text: inout SectionText) {
        if text.node(at: [.element(index), .member("keys")]) == nil {
            text.set("keys", of: [.element(index)], to: JSONNode(.array([entry])))
        } else {
            text.append([entry], to: [.element(index), .member("keys")])
        }
    }

    private static func entry(_ key: String, of consumer: Consumer?, _ now: Int64, _ lifetime: Int64?) -> JSONNode {
        let ids = Set(consumer?.keys.map(\.id) ?? [])
        var number = ids.count + 1
        while ids.contains("k\(number)") { number += 1 }
        let digest = DigestAlgorithm.sha256.digest(Array(key.utf8).span)
        let text = String(decoding: Base64.encode(digest.span, .url, padding: false), as: UTF8.self)
        return .object(
            [("id", .text("k\(number)")), ("digest", .text("sha256:\(text)")), ("created", .number(now))]
                + (lifetime.map { [("expiresAt", .number(now + $0))] } ?? []))
    }

    private static func node(_ consumer: Consumer) -> JSONNode {
        let keys = consumer.keys.map { key in
            JSONNode.object(
                [("id", .text(key.id))] + (key.created.map { [("created", .number($0))] } ?? [])
                    + (key.expiresAt.map { [("expiresAt", .number($0))] } ?? []))
        }
        return .object([
            ("name", .text(consumer.name)), ("roles", .texts(consumer.roles)), ("enabled", .flag(consumer.enabled)),
            ("keys", JSONNode(.array(keys))),
        ])
    }
}
