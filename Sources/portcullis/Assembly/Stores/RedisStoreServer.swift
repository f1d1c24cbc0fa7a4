import Configuration
import Gateway
import Model
import TokenStorage

extension RedisEntry: OpenableStore {
    func open(_ section: StoreSection, _ context: AssemblyContext) -> OpenedStore? {
        guard let server = server(section, context) else { return nil }
        // A command has `timeout`, and what it waits for half of that.
        let patience = section.timeout.milliseconds / 2
        let line = RedisLine(server)
        let reached = RedisStoreServer(
            server, workers: line.workers, keyPrefix: keyPrefix, replicas: replicas, patience: patience)
        guard context.retained.isServing else { return OpenedStore(store: MemoryTokenStore(), server: reached) }
        let store = RedisTokenStore(
            channel: line, keyPrefix: keyPrefix, replicas: replicas, patience: patience,
            clock: ServerClock(log: context.retained.log))
        return OpenedStore(store: store, server: reached)
    }

    private func server(_ section: StoreSection, _ context: AssemblyContext) -> RedisServer? {
        guard let target = ServerSettings.Target(place) else { return nil }
        var server = RedisServer(target)
        server.session.username = username
        server.session.password = password?.value
        server.session.database = database
        server.session.timeout = section.timeout.milliseconds
        if let tls {
            let assembly = ClientTLSAssembly(context: context)
            guard var identity = assembly.clientIdentity(tls, at: "/store/tls") else { return nil }
            identity.speaksHTTP = false
            guard let context = assembly.clientContext(identity, at: "/store/tls") else { return nil }
            server.tls = UpstreamTLS(context, serverName: tls.serverName)
        }
        return server
    }
}

private final class RedisStoreServer: StoreServer {
    let workers: StoreLine
    let partition: String
    private let url: String
    private let connection: RedisConnection
    private let store: RedisTokenStore

    init(_ server: RedisServer, workers: StoreLine, keyPrefix: String, replicas: Int, patience: Int64) {
        self.workers = workers
        partition = keyPrefix
        url = server.url
        connection = RedisConnection(server)
        store = RedisTokenStore(channel: connection, keyPrefix: keyPrefix, replicas: replicas, patience: patience)
    }

    var place: String { connection.place }

    func document(
        _ name: String, replacing change: (known: [UInt8], text: [UInt8])?
    ) throws(StoreServerFailure) -> [UInt8] {
        let answer = Promise<Result<[UInt8], StoreFailure>>()
        store.document(name, replacing: change) { answer.fulfill($0) }
        do throws(StoreFailure) {
            return try answer.wait().get()
        } catch {
            throw StoreServerFailure(text: connection.failure?.text ?? "\(error.reason)")
        }
    }

    func probe() throws(StoreServerFailure) -> String {
        let answer = Promise<Bool>()
        connection.send([[Array("PING".utf8)]]) { replies in
            if case .success(let reply)? = replies.first, reply.errorCode == nil {
                answer.fulfill(true)
            } else {
                answer.fulfill(false)
            }
        }
        if answer.wait() { return "\(url) answers" }
        throw StoreServerFailure(text: connection.failure?.text ?? "\(url) refuses commands")
    }
}
