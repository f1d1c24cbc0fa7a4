import Bytes

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

    /// Reads the members of the store that are about Redis. nil where there is none, or where that is not said well.
    static func read(_ object: inout ObjectReader, _ kind: StoreSection.Kind) -> RedisEntry? {
        let url = object.take("url")
        let usernameField = object.take("username")
        let passwordField = object.take("password")
        let tlsField = object.take("tls")
        let prefixField = object.take("keyPrefix")
        let replicasField = object.take("replicas")
        guard kind == .redis else {
            for field in [url, usernameField, passwordField, tlsField, prefixField, replicasField] {
                field?.error("only a store of the kind redis has this", expected: "\"kind\": \"redis\"")
            }
            return nil
        }
        let expected = "a URL such as \"redis://127.0.0.1:6379/0\""
        let target = object.needed("url", url, expected, standIn: nil) { $0.redis() }
        if passwordField == nil, let usernameField {
            usernameField.error("there is no password to this name", expected: "\"password\"")
        }
        let username = usernameField.flatMap { $0.name() }
        let password = passwordField.flatMap { $0.secret() }
        let prefix = prefixField.flatMap { $0.name() } ?? "portcullis:"
        let replicas = replicasField.flatMap { $0.integer(in: 0...100) } ?? 0
        let tls = tls(tlsField, target)
        guard let target else { return nil }
        if !target.isSecure, !target.place.isLocal {
            url?.warning(
                "password and tokens' records go there in clear", expected: "\"rediss://\", or a server on this machine"
            )
        }
        return RedisEntry(
            place: target.place, database: target.database, username: username, password: password, tls: tls,
            keyPrefix: prefix, replicas: replicas)
    }

    private static func tls(_ field: Field?, _ target: Field.RedisTarget?) -> UpstreamTLSEntry? {
        if let field, let target, !target.isSecure {
            field.error("the server has no TLS", expected: "a URL with rediss, or no \"tls\"")
        }
        return field.flatMap(UpstreamTLSEntry.shape.read) ?? (target?.isSecure == true ? UpstreamTLSEntry() : nil)
    }
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
        if origin.host == "localhost" { return (.address(.loopback, port: origin.port), isSecure, database) }
        let place = IPLiteral(origin.host).map { ServerEntry.Place.address($0, port: origin.port) }
        return (place ?? .name(origin.host, port: origin.port), isSecure, database)
    }
}
