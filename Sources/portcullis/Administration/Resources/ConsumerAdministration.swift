import Bytes
import Configuration
import Crypto
import Declaration
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
            JSONNode(.array(reading.configuration.consumers.map(node))).serialized
        }
    }

    /// Adds a key, and a consumer without roles where there is none of the name.
    private func add(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let lifetime = try seconds("expiresIn", of: AdminBody(request, known: ["expiresIn"]), isValidity: true)
        let (name, key, now) = (request.path[1], APIKey.make(), Clock.wallSeconds)
        try administration.change("consumers", request) { (text, before) throws(AdminFailure) in
            let index = before.consumers.firstIndex { $0.name.isExactly(name) }
            let entry = Self.entry(key, besides: before.consumers, now, lifetime)
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
        let lifetime = try seconds("expiresIn", of: body, isValidity: true)
        let overlap = try seconds("overlap", of: body) ?? 86_400
        let (name, key, now) = (request.path[1], APIKey.make(), Clock.wallSeconds)
        try administration.change("consumers", request) { (text, before) throws(AdminFailure) in
            let index = try Administration.index(of: name, in: before.consumers.map(\.name), "consumer")
            for (place, old) in before.consumers[index].keys.enumerated()
            where old.expiresAt.map({ $0 > now + overlap }) ?? true {
                text.set(
                    "expiresAt", of: [.element(index), .member("keys"), .element(place)], to: .number(now + overlap))
            }
            Self.insert(Self.entry(key, besides: before.consumers, now, lifetime), at: index, &text)
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
    /// - Parameter isValidity: whether something new is good for that long.
    private func seconds(
        _ member: String, of body: AdminBody, isValidity: Bool = false
    ) throws(AdminFailure) -> Int64? {
        guard let text = try body.text(member) else { return nil }
        if let problem = Quantity.problem(ofLifetime: text, isValidity: isValidity) {
            throw .malformed("\"\(member)\" is \(problem)")
        }
        return Quantity.lifetime(text)
    }

    private static func insert(_ entry: JSONNode, at index: Int, _ text: inout SectionText) {
        if text.node(at: [.element(index), .member("keys")]) == nil {
            text.set("keys", of: [.element(index)], to: JSONNode(.array([entry])))
        } else {
            text.append([entry], to: [.element(index), .member("keys")])
        }
    }

    private static func entry(
        _ key: String, besides known: [Consumer], _ now: Int64, _ lifetime: Int64?
    ) -> JSONNode {
        let digest = DigestAlgorithm.sha256.digest(Array(key.utf8).span)
        let text = String(decoding: Base64.encode(digest.span, .url, padding: false), as: UTF8.self)
        return .object(
            [("id", .text(newID(besides: known))), ("digest", .text("sha256:\(text)")), ("created", .number(now))]
                + (lifetime.map { [("expiresAt", .number(now + $0))] } ?? []))
    }

    /// Random, so that no gateway has had a key of this id: logs and withdrawals of a removed key may outlive it.
    private static func newID(besides known: [Consumer]) -> String {
        while true {
            let number = SecureRandom.bytes(4).reduce(UInt64(1)) { $0 << 8 | UInt64($1) }
            // Without the leading one, which keeps zeros.
            let id = "k\(String(number, radix: 16).dropFirst())"
            if !known.contains(where: { $0.keys.contains { $0.id == id } }) { return id }
        }
    }

    /// A consumer of the files with what counts here: another gateway may have taken something away.
    private func node(_ consumer: Consumer) -> JSONNode {
        let withdrawn = administration.withdrawn
        let keys = consumer.keys.map { key in
            let notice = withdrawn?.withdrawal(of: .apiKey(digest: key.digest, consumer: consumer.name))
            let end = [key.expiresAt, notice.flatMap { $0.from > 0 ? $0.from : nil }].compactMap(\.self).min()
            return JSONNode.object(
                [("id", .text(key.id))] + (key.created.map { [("created", .number($0))] } ?? [])
                    + (end.map { [("expiresAt", .number($0))] } ?? [])
                    + (notice?.from == 0 ? [("withdrawn", .flag(true))] : []))
        }
        let isWithdrawn = withdrawn?.contains(.consumer(name: consumer.name)) == true
        let roles = consumer.roles.filter {
            withdrawn?.contains(.consumerRole(name: consumer.name, role: $0)) != true
        }
        return .object(
            [
                ("name", .text(consumer.name)), ("roles", .texts(roles)),
                ("enabled", .flag(consumer.enabled && !isWithdrawn)), ("keys", JSONNode(.array(keys))),
            ])
    }
}
