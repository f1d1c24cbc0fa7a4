import Bytes

/// User name and password of a server (CRED-01).
public struct StoredCredential: Equatable, Sendable {
    /// The key, usually the URL of the server.
    public var url: String
    public var tenant: String?
    /// Nil once the entry was deleted.
    public var user: String?
    /// Nil once the entry was deleted.
    public var password: String?

    public init(url: String, tenant: String? = nil, user: String?, password: String?) {
        self.url = url
        self.tenant = tenant
        self.user = user
        self.password = password
    }
}

/// A stored value of an application (CRED-02).
public struct StoredProperty: Equatable, Sendable {
    public var key: String
    public var value: String
    public var label: String?
    public var description: String?

    public init(key: String, value: String, label: String? = nil, description: String? = nil) {
        self.key = key
        self.value = value
        self.label = label
        self.description = description
    }
}

extension StoredCredential: StoredValue {
    package init(_ stored: JSONNode) throws(MalformedStore) {
        self.init(
            url: try stored.stored("url", \.string), tenant: try stored.storedIfAny("tenant", \.string),
            user: try stored.storedIfAny("user", \.string), password: try stored.storedIfAny("password", \.string))
    }

    package var members: [(name: String, value: JSONNode?)] {
        [
            ("url", .text(url)), ("tenant", .text(ifAny: tenant)), ("user", .text(ifAny: user)),
            ("password", .text(ifAny: password)),
        ]
    }
}

extension StoredProperty: StoredValue {
    package init(_ stored: JSONNode) throws(MalformedStore) {
        self.init(
            key: try stored.stored("key", \.string), value: try stored.stored("value", \.string),
            label: try stored.storedIfAny("label", \.string),
            description: try stored.storedIfAny("description", \.string))
    }

    package var members: [(name: String, value: JSONNode?)] {
        [
            ("key", .text(key)), ("value", .text(value)), ("label", .text(ifAny: label)),
            ("description", .text(ifAny: description)),
        ]
    }
}
