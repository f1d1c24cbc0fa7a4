import Bytes
import Model

/// How the store of the kind `redis` is reached.
package struct RedisEntry: Sendable, Equatable {
    package var place: ServerEntry.Place
    package var database: Int
    /// nil for a server that knows a password only, or none.
    package var username: String?
    package var password: Secret?
    /// nil where the server speaks without TLS.
    package var tls: UpstreamTLSEntry?
    /// What all its keys begin with: gateways that share tokens have the same.
    package var keyPrefix: String
    /// How many replicas must have a change before it is answered.
    package var replicas: Int

    /// The members of the store that are about Redis. nil where the URL is missing or wrong.
    static func read(_ object: inout ObjectReader) -> RedisEntry? {
        let target = object.needed(
            "url", target, "a URL such as \"redis://127.0.0.1:6379/0\"",
            """
            The server of `redis`, which needs it: `redis://HOST:PORT/DATABASE`, `rediss://HOST:PORT/DATABASE` (TLS) or \
            `unix:PATH`. Without a port it is 6379, without a database 0.
            """)
        let username = object.take(
            "username", .name, "User of the server; without it, the password is that of the user `default`.")
        let password = object.take("password", .secret, "Password at the server.")
        object.constrain([.needs("password", for: ["username"])])
        if password == nil, let username {
            username.field.error("there is no password to this name", expected: "\"password\"")
        }
        let tls = object.take("tls", UpstreamTLSEntry.shape, "TLS to a server with `rediss`.")
        if let tls, let target, !target.isSecure {
            tls.field.error("the server has no TLS", expected: "a URL with rediss, or no \"tls\"")
        }
        let keyPrefix = object.value(
            "keyPrefix", .name, default: "portcullis:",
            """
            Prefix of all keys in the server, written in braces as a hash tag (`{portcullis:}`) unless it has a brace \
            itself. Gateways that share tokens have the same.
            """)
        let replicas = object.value(
            "replicas", .integer(0...100), default: 0,
            """
            How many replicas must have a change before it is answered (`WAIT`); see \
            [what that promises](../deploy/README.md#the-store).
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
            // Whatever it is, it is not shown.
            error("user and password have members of their own", expected: "\"username\" and \"password\"")
            return nil
        }
        let isSecure = text.hasPrefix("rediss://")
        guard isSecure || text.hasPrefix("redis://") else {
            invalid(expected)
            return nil
        }
        let parts = text.dropFirst(isSecure ? 9 : 8).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let hasPort = parts[0].last != "]" && parts[0].contains(":")
        let database = parts.count < 2 || parts[1].isEmpty ? 0 : Decimal.parse(Array(parts[1].utf8).span)
        guard let origin = try? WebOrigin("http://\(parts[0])\(hasPort ? "" : ":6379")"), let database,
            database < 65_536
        else {
            invalid(expected)
            return nil
        }
        return (ServerEntry.Place(origin), isSecure, database)
    }
}
