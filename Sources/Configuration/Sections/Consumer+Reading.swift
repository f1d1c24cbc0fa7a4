import Bytes
import Declaration
import Model

extension Consumer {
    static func readAll(_ field: Field) -> [Consumer] {
        var consumers: [Consumer] = []
        var names: Set<[UInt8]> = []
        var digests: Set<[UInt8]> = []
        for element in field.elements("an array of consumers") ?? [] {
            guard let consumer = shape.read(element) else { continue }
            consumers.append(consumer)
            if !consumer.name.isEmpty, !names.insert(Array(consumer.name.utf8)).inserted {
                element.error("duplicate consumer \"\(consumer.name)\"", expected: "a unique name")
            }
            var ids: Set<String> = []
            for (index, key) in consumer.keys.enumerated() {
                let pointer = "\(element.pointer)/keys/\(index)"
                if !key.id.isEmpty, !ids.insert(key.id).inserted {
                    field.findings.error(
                        "\(pointer)/id", "duplicate key \"\(key.id)\"", expected: "a unique id", found: "\"\(key.id)\"")
                }
                if !key.digest.isEmpty, !digests.insert(key.digest).inserted {
                    field.findings.error(
                        "\(pointer)/digest", "another key has this digest already", expected: "a key of its own")
                }
            }
        }
        return consumers
    }

    static let shape = Shape.object("a consumer: {\"name\", \"keys\"}") { object in
        Consumer(
            name: object.required(
                "name", plainName, "the name of a consumer", placeholder: "",
                "Unique name: letters, digits, `.`, `_` and `-`. Logs and upstreams see it as the caller."),
            roles: object.value("roles", .references(to: .role), default: [], "Roles of the catalogue."),
            enabled: object.flag("enabled", default: true, "Whether the keys are accepted."),
            keys: object.value(
                "keys", keyShape.list("an array of keys", isUnique: false), default: [],
                "Its keys, written by `portcullis keys`."),
            rateLimits: object.value(
                "rateLimit", RateLimitReference.shape, default: [],
                """
                Limits of all requests of the consumer together, each the name of one of `rateLimits` or one of its own. \
                Consumers do not share a limit that they name, and `key` is not used.
                """))
    }

    private static let keyShape = Shape.object("a key: {\"id\", \"digest\"}") { object in
        Key(
            id: object.required(
                "id", plainName, "the id of a key", placeholder: "", "Names the key; unique within the consumer."),
            digest: object.required(
                "digest", digestShape, digestForm, placeholder: [],
                "`sha256:` and the SHA-256 of the key in Base64 for URLs."),
            created: object.optional("created", .instant, "When the key was made, in seconds since 1970."),
            expiresAt: object.optional(
                "expiresAt", .instant, "When the key ends, in seconds since 1970; never by default."))
    }

    private static let plainName = Shape.text(.pattern("^[A-Za-z0-9._-]{1,64}$")) { field -> String? in
        let expected = "1 to 64 letters, digits, \".\", \"_\" and \"-\""
        guard let text = field.name(expected) else { return nil }
        guard EntryName.isValid(text) else {
            return field.error("invalid name", expected: expected, found: field.summary)
        }
        return text
    }

    private static let digestForm = "\"sha256:…\", written by \"portcullis keys\""

    /// Messages never show the text, which may be a key by mistake.
    private static let digestShape = Shape(.pattern("^sha256:[A-Za-z0-9_-]{43}$")) { field -> [UInt8]? in
        guard let text = field.node.string, text.hasPrefix("sha256:"),
            let digest = Base64.decode(Array(text.utf8.dropFirst(7)).span, .url), digest.count == 32
        else { return field.error("no digest of a key", expected: digestForm) }
        return digest
    }
}
