import TokenStorage

/// The Redis or Valkey server of the token store.
package struct RedisServer: Sendable {
    package var target: ServerSettings.Target
    /// TLS; nil for none.
    package var tls: UpstreamTLS?
    package var session: RedisSettings

    package init(_ target: ServerSettings.Target, tls: UpstreamTLS? = nil, session: RedisSettings = RedisSettings()) {
        self.target = target
        self.tls = tls
        self.session = session
    }
}

extension RedisServer {
    /// The URL of the server, without its password.
    package var url: String { target.url(tls == nil ? "redis" : "rediss") }
}
