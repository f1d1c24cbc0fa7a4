/// User name and password of a server, found by a URL (CRED-01).
public struct StoredCredential: Codable, Equatable, Sendable {
    /// Any text will do as a key; applications take the server's URL.
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

/// A value that an application keeps by a key (CRED-02).
public struct StoredProperty: Codable, Equatable, Sendable {
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
