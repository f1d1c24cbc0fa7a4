import Bytes
import Declaration
import Model

/// A store in a Redis or Valkey server.
package struct RedisEntry: StoreEntry {
    package static let kind = "redis"
    package static let meaning = "a Redis or Valkey server, for gateways on several machines"
    package static let sharing = StoreSharing.machines

    package var place: ServerEntry.Place
    package var database: Int
    /// Nil for a server without user names.
    package var username: String?
    package var password: Secret?
    /// Nil without TLS.
    package var tls: UpstreamTLSEntry?
    /// Prefix of all keys; the same for gateways that share tokens.
    package var keyPrefix: String
    /// Replicas that must acknowledge a change.
    package var replicas: Int

    package static func read(_ object: inout ObjectReader, isChosen: Bool) -> RedisEntry? {
        object.keys(with: .equals("kind", kind), because: "only a store of the kind redis has this", read) ?? nil
    }

    /// Nil if the URL is missing or invalid.
    private static func read(_ object: inout ObjectReader) -> RedisEntry? {
        let target = object.required(
            "url", target.atStart { "\($0)" }, "a URL such as \"redis://127.0.0.1:6379/0\"",
            """
            The server of `redis`, which needs it: `redis://HOST:PORT/DATABASE`, `rediss://HOST:PORT/DATABASE` (TLS) or \
            `unix:PATH`. Without a port it is 6379, without a database 0.
            """)
        let username = object.take(
            "username", .name.atStart(), "User of the server; without it, the password is that of the user `default`.")
        let password = object.take("password", .secret.atStart(), "Password at the server.")
        object.rules(.only("username", with: .has("password"), because: "the user name has no password"))
        let tls = object.take("tls", UpstreamTLSEntry.shape.atStart(), "TLS to a server with `rediss`.")
        if let tls, let target, !target.isSecure {
            tls.field.error("the server has no TLS", expected: "a URL with rediss, or no \"tls\"")
        }
        let keyPrefix = object.value(
            "keyPrefix", .name.atStart(), default: "portcullis:",
            """
            Prefix of all keys in the server, written in braces as a hash tag (`{portcullis:}`) unless it has a brace \
            itself. Gateways that share tokens have the same.
            """)
        let replicas = object.value(
            "replicas", .integer(0...100).atStart(), default: 0,
            """
            Number of replicas that must confirm a change (`WAIT`) before the gateway responds. [The \
            store](../deploy/docs/store.md) describes the guarantees.
            """)
        let (name, secret) = (username?.read(), password?.read())
        let entry = tls?.read() ?? (target?.isSecure == true ? UpstreamTLSEntry() : nil)
        return target.map { target in
            RedisEntry(
                place: target.place, database: target.database, username: name, password: secret, tls: entry,
                keyPrefix: keyPrefix, replicas: replicas)
        }
    }

    private static let target = Shape(
        .pattern("^(rediss?://[^/?#@]+(/[0-9]*)?|unix:.+)$"),
        read: { field in
            let target = field.redis()
            if let target, !target.isSecure, !target.place.isLocal {
                field.warning(
                    "password and tokens' records go there in clear",
                    expected: "\"rediss://\", or a server on this machine")
            }
            return target
        })
}

extension Field {
    fileprivate typealias RedisTarget = (place: ServerEntry.Place, isSecure: Bool, database: Int)

    /// `"redis://HOST:PORT/DATABASE"`, the same with `rediss` for TLS, or `"unix:PATH"`.
    fileprivate func redis() -> RedisTarget? {
        let expected = "\"redis://HOST:PORT/DATABASE\", \"rediss://HOST:PORT/DATABASE\" or \"unix:PATH\""
        guard let text = text(expected) else { return nil }
        if text.hasPrefix("unix:") { return unixPath().map { (.unix(path: $0), false, 0) } }
        if text.contains("@") {
            // The value is not shown, since it may contain a password.
            return error("user and password have members of their own", expected: "\"username\" and \"password\"")
        }
        let isSecure = text.hasPrefix("rediss://")
        guard isSecure || text.hasPrefix("redis://") else { return invalid(expected) }
        let parts = text.dropFirst(isSecure ? 9 : 8).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let hasPort = parts[0].last != "]" && parts[0].contains(":")
        let database = parts.count < 2 || parts[1].isEmpty ? 0 : Decimal.parse(Array(parts[1].utf8).span)
        guard let origin = try? WebOrigin("http://\(parts[0])\(hasPort ? "" : ":6379")"), let database,
            database < 65_536
        else { return invalid(expected) }
        return (ServerEntry.Place(origin), isSecure, database)
    }
}
