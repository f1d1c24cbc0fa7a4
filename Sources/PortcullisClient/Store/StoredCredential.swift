/// User name and password of a server (CRED-01).
public struct StoredCredential: Codable, Equatable, Sendable {
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
