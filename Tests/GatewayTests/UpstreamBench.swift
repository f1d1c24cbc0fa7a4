import Reactor
import TestSupport
import Testing

@testable import Gateway

extension Worker {
    /// The pools of all servers, in the order of the configuration.
    var pools: [UpstreamPool] { groups.all.flatMap { $0.servers.map(\.pool) } }
}

extension Upstream {
    /// The address of the only server.
    var address: SocketAddress {
        get {
            guard case .address(let address)? = servers.first?.target else { preconditionFailure("no address") }
            return address
        }
        set { servers = [ServerSettings(.address(newValue))] }
    }
}

/// Scripted servers behind one upstream: each answers every request with its number, or behaves otherwise.
final class ServerSet {
    enum Manner { case answers, closes, isFrozen }

    let listeners: [PeerListener]
    /// Where the dead servers would be.
    private var refusing: [RefusingPort] = []
    var manners: [Manner]
    private var peers: [(server: Int, peer: Peer)] = []
    /// Heads received, by server.
    private(set) var heads: [[String]]

    init(_ count: Int) {
        listeners = (0..<count).map { _ in PeerListener() }
        manners = Array(repeating: .answers, count: count)
        heads = Array(repeating: [], count: count)
    }

    var settings: [ServerSettings] {
        listeners.compactMap { listener in
            SocketAddress(literal: "127.0.0.1", port: listener.port).map { ServerSettings(.address($0)) }
        }
    }

    /// Requests other than checks, by server.
    var counts: [Int] { heads.map { $0.count { !$0.contains("portcullis-health-check") } } }

    /// Accepts and answers what has come.
    func go() {
        for (index, listener) in listeners.enumerated() where manners[index] != .isFrozen {
            while let peer = listener.accept() { peers.append((index, peer)) }
        }
        peers.removeAll { $0.peer.isOver }
        for (index, peer) in peers where manners[index] != .isFrozen && peer.text.contains("\r\n\r\n") {
            heads[index].append(peer.text)
            peer.forget()
            if manners[index] == .closes { peer.close() } else { peer.send(.ok("<\(index)>")) }
        }
    }

    /// A worker with these servers as its upstream, and some more whose ports are closed.
    func bench(
        dead: Int = 0, _ change: @escaping (inout Upstream) -> Void = { _ in }
    ) throws -> WorkerBench {
        let ports = (0..<dead).map { _ in RefusingPort() }
        refusing += ports
        let nobody = try ports.map {
            ServerSettings(.address(try #require(SocketAddress(literal: "127.0.0.1", port: $0.number))))
        }
        return try WorkerBench {
            $0.upstream = {
                $0.servers = self.settings + nobody
                change(&$0)
            }
        }
    }
}

extension WorkerBench {
    /// Sends a request and answers the response, from any server.
    func ask(
        _ servers: ServerSet, _ client: Peer, _ request: String = .get(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> String {
        client.send(request)
        turn(
            until: {
                servers.go()
                let text = client.text
                return text.hasSuffix(">") || text.hasSuffix("}")
            }, sourceLocation: sourceLocation)
        let all = client.text
        client.forget()
        return all
    }
}
