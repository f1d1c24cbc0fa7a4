import Bytes

/// The decrypted contents of a credential store: JSON.
struct StoreContents: StoredValue {
    var credentials: [StoredCredential] = []
    var properties: [StoredProperty] = []
    /// The state of the client, if any.
    var session: JSONNode?

    init() {}

    init(_ stored: JSONNode) throws(MalformedStore) {
        credentials = try stored.storedList("credentials")
        properties = try stored.storedList("properties")
        session = try stored.storedIfAny("session") { $0 }
    }

    /// Nil for a text that `text` did not create.
    init?(_ text: [UInt8]) {
        guard let node = try? JSONNode.parse(text.span), let contents = try? StoreContents(node) else { return nil }
        self = contents
    }

    var members: [(name: String, value: JSONNode?)] {
        [("credentials", .list(credentials)), ("properties", .list(properties)), ("session", session)]
    }

    var text: [UInt8] { node.serialized }
}
