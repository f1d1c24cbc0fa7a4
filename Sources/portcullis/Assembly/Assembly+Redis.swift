import Configuration
import Gateway
import Model
import TokenStorage

extension Assembly {
    /// The way to the server that keeps the tokens. Nil with an error among the diagnostics.
    mutating func redisLine(_ entry: RedisEntry, _ section: StoreSection) -> RedisLine? {
        guard let target = ServerSettings.Target(entry.place) else { return nil }
        var server = RedisServer(target)
        server.session.username = entry.username
        server.session.password = entry.password?.value
        server.session.database = entry.database
        server.session.timeout = section.timeout.milliseconds
        if let tls = entry.tls {
            guard var identity = identity(tls, at: "/store/tls") else { return nil }
            identity.speaksHTTP = false
            guard let context = clientContext(identity, at: "/store/tls") else { return nil }
            server.tls = UpstreamTLS(context, serverName: tls.serverName)
        }
        return RedisLine(server)
    }
}
