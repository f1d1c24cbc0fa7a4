import Bytes
import Crypto
import Model
import Reactor

/// Tries whether a server can be reached: its name, a connection, TLS. Sends no request, and blocks the thread.
package struct ConnectionProbe: Sendable {
    /// What was reached.
    package struct Reached: Sendable {
        package let address: String
        /// Nil without TLS.
        package let certificate: PeerCertificate?
    }

    private let target: ServerSettings.Target
    private let tls: UpstreamTLS?
    private let timeoutMilliseconds: Int32
    /// The URL of the server, as failures have it.
    package let url: String

    init(_ target: ServerSettings.Target, tls: UpstreamTLS?, timeoutMilliseconds: Int64) {
        self.target = target
        self.tls = tls
        self.timeoutMilliseconds = Int32(clamping: timeoutMilliseconds)
        url = target.url(tls == nil ? "http" : "https")
    }

    /// Tries each address of the name.
    package func run() throws(ConnectionFailure) -> Reached {
        var failure = ConnectionFailure(url, .resolve, "no address")
        for address in try addresses() {
            do throws(ConnectionFailure) { return try reach(address) } catch { failure = error }
        }
        throw failure
    }

    private func addresses() throws(ConnectionFailure) -> [SocketAddress] {
        switch target {
        case .address(let address): return [address]
        case .name(let host, let port):
            let answer = NameResolver.answer(host, port: port)
            if case .addresses(let found) = answer { return found }
            throw ConnectionFailure(url, .resolve, answer.problem ?? "")
        }
    }

    private func reach(_ address: SocketAddress) throws(ConnectionFailure) -> Reached {
        var step = ConnectionFailure.Step.connect
        var problem: String?
        do throws(KernelError) {
            let connection = try BlockingConnection(address, timeoutMilliseconds: timeoutMilliseconds)
            guard let tls else { return Reached(address: address.description, certificate: nil) }
            step = .tls
            // The library makes no session without memory, or for a text that is no name.
            guard let session = tls.context.makeSession(serverName: tls.name(of: target)) else {
                throw KernelError.outOfMemory
            }
            problem = try ConnectionProbe.shakeHands(session, over: connection)
            if problem == nil { return Reached(address: address.description, certificate: session.peerCertificate) }
        } catch {
            problem = error.text
        }
        throw ConnectionFailure(url, at: address.description, step, problem ?? "")
    }

    /// Why there is no session; nil for success.
    private static func shakeHands(
        _ session: TLSSession, over connection: borrowing BlockingConnection
    ) throws(KernelError) -> String? {
        let (received, plain, wire) = (Chunk(capacity: piece), Chunk(capacity: piece), Chunk(capacity: piece))
        _ = session.start(replying: wire)
        try connection.send(wire)
        while session.state == .opening {
            received.ensureFree(piece)
            if try connection.receive(into: received) == 0 { return "the peer has closed the connection" }
            repeat {
                plain.ensureFree(piece)
                _ = session.receive(received, into: plain, replying: wire)
                plain.consume(plain.count)
            } while session.hasMore
            try connection.send(wire)
        }
        return session.failure?.text
    }

    private static let piece = 16_384
}

extension Upstream {
    /// A probe of each server.
    package var probes: [ConnectionProbe] {
        servers.map { ConnectionProbe($0.target, tls: tls, timeoutMilliseconds: settings.connectTimeout) }
    }
}
